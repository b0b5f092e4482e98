"""Puts the judge and the command on the path. (This folder is not a package: `grading` is common/grading.)"""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common")]
sys.path.append(str(ROOT / "tests"))  # after this folder, which has a `support` too

from cli.building.build_tree import BuildTree  # noqa: E402
from cli.catalogue import Program  # noqa: E402
from cli.errors import MissingToolError  # noqa: E402
from cli.workbook import Workbook  # noqa: E402
from grading.sandbox import require_sandbox  # noqa: E402

WORKBOOK = Workbook(ROOT)
EXERCISE = Program("ch3_ex2", "ch3_transpose", ROOT / "chapters/ch3_transpose/ex2_swizzled.cu", "exercise")
OTHER = Program("ch3_ex3", "ch3_transpose", ROOT / "chapters/ch3_transpose/ex3_find_the_race.cu", "exercise")
_TREE = os.environ.get("WORKBOOK_SIMULATOR_TREE", "")
needs_tree = unittest.skipUnless(_TREE, "needs a build folder with the simulator (CTest names it)")


def built_tree() -> BuildTree:
    """The build folder with the simulator and tests, for a test with `needs_tree`."""
    return BuildTree(WORKBOOK, _TREE, "simulator")


def require_room() -> None:
    """Skips the test if the machine has no sandbox."""
    try:
        require_sandbox()
    except MissingToolError as error:
        raise unittest.SkipTest(str(error)) from error


class FolderTest(unittest.TestCase):
    """Gives every test an empty folder, and another one for archives that are unpacked."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "class"
        self.scratch = Path(temporary.name) / "scratch"
        self.folder.mkdir()
        self.scratch.mkdir()

    def put(self, name: str, text: str = "") -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file
