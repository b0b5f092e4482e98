"""Tests of common/cli/building/makefiles.py."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  makes cli importable

from cli.building.makefiles import makefile_of

_MAKEFILE = """\
all: chapters/ch1/all
chapters/ch1/all: chapters/ch1/CMakeFiles/saxpy.dir/all
chapters/ch1/CMakeFiles/kernels.dir/all:
\t$(MAKE) $(MAKESILENT) -f chapters/ch1/CMakeFiles/kernels.dir/build.make chapters/ch1/CMakeFiles/kernels.dir/depend
\t$(MAKE) $(MAKESILENT) -f chapters/ch1/CMakeFiles/kernels.dir/build.make chapters/ch1/CMakeFiles/kernels.dir/build
chapters/ch1/CMakeFiles/saxpy.dir/all: chapters/ch1/CMakeFiles/kernels.dir/all
\t$(MAKE) $(MAKESILENT) -f chapters/ch1/CMakeFiles/saxpy.dir/build.make chapters/ch1/CMakeFiles/saxpy.dir/depend
\t$(MAKE) $(MAKESILENT) -f chapters/ch1/CMakeFiles/saxpy.dir/build.make chapters/ch1/CMakeFiles/saxpy.dir/build
"""


class MakefileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        self.kernels = self.tree / "chapters/ch1/CMakeFiles/kernels.dir"
        self.kernels.mkdir(parents=True)
        (self.tree / "CMakeFiles").mkdir()
        (self.tree / "CMakeFiles/Makefile2").write_text(_MAKEFILE, encoding="utf-8")

    def lines_of(self, *targets: str) -> list[str]:
        makefile, _ = makefile_of(self.tree, targets) or self.fail("no makefile")
        return (self.tree / makefile).read_text(encoding="utf-8").splitlines(keepends=True)

    def test_goals_are_the_targets_with_all_that_they_need(self) -> None:
        _, goals = makefile_of(self.tree, ["saxpy", "all"]) or self.fail("no makefile")
        self.assertEqual(goals, ["chapters/ch1/CMakeFiles/saxpy.dir/all", "all"])

    def test_a_target_that_is_not_there(self) -> None:
        self.assertIsNone(makefile_of(self.tree, ["saxpy", "sapxy"]))

    def test_a_tree_without_makefiles(self) -> None:
        (self.tree / "CMakeFiles/Makefile2").unlink()
        self.assertIsNone(makefile_of(self.tree, ["saxpy"]))

    def test_nobody_is_asked_before_anything_is_compiled(self) -> None:
        asks_nothing = [line for line in _MAKEFILE.splitlines(keepends=True) if not line.endswith("/depend\n")]
        self.assertEqual(self.lines_of("all"), asks_nothing)

    def test_who_has_compiled_is_asked_what_the_files_include(self) -> None:
        object_folder = self.kernels / "__/harness"
        object_folder.mkdir(parents=True)
        (object_folder / "main.cpp.o.d").touch()
        asks_kernels = [line for line in _MAKEFILE.splitlines(keepends=True) if not line.endswith("saxpy.dir/depend\n")]
        self.assertEqual(self.lines_of("all"), asks_kernels)


if __name__ == "__main__":
    unittest.main()
