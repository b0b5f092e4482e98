"""Compiles the line of nvcc that each of chapters 1 to 8 shows, for the stage that it names, with warnings as errors.

Usage: check_by_hand.py [--all] [CHAPTER...]. With --all, the line also compiles each other stage of the chapter's root,
except those that need a library or more than compute capability 9.0. Needs an nvcc, and no GPU.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_LINE = re.compile(r"^nvcc -std=c\+\+17 -arch=native -I\. -I\.\./\.\. (?P<stage>\d+\w+\.cu) (?P<others>(?:.|\\\n)*?) -o \w+$", re.MULTILINE)
_STRICT = "-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror"


def stages_of(chapter: Path) -> list[str]:
    """The numbered files at the chapter's root that need nothing but the Toolkit's own headers."""
    found = sorted(chapter.glob("[0-9][0-9]*_*.cu"))
    return [file.name for file in found if "\n// Requires: " not in file.read_text(encoding="utf-8") and not file.name.startswith("00_")]


def problem_with(chapter: Path, stage: str, others: str, nvcc: str) -> str:
    """The compiler's messages; empty if it builds the stage."""
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        command = f"{nvcc} -std=c++17 -arch=sm_90 {_STRICT} -I. -I../.. {stage} {others} -o {folder}/program"
        ended = subprocess.run(["bash", "-c", command], cwd=chapter, capture_output=True, text=True, check=False)
    return "" if ended.returncode == 0 else f"{chapter.name}: {command}\n{ended.stdout}{ended.stderr}"


def main(arguments: list[str]) -> int:
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    names = [name for name in arguments if name != "--all"] or [f"ch{number}_*" for number in range(1, 9)]
    tasks, problems = [], []
    for chapter in (chapter for name in names for chapter in sorted((ROOT / "chapters").glob(name))):
        line = _LINE.search((chapter / "README.md").read_text(encoding="utf-8"))
        if not line:
            problems.append(f"chapters/{chapter.name}/README.md has no line of nvcc that builds a stage.")
            continue
        stages = [line["stage"], *(stages_of(chapter) if "--all" in arguments else [])]
        tasks += [(chapter, stage, line["others"], nvcc) for stage in dict.fromkeys(stages)]
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        problems += filter(None, executor.map(lambda task: problem_with(*task), tasks))
    print("\n".join(problems) or f"nvcc builds {len(tasks)} stages, each with one line.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
