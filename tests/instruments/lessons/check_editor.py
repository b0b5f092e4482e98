"""Checks clangd's settings for editors: .clangd has every chapter, and clangd reports no error in correct files.

    check_editor.py            compares .clangd with the chapters' lists
    check_editor.py --write    writes .clangd
    check_editor.py --ask      also runs clangd on one stage and one exercise of each chapter, so it reads .clangd. In
                               the other files, tests/cli/building looks for clang's errors with the same options.

Prints the errors and exits with 1.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Chapter
from cli.workbook import Workbook

_HEAD = r"""# For clangd, which shows errors in an editor: .cu files are read as CUDA, with the simulator's headers, so it works
# without a CUDA Toolkit. All paths start at common/editor, which has the flags of every file.
# tests/instruments/lessons/check_editor.py --write writes this file from the chapters' lists.
If:
  PathMatch: .*\.cuh?
CompileFlags:
  CompilationDatabase: common/editor
  Add:
    - -xcuda
    - --cuda-device-only
    - --cuda-gpu-arch=sm_80
    - -nocudainc
    - -nocudalib
    - -Xclang
    - -fcuda-allow-variadic-functions
    - -include
    - ../simulator/translate/device_rules.h
"""
_CHAPTER = r"""---
If:
  PathMatch: (chapters|solutions|tests)/{name}/.*\.cuh?
CompileFlags:
  Add: {folders}
"""
_NEEDS_GPU = """---
# They include headers that only the CUDA Toolkit has.
If:
  PathMatch: ({files})
Diagnostics:
  Suppress: '*'
"""


def editor_settings(chapters: list[Chapter]) -> str:
    """The text of .clangd."""
    of_chapters = "".join(
        _CHAPTER.format(name=chapter.name, folders=_include_options(chapter.files.include_folders)) for chapter in chapters
    )
    files = [
        re.escape(str(program.source.relative_to(ROOT)))
        for chapter in chapters
        for program in chapter.programs
        if program.needs_gpu
    ]
    return _HEAD + of_chapters + _NEEDS_GPU.format(files="|".join(files))


def _include_options(folders: tuple[Path, ...]) -> str:
    options = [f"-I../../{folder.relative_to(ROOT)}" for folder in folders]
    return options[0] if len(options) == 1 else f"[{', '.join(options)}]"


def errors_shown(file: Path) -> list[str]:
    """The errors that clangd would show in a file."""
    command = ["clangd", f"--check={file}", "--log=error"]
    output = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False).stderr
    return [f"{file.relative_to(ROOT)}: {line}" for line in output.splitlines() if line.startswith("E[") and "] Line" in line]


def sample(chapters: list[Chapter]) -> list[Path]:
    return [one.source for chapter in chapters for kind in ("stage", "exercise") for one in chapter.of_kind(kind)[:1]]


def main(arguments: list[str]) -> int:
    chapters = Workbook(ROOT).catalogue.chapters
    file, text = ROOT / ".clangd", editor_settings(chapters)
    if "--write" in arguments:
        file.write_text(text, encoding="utf-8")
    elif not file.is_file() or file.read_text(encoding="utf-8") != text:
        print(".clangd differs from the chapters' lists: run python3 tests/instruments/lessons/check_editor.py --write")
        return 1
    if "--ask" not in arguments:
        return 0
    if not shutil.which("clangd"):
        print("clangd is not installed: no file was checked.")
        return 0
    files = sample(chapters)
    with ThreadPoolExecutor(2) as pool:
        found = [line for errors in pool.map(errors_shown, files) for line in errors]
    print("\n".join(found) or f"clangd shows no error in {len(files)} files.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
