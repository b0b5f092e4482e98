"""What is up to date is not built, what is not is, and both by content: with CMake, make and g++ on a small workbook."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from support import ROOT

from cli.building.build_tree import BuildTree
from cli.building.contents import note_contents, read_contents, write_empty
from cli.building.rebuild import Rebuild, rebuild_of
from cli.errors import BuildError
from cli.workbook import Workbook

_LONG_AGO = 1_000_000_000
# As in the workbook: a .cu file is rewritten, compiled into an object library, and linked into two programs.
_PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(fake CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(WORKBOOK_ACTIVE_BACKEND simulator CACHE INTERNAL "")
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(${CMAKE_SOURCE_DIR}/common/cmake/SourceContents.cmake)
set(rewriter ${CMAKE_SOURCE_DIR}/common/simulator/translate/rewrite_cuda.py)
foreach(name mine ceiling)
  set(rewritten ${CMAKE_BINARY_DIR}/${name}_kernels.cpp)
  set(source ${CMAKE_SOURCE_DIR}/chapters/${name}.cu)
  add_custom_command(OUTPUT ${rewritten}
    COMMAND Python3::Interpreter ${rewriter} ${source} ${rewritten} DEPENDS ${source} DEPFILE ${rewritten}.d)
  add_library(${name}_kernels OBJECT ${rewritten})
  workbook_note_contents(${name}_kernels ${rewritten} ${source})
  target_include_directories(${name}_kernels PRIVATE ${CMAKE_SOURCE_DIR}/chapters)
endforeach()
add_library(ceiling STATIC $<TARGET_OBJECTS:ceiling_kernels>)
file(GLOB harness CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/chapters/harness/*.cpp)
add_library(harness OBJECT ${harness})
foreach(program mine_test mine_inspect)
  add_executable(${program} $<TARGET_OBJECTS:mine_kernels> $<TARGET_OBJECTS:harness>)
  target_link_libraries(${program} PRIVATE ceiling)
endforeach()
workbook_list_contents()
"""
_MAIN = '#include <cstdio>\nint mine();\nint ceiling();\nint main() { std::printf("%d %d\\n", mine(), ceiling()); }\n'
_TARGETS = ["mine_test", "mine_inspect"]


class MadeOfTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="made of ")
        cls.addClassCleanup(temporary.cleanup)
        cls.built_once = Path(temporary.name).resolve() / "workbook"
        for folder in ("common/cmake", "common/simulator/translate"):
            shutil.copytree(ROOT / folder, cls.built_once / folder)
        for name, text in {
            "CMakeLists.txt": _PROJECT,
            "chapters/cuda_runtime.h": "",  # what is rewritten includes it, and not every machine has one
            "chapters/mine.h": "#define VALUE 1\n",
            "chapters/mine.cu": '#include "mine.h"\nint mine() { return VALUE; }\n',
            "chapters/ceiling.cu": "int ceiling() { return 7; }\n",
            "chapters/harness/main.cpp": _MAIN,
        }.items():
            file = cls.built_once / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        BuildTree(Workbook(cls.built_once), "build", "simulator").configure()

    def setUp(self) -> None:
        self.root = self.built_once
        self.source = self.root / "chapters/mine.cu"
        self.tree = BuildTree(Workbook(self.root), "build", "simulator")
        for name, text in {
            "mine.h": "#define VALUE 1\n",
            "mine.cu": '#include "mine.h"\nint mine() { return VALUE; }\n',
            "ceiling.cu": "int ceiling() { return 7; }\n",
            "harness/main.cpp": _MAIN,
        }.items():
            (self.root / "chapters" / name).write_text(text)
        (self.root / "chapters/harness/more.cpp").unlink(missing_ok=True)
        self.let_the_clock_tick()
        self.build()
        self.assertEqual(self.printed(), ["1 7", "1 7"])

    def build(self, source: Path | None = None) -> str:
        """Returns how: by make, by the steps of one file, or not at all."""
        steps: list[Rebuild | None] = []

        def noted(*arguments: Any) -> Rebuild | None:
            steps.append(rebuild_of(*arguments))
            return steps[-1]

        with (
            mock.patch.object(BuildTree, "_make", autospec=True, side_effect=BuildTree._make) as by_make,
            mock.patch("cli.building.build_tree.rebuild_of", noted),
        ):
            self.tree.build("mine", _TARGETS, source or self.source)
        return "make" if by_make.called else "steps" if any(steps) else ""

    def printed(self) -> list[str]:
        return [
            subprocess.run([self.tree.program(target)], capture_output=True, text=True, check=True).stdout.strip()
            for target in _TARGETS
        ]

    def change(self, name: str, text: str, time_s: int | None = None) -> None:
        file = self.root / "chapters" / name
        file.write_text(text)
        if time_s is not None:
            os.utime(file, (time_s, time_s))
        self.let_the_clock_tick()

    def let_the_clock_tick(self) -> None:
        """Until a file written now is younger than those before: what is written in the tick in which a build begins is
        rightly built again, since nobody knows which content was read.
        """
        probe = self.root / "clock"
        before_ns = write_empty(probe)
        while write_empty(probe) == before_ns:
            time.sleep(0.001)

    def test_what_is_as_it_was_is_not_built(self) -> None:
        self.assertEqual(self.build(), "")

    def test_a_new_time_alone_is_no_change(self) -> None:
        os.utime(self.source)
        self.assertEqual(self.build(), "")

    def test_a_changed_file_takes_its_own_steps(self) -> None:
        self.change("mine.cu", "int mine() { return 2; }\n")
        self.assertEqual(self.build(), "steps")
        self.assertEqual(self.printed(), ["2 7", "2 7"])
        self.assertEqual(self.build(), "")

    def test_make_finds_nothing_to_do_after_the_steps(self) -> None:
        make = ["cmake", "--build", str(self.tree.folder), "--target", *_TARGETS]
        # setUp writes all sources: make, which goes by times, has to see them before.
        subprocess.run(make, check=True, capture_output=True)
        self.change("mine.cu", '#include "mine.h"\nint mine() { return VALUE + 1; }\n')
        self.assertEqual(self.build(), "steps")
        built = [self.tree.program(target).stat().st_mtime_ns for target in _TARGETS]
        subprocess.run(make, check=True, capture_output=True)
        self.assertEqual([self.tree.program(target).stat().st_mtime_ns for target in _TARGETS], built)

    def test_a_file_that_is_put_back_with_an_older_time(self) -> None:
        self.change("mine.cu", "int mine() { return 3; }\n", _LONG_AGO)
        self.build()
        self.assertEqual(self.printed(), ["3 7", "3 7"])

    def test_a_file_of_the_same_time_and_length(self) -> None:
        self.change("mine.cu", "int mine() { return 3; }\n", _LONG_AGO)
        self.build()
        self.change("mine.cu", "int mine() { return 4; }\n", _LONG_AGO)
        self.build()
        self.assertEqual(self.printed(), ["4 7", "4 7"])

    def test_a_file_and_back_again(self) -> None:
        before = self.source.read_text()
        self.change("mine.cu", "int mine() { return 3; }\n")
        self.build()
        self.change("mine.cu", before, _LONG_AGO)
        self.build()
        self.assertEqual(self.printed(), ["1 7", "1 7"])

    def test_a_changed_header_is_for_make(self) -> None:
        self.change("mine.h", "#define VALUE 5\n")
        self.assertEqual(self.build(), "make")
        self.assertEqual(self.printed(), ["5 7", "5 7"])

    def test_a_header_that_the_file_has_begun_to_include(self) -> None:
        self.change("more.h", "#define VALUE 5\n")
        self.change("mine.cu", '#include "more.h"\nint mine() { return VALUE; }\n')
        self.build()
        self.change("more.h", "#define VALUE 6\n")
        self.assertEqual(self.build(), "make")
        self.assertEqual(self.printed(), ["6 7", "6 7"])

    def test_a_file_in_an_archive_is_for_make(self) -> None:
        self.change("ceiling.cu", "int ceiling() { return 8; }\n")
        self.assertEqual(self.build(self.root / "chapters/ceiling.cu"), "make")
        self.assertEqual(self.printed(), ["1 8", "1 8"])

    def test_two_changed_files_are_for_make(self) -> None:
        self.change("ceiling.cu", "int ceiling() { return 8; }\n")
        self.change("mine.cu", "int mine() { return 2; }\n")
        self.assertEqual(self.build(), "make")
        self.assertEqual(self.printed(), ["2 8", "2 8"])

    def test_a_file_that_is_added_to_what_cmake_lists(self) -> None:
        self.change("harness/more.cpp", "int more() { return 9; }\n")
        self.change("harness/main.cpp", _MAIN.replace("mine()", "more()"))
        self.assertEqual(self.build(), "make")
        self.assertEqual(self.printed(), ["9 7", "9 7"])

    def test_a_program_that_another_was_put_in_place_of(self) -> None:
        shutil.copy("/bin/true", self.tree.program("mine_test"))
        self.build()
        self.assertEqual(self.printed(), ["1 7", "1 7"])

    def test_a_program_of_a_folder_of_its_own(self) -> None:
        """As those of files elsewhere: neither make nor the name of the target says where it is."""
        lists = self.root / "CMakeLists.txt"
        before = lists.read_text()
        self.addCleanup(lists.write_text, before)
        lists.write_text(f"{before}set_target_properties(mine_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY own OUTPUT_NAME a.cu)\n")
        self.build()
        program = self.tree.folder / "own/a.cu"
        shutil.copy("/bin/true", program)
        self.assertEqual(self.build(), "make")
        self.change("mine.cu", "int mine() { return 2; }\n")
        self.assertEqual(self.build(), "steps")
        self.assertEqual(subprocess.run([program], capture_output=True, text=True, check=True).stdout, "2 7\n")
        self.assertEqual(self.build(), "")

    def test_a_program_that_is_gone(self) -> None:
        self.tree.program("mine_test").unlink()
        self.build()
        self.assertEqual(self.printed(), ["1 7", "1 7"])

    def test_an_object_library_is_known_by_its_objects(self) -> None:
        self.tree.build("ceiling", ["ceiling_kernels"])
        with mock.patch.object(BuildTree, "_make", autospec=True, side_effect=BuildTree._make) as by_make:
            self.tree.build("ceiling", ["ceiling_kernels"])
            self.assertFalse(by_make.called)
            self.change("ceiling.cu", "int ceiling() { return 8; }\n")
            self.tree.build("ceiling", ["ceiling_kernels"])
            self.assertTrue(by_make.called)

    def test_an_error_is_told_and_not_forgotten(self) -> None:
        self.change("mine.cu", "int mine() { return undeclared; }\n")
        for _ in range(2):
            with self.assertRaises(BuildError) as caught:
                self.build()
            self.assertIn("undeclared", str(caught.exception))
        self.change("mine.cu", "int mine() { return 2; }\n")
        self.build()
        self.assertEqual(self.printed(), ["2 7", "2 7"])

    def test_a_record_that_cannot_be_read_is_none(self) -> None:
        for record in (self.tree.folder / "CMakeFiles/made_of").glob("*.json"):
            record.write_text('{"format": 1, "settings": {}, "files": 3}')
        self.assertEqual(self.build(), "make")


class ContentsTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="contents ")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "a.cu"
        self.file.write_text("a")
        self.record = self.folder / "record.json"

    def test_what_is_written_meanwhile_is_not_noted(self) -> None:
        began_ns = write_empty(self.folder / "started")
        self.file.write_text("b")
        note_contents(self.record, [str(self.file)], began_ns, {})
        self.assertIsNone(read_contents(self.record, {}))

    def test_what_was_written_before_is_noted(self) -> None:
        began_ns = self.file.stat().st_ctime_ns + 1
        note_contents(self.record, [str(self.file)], began_ns, {"by": "g++"})
        self.assertEqual(list(read_contents(self.record, {"by": "g++"}) or ()), [str(self.file)])

    def test_a_record_of_other_settings_is_none(self) -> None:
        note_contents(self.record, [str(self.file)], self.file.stat().st_ctime_ns + 1, {"by": "g++"})
        self.assertIsNone(read_contents(self.record, {"by": "clang++"}))

    def test_nothing_is_noted_of_a_file_that_is_gone(self) -> None:
        note_contents(self.record, [str(self.file), f"{self.folder}/none/"], self.file.stat().st_ctime_ns + 1, {})
        self.file.unlink()
        self.assertIsNotNone(read_contents(self.record, {}))
        with self.assertRaises(OSError):
            note_contents(self.record, [str(self.file)], 0, {})


if __name__ == "__main__":
    unittest.main()
