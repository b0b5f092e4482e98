"""Command lines of ./workbook, in a copy of the workbook whose CMake refuses everything, so that nothing is built."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

from cli.application import COMMANDS
from cli.running.limited_run import Limits, run_within
from fuzz.area import wrong_output
from fuzz.edits import nonsense

_LIMITS = Limits(cpu_s=30.0, wall_s=300.0)
_JUNK_OPTIONS = ("--frobnicate", "-Z", "--sead", "--\x1b[2J", "--=")
_OPTIONS = ("--file", "--seed", "--answer", "--give-up", "--diff", "--json", "--picture", "--line", "--columns", "--include",
            "--unchecked", "--sizes", "--rounds", "--output", "--build", "--hidden", "--reports", "--seconds", "--memory-gib",
            "--goals", "--sanitizer", "--results", "--all", "--help", "-h", "--")  # fmt: skip
_NAMES = ("ch3_transpose", "ch3", "ch3_ex2", "ch3_transpose_naive", "naive", "ch1_ex1", "ch99", "ex1", "CH3", "ch3_transpose_",
          "good.cu", "empty.cu", "binary.cu", "folder.cu", "loop.cu", "loop", "pipe", "pipe.cu", "gone.cu", ".", "..", "/", "~",
          "/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "folder", "table.csv", "/nonexistent/x.cu", "tests.json")  # fmt: skip
_CONTROLS = ("\x1b[2J.cu", "a\nb.cu", "\u202e.cu", "\udcff.cu", "x" * 300 + ".cu")
_COPIED = ("common/cli", "common/grading", "chapters", "solutions", "docs")


class CommandLines:
    name = "command_lines"
    is_isolated = False

    def __init__(self, root: Path, room: Path) -> None:
        self._root, self._copy = root, room / "workbook"

    def run(self, chance: random.Random, folder: Path) -> str:
        self._make_copy()
        here = folder / "here"
        self._make_files(here)
        words = self._command_line(chance)
        (folder / "command_line.txt").write_text(f"{words!r}\n", encoding="utf-8", errors="surrogateescape")
        command = [sys.executable, str(self._copy / "common/cli"), *words]
        path = f"{self._copy / 'tools'}:{os.environ['PATH']}"
        ended = run_within(_LIMITS, command, here, {**os.environ, "PATH": path, "WORKBOOK_NO_INSTALL": "1"})
        if ended.stopped:
            return f"it {ended.stopped}"
        if ended.returncode not in (0, 1, 2, 3, 4):
            return f"it ends with {ended.returncode}: {ended.output[-500:]!r}"
        if ended.returncode != 0 and not ended.output.strip():
            return f"it fails with {ended.returncode}, without a message"
        if ended.returncode == 0 and _makes_no_sense(words):
            return "it accepts nonsense: it ends with 0"
        return wrong_output(ended.output)

    def _make_copy(self) -> None:
        if self._copy.exists():
            return
        for folder in _COPIED:
            shutil.copytree(self._root / folder, self._copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(self._root / "tests", self._copy / "tests", ignore=shutil.ignore_patterns("*.cpp", "*.py", "__pycache__"))
        for file in ("CMakeLists.txt", "workbook"):
            shutil.copy2(self._root / file, self._copy)
        tools = self._copy / "tools"
        tools.mkdir()
        for tool, script in (("cmake", '[ "$1" = --version ] && echo "cmake version 3.28.1" || exit 1'), ("git", "exit 1")):
            (tools / tool).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            (tools / tool).chmod(0o755)

    def _make_files(self, here: Path) -> None:
        (here / "folder").mkdir(parents=True)
        (here / "folder.cu").mkdir()
        (here / "good.cu").write_text("#include <cuda_runtime.h>\nint main() {}\n", encoding="ascii")
        (here / "empty.cu").touch()
        (here / "binary.cu").write_bytes(bytes(range(256)) * 3)
        (here / "table.csv").write_text("exercise,seed,shapes\nch3_ex2,1,5x5\n", encoding="ascii")
        for name in ("loop.cu", "loop"):
            (here / name).symlink_to(name)
        for name in ("pipe", "pipe.cu"):
            os.mkfifo(here / name)

    def _command_line(self, chance: random.Random) -> list[str]:
        # `watch` never ends, and `doctor` runs each tool of the machine.
        commands = [name for name in COMMANDS if name not in ("watch", "doctor")]
        words = [chance.choice(commands) if chance.random() < 0.95 else nonsense(chance)]
        for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 5))):
            kind = chance.random()
            if kind < 0.45:
                words.append(chance.choice(_NAMES))
            elif kind < 0.75:
                words.append(chance.choice(_OPTIONS))
            elif kind < 0.8:
                words.append(chance.choice(_JUNK_OPTIONS))
            elif kind < 0.88:
                words.append(chance.choice(_CONTROLS))
            else:
                words.append(nonsense(chance))
        return [word.replace("\0", "") for word in words]


def _makes_no_sense(words: list[str]) -> bool:
    own = words[: words.index("--")] if "--" in words else words
    if "--help" in own or "-h" in own:
        return False
    return words[0] not in (*COMMANDS, "help") or any(word in _JUNK_OPTIONS for word in own)


