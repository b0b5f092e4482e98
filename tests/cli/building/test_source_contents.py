"""A build always uses the present contents of files, whatever their times are (common/cmake/source_contents.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT

SCRIPT = ROOT / "common/cmake/source_contents.py"
# The rewriter and CMake as in the workbook; the "program" replaces the compiled file.
_PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(fake LANGUAGES NONE)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include({ROOT}/common/cmake/SourceContents.cmake)
set(rewritten ${{CMAKE_BINARY_DIR}}/kernels.cpp)
set(program ${{CMAKE_BINARY_DIR}}/bin/program)
add_custom_command(OUTPUT ${{rewritten}}
  COMMAND Python3::Interpreter {ROOT}/common/simulator/translate/rewrite_cuda.py ${{CMAKE_SOURCE_DIR}}/a.cu ${{rewritten}}
  DEPENDS ${{CMAKE_SOURCE_DIR}}/a.cu)
add_custom_target(kernels_rewritten DEPENDS ${{rewritten}})
workbook_note_contents(kernels_rewritten ${{rewritten}} ${{CMAKE_SOURCE_DIR}}/a.cu)
add_custom_command(OUTPUT ${{program}} COMMAND ${{CMAKE_COMMAND}} -E cat ${{rewritten}} ${{CMAKE_SOURCE_DIR}}/a.h > ${{program}}
  DEPENDS ${{rewritten}})
file(MAKE_DIRECTORY ${{CMAKE_BINARY_DIR}}/bin)
add_custom_target(program ALL DEPENDS ${{program}})
add_dependencies(program kernels_rewritten)
workbook_list_contents()
"""
_LONG_AGO = 1_000_000_000.0


class NinjaTest(unittest.TestCase):
    """A checkout in source/, with a file and its header, built in build/."""

    generator = "Ninja"

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="work book ")
        cls.addClassCleanup(temporary.cleanup)
        cls.root = Path(temporary.name).resolve()
        cls.source = cls.checkout("source", "first")
        command = ["cmake", "-G", cls.generator, "-S", cls.source, "-B", cls.root / "build"]
        subprocess.run(command, check=True, capture_output=True)

    def setUp(self) -> None:
        """Each test changes files after this first build."""
        shutil.rmtree(self.source)
        self.checkout("source", "first")
        self.assertIn("int first;", self.built())

    @classmethod
    def checkout(cls, name: str, variable: str) -> Path:
        folder = cls.root / name
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(_PROJECT)
        (folder / "a.cu").write_text(f'#include "a.h"\nint {variable};\n')
        (folder / "a.h").write_text("// plain\n")
        return folder

    def built(self) -> str:
        """The contents of the program, after a build."""
        command = ["cmake", "--build", self.root / "build"]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(finished.returncode, 0, finished.stdout + finished.stderr)
        return (self.root / "build/bin/program").read_text()

    def put(self, name: str, text: str, time_s: float) -> None:
        (self.source / name).write_text(text)
        os.utime(self.source / name, (time_s, time_s))

    def test_a_file_that_is_put_back_with_an_older_time(self) -> None:
        self.put("a.cu", "int second;\n", _LONG_AGO)
        self.assertIn("int second;", self.built())

    def test_a_header_that_is_put_back_with_an_older_time(self) -> None:
        self.put("a.h", "// other\n", _LONG_AGO)
        self.assertIn("// other", self.built())

    def test_a_backup_that_is_moved_back(self) -> None:
        backup = self.source / "a.cu.mine"
        shutil.copy2(self.source / "a.cu", backup)
        (self.source / "a.cu").write_text("int second;\n")
        self.assertIn("int second;", self.built())
        backup.replace(self.source / "a.cu")
        self.assertIn("int first;", self.built())

    def test_another_checkout_in_its_place(self) -> None:
        other = self.checkout("other", "second")
        for file in other.iterdir():
            os.utime(file, (_LONG_AGO, _LONG_AGO))
        self.source.rename(self.root / "kept")
        other.rename(self.source)
        self.assertIn("int second;", self.built())

    def test_a_build_while_the_clock_was_ahead(self) -> None:
        ahead = time.time() + 1e6
        for file in (self.root / "build").rglob("*"):
            os.utime(file, (ahead, ahead))
        (self.source / "a.cu").write_text("int second;\n")
        self.assertIn("int second;", self.built())

    def test_a_file_from_the_future(self) -> None:
        self.put("a.cu", "int second;\n", time.time() + 1e6)
        self.assertIn("int second;", self.built())
        self.put("a.cu", "int third;\n", time.time() + 1e6)
        self.assertIn("int third;", self.built())

    def test_an_error_is_not_forgotten(self) -> None:
        self.put("a.cu", "k<<<1;\n", _LONG_AGO)
        for _ in range(2):
            with self.assertRaises(AssertionError):
                self.built()
        self.put("a.cu", "int second;\n", _LONG_AGO - 1)
        self.assertIn("int second;", self.built())

    def test_unchanged_files_are_not_built_again(self) -> None:
        program = self.root / "build/bin/program"
        before = program.stat().st_mtime_ns
        self.built()
        self.assertEqual(program.stat().st_mtime_ns, before)


class MakeTest(NinjaTest):
    generator = "Unix Makefiles"


class CompileTest(unittest.TestCase):
    """`compile`, for files that a compiler reads directly: with nvcc, and a learner's own .cpp files."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="work book ")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()
        (self.folder / "a.cpp").write_text('#include "a.h"\nint main() { return value; }\n')
        (self.folder / "a.h").write_text("constexpr int value = 3;\n")
        self.object = self.folder / "a.o"
        (self.folder / "list").write_text(f"{self.object}|{self.folder}/a.cpp\n")
        compiler = ["g++", "-MD", "-MF", f"{self.object}.d", "-o", str(self.object), "-c", f"{self.folder}/a.cpp"]
        self.assertEqual(self.run_script("compile", *compiler), 0)

    def run_script(self, *arguments: str) -> int:
        return subprocess.run([sys.executable, "-I", "-S", str(SCRIPT), *arguments], check=False).returncode

    def is_kept(self) -> bool:
        self.assertEqual(self.run_script("check", f"{self.folder}/list"), 0)
        return self.object.is_file()

    def test_an_up_to_date_object_is_kept(self) -> None:
        self.assertTrue(self.is_kept())

    def test_an_object_of_another_header_is_removed(self) -> None:
        (self.folder / "a.h").write_text("constexpr int value = 4;\n")
        os.utime(self.folder / "a.h", (_LONG_AGO, _LONG_AGO))
        self.assertFalse(self.is_kept())

    def test_an_object_without_a_record_is_removed(self) -> None:
        Path(f"{self.object}.contents").unlink()
        self.assertFalse(self.is_kept())

    def test_an_object_of_another_file_is_removed(self) -> None:
        (self.folder / "list").write_text(f"{self.object}|/elsewhere/a.cpp\n")
        self.assertFalse(self.is_kept())
