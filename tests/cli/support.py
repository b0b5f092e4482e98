"""A small workbook in a temporary folder: the real command and the real CMake, but shell scripts for programs."""

from __future__ import annotations

import compileall
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "plots")]
sys.path.append(str(ROOT / "tests"))  # after this folder, which is a `support` too

from cli.building.build_tree import BuildTree  # noqa: E402
from cli.building.own_program import OwnProgram  # noqa: E402
from cli.workbook import Workbook  # noqa: E402

CHAPTER_LISTS = """
# The chapter's programs.
add_chapter(ch3_transpose
  EXERCISES ex2_swizzled)   # stages are in no list
add_operation(ch3_transpose copy
  BASELINES copy_simple)
"""
# The chapter's stages.
CHAPTER_STAGES = {
    "01_naive.cu": "// Stage 01: one element a thread\n__global__ void transpose_kernel();\n",
    "01b_naive_1024x1.cu": "",
    "02_localmem.cu": "",
    "08_cublas.cu": "// Stage 08: the library\n//\n// Requires: a GPU\n",
}

_PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(fake LANGUAGES NONE)
set(WORKBOOK_BACKEND auto CACHE STRING "")
if(WORKBOOK_BACKEND STREQUAL "auto" AND EXISTS ${CMAKE_SOURCE_DIR}/has_gpu)
  set(WORKBOOK_ACTIVE_BACKEND cuda CACHE INTERNAL "")
else()
  set(WORKBOOK_ACTIVE_BACKEND simulator CACHE INTERNAL "")
endif()
enable_testing()
add_custom_target(ch3_transpose)
file(GLOB programs ${CMAKE_SOURCE_DIR}/programs/*)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  add_custom_target(${name} COMMAND ${CMAKE_COMMAND} -E copy ${program} ${CMAKE_BINARY_DIR}/bin/${name} VERBATIM)
  add_dependencies(ch3_transpose ${name})
endforeach()
add_custom_target(ch3_transpose_tests COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/tests_of_chapter_3)
add_custom_target(maintenance COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/maintenance)
add_custom_target(stage_tests COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/stage_tests)
add_custom_target(ch3_transpose_naive_1x1 COMMAND sh ${CMAKE_SOURCE_DIR}/fail_to_compile VERBATIM)
include(${CMAKE_SOURCE_DIR}/tests.cmake OPTIONAL)
include(${CMAKE_SOURCE_DIR}/left_out.cmake OPTIONAL)
function(workbook_add_own_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "SOURCES;INCLUDE")
  list(GET arg_SOURCES 0 source)
  foreach(program ${target} ${target}_inspect)
    set(folder ${CMAKE_BINARY_DIR}/bin/own/${program})
    add_custom_target(${program}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${CMAKE_COMMAND} -E copy ${source} ${folder}/${arg_NAME}
      VERBATIM)
  endforeach()
endfunction()
file(GLOB entries ${CMAKE_BINARY_DIR}/own/entries/*.cmake)
foreach(entry IN LISTS entries)
  include(${entry})
endforeach()
"""

# A traced program's report, and a finding in one.
KERNEL = {
    "name": "k",
    "launches": 1,
    "grid": [1, 1, 1],
    "block": [32, 1, 1],
    "static_shared_bytes": 0,
    "dynamic_shared_bytes": 0,
    "blocks": 1,
    "threads": 32,
    "barriers": 0,
    "accesses": [],
}
REPORT = {"schema": 1, "device": "simulator", "kernels": [KERNEL], "findings": []}
FINDING = {"kind": "out_of_bounds", "kernel": "k", "message": "Wrote past the end.", "count": 1, "places": []}


def access(line: int = 1, memory: str = "global", operation: str = "load", **changes: Any) -> dict[str, Any]:
    """One request of a warp for floats, as an access in a report."""
    place = {"file": "kernel.cu", "line": line, "column": 1, "memory": memory, "operation": operation}
    return {**place, "bytes_per_lane": 4, "requests": 1, "lanes": 32, **changes}


def report_of(*accesses: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The report of a kernel with these accesses and other changes."""
    return {**REPORT, "kernels": [{**KERNEL, "accesses": list(accesses), **changes}]}


def leaves(report: dict[str, Any]) -> str:
    """A script that writes this report."""
    return f"cat > \"$CUDA_SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND\n"


needs_simulator = unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs a build folder with the simulator")


def simulator_tree() -> BuildTree:
    """The folder that `needs_simulator` requires."""
    return BuildTree(Workbook(ROOT), os.environ["WORKBOOK_SIMULATOR_TREE"], "simulator")


def built_traced(program: OwnProgram, add_cleanup: Callable[..., Any]) -> Path:
    """The executable of a learner's program, which is in the simulator's folder until the cleanup."""
    tree = simulator_tree()
    add_cleanup((tree.folder / f"own/entries/{program.target}.cmake").unlink, missing_ok=True)
    return program.build(tree, traced=True)


def ended(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """The result of a function, such as the exit code of a main(), and what it printed."""
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        return function(*arguments), words.getvalue()


COPIED = ("common/cli", "common/grading")
PROGRAMS = ("naive", "naive_1024x1", "localmem", "cublas", "copy_simple")


def folder_of(test: unittest.TestCase, prefix: str = "workbook-test-") -> Path:
    """An empty folder until the test ends."""
    temporary = tempfile.TemporaryDirectory(prefix=prefix)
    test.addCleanup(temporary.cleanup)
    return Path(temporary.name).resolve()


class FolderTest(unittest.TestCase):
    """Gives every test an empty folder."""

    def setUp(self) -> None:
        self.folder = folder_of(self)


class FakeWorkbook(unittest.TestCase):
    """Gives every test a workbook of its own, in a folder with a space in its name."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for part in COPIED:  # with compiled modules in the copies, a command takes a third less time
            compileall.compile_dir(ROOT / part, quiet=1)

    def setUp(self) -> None:
        self.root = folder_of(self, "work book ")
        shutil.copy2(ROOT / "workbook", self.root)
        for part in COPIED:
            shutil.copytree(ROOT / part, self.root / part)
        self.write("CMakeLists.txt", _PROJECT)
        self.write("chapters/ch3_transpose/CMakeLists.txt", CHAPTER_LISTS)
        for stage, text in CHAPTER_STAGES.items():
            self.write(f"chapters/ch3_transpose/{stage}", text)
        for name in PROGRAMS:
            self.write_program(f"ch3_transpose_{name}", f'echo "{name} ran with $*"')
        self.tools = self.root / "tools"
        self.tools.mkdir()
        self.write_tool("nvcc", "exit 0")  # accepts every program, also those of a test, which are scripts

    @property
    def path(self) -> str:
        """The PATH of a command that the test starts."""
        return f"{self.tools}:{os.environ['PATH']}"

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def write_program(self, name: str, script: str) -> None:
        self.write(f"programs/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def write_own_program(self, file: Path, script: str, report: dict = REPORT) -> Path:
        """Writes a learner's program: its executable is a copy of the file, and writes the report if that is requested."""
        self.write("report.json", json.dumps(report))
        leave_report = f'[ -z "$CUDA_SIMULATOR_REPORT" ] || cp "{self.root}/report.json" "$CUDA_SIMULATOR_REPORT"'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{leave_report}\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    def write_tool(self, name: str, script: str) -> None:
        """Writes a command that comes before the machine's own in PATH."""
        self.write(f"tools/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def workbook(
        self, *arguments: str, cwd: Path | None = None, typed: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs ./workbook from an unrelated folder; it must install nothing on the machine under test."""
        base = {name: value for name, value in os.environ.items() if not name.startswith(("CTEST", "CMAKE", "MAKE", "WORKBOOK"))}
        return subprocess.run(
            [str(self.root / "workbook"), *arguments],
            cwd=cwd or "/",
            env={
                **base,
                **{"PATH": self.path, "WORKBOOK_NO_INSTALL": "1"},
                **{"LC_ALL": "C.UTF-8", "TERM": "xterm"},  # the language and the terminal determine the marks of a verdict
                **environment,
            },
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )

    def ends(self, code: int, *arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Runs ./workbook, which must end with this exit code."""
        result = self.workbook(*arguments, **how)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result
