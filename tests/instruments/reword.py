#!/usr/bin/env python3
"""Checks that no part of the workbook depends on the wording of another part's messages.

    python3 tests/instruments/reword.py [CHAPTER...]      for all chapters, or for `ch3_transpose` and so on

In a copy of the tracked files, build/reworded/, each sentence of the simulator and of the chapters' tests gets marks
between its words. There the tests must reject the same bugs and unsolved exercises as before, for the same reasons.
Tests that compare whole texts for a reader are not run, because these texts change with the words.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "reworded"
_REWORDED = re.compile(
    r"common/simulator/(execution|nccl|runtime|trace)/.*\.(cpp|h)|tests/(ch\d+_\w+|projects|support)/[^/]*\.(cpp|h)"
)
_COMMENT, _STRING = r"//[^\n]*|/\*.*?\*/", r'"(?:\\.|[^"\\\n])*"'
_TOKEN = re.compile(rf"{_COMMENT}|R\"\(.*?\)\"|'(?:\\.|[^'\\\n])+'|(?P<compared>find\(\s*)?(?P<string>{_STRING})", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?<!%[a-z])(?<!%[a-z]{2}) (?=[a-z])")
_MARK = " ~ "
_NO_SENTENCE = re.compile(r'\b[a-z]+=|^"\^|on the CPU"$')  # a fact, a pattern, the device's name


def reworded(source: str) -> str:
    """C++ with marks between the words of its sentences. Facts and strings that are searched for stay unchanged."""

    def replaced(found: re.Match[str]) -> str:
        text = found["string"]
        if text is None or found["compared"] or _NO_SENTENCE.search(text):
            return found[0]
        return _BETWEEN_WORDS.sub(_MARK, text)

    return _TOKEN.sub(replaced, source)


def make_copy() -> int:
    """Returns the number of reworded files. An unchanged file keeps its time, so that little is built again."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout
    count = 0
    for name in filter(None, listed.decode().split("\0")):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        data = source.read_bytes()
        if _REWORDED.fullmatch(name):
            before, data = data, reworded(data.decode()).encode()
            count += data != before
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(source, target)
    return count


def main(chapters: list[str]) -> int:
    print(f"{make_copy()} files are reworded in {COPY}.", flush=True)
    tests = rf"^({'|'.join(chapters) or 'ch[0-9]+_'}).*[._](mistakes|unsolved)$"
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    build = COPY / "build-simulator"
    subprocess.run(["cmake", "--preset", "simulator", "-DWORKBOOK_MAINTAINER=ON"], cwd=COPY, check=True)
    listed = subprocess.run(["ctest", "-N", "-V", "-R", tests], cwd=build, capture_output=True, text=True, check=True).stdout
    programs = sorted(set(re.findall(rf"{re.escape(str(build))}/(bin/\w+)", listed)))
    subprocess.run(["cmake", "--build", str(build), "-j", jobs, "--target", *programs], check=True)
    return subprocess.run(["ctest", "-j", jobs, "--output-on-failure", "-R", tests], cwd=build, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
