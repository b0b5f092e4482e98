"""Rules about settings.

editor: .clangd has every chapter. clangd reads it, and reports no error in one stage and one exercise of each chapter;
in the other files, tests/cli/building looks for clang's errors with the same options.

address: the notebook's first cell, the badges and the lines `git clone` have the address where the workbook is
published. That is the line `repository-code: https://...` of CITATION.cff. Without it, and for an address that is not
on GitHub, there are no badges: Colab and Codespaces open repositories of GitHub alone. Without it the lines `git clone`
have UNKNOWN.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cli.workbook import Workbook
from pages import Found, Rewritten, read

NOTEBOOK = Path("docs/start.ipynb")
UNKNOWN = "<address of this repository>"

_SETTING = re.compile(r'^repository-code: *"?(https://[^"\s]+?)(?:\.git)?/?"?$', re.MULTILINE)
_ADDRESS = re.compile(r'(?<=ADDRESS = \\").*?(?=\\")')
_CLONE = re.compile(r"(?<=^git clone ).*(?= workbook$)", re.MULTILINE)
_BADGES = re.compile(r"(?<=<!-- badges:begin -->\n).*?(?=<!-- badges:end -->)", re.DOTALL)
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
_NOTEBOOK_IN_CLONE = "blob/main/docs/start.ipynb"

_HEAD = r"""# For clangd, which shows errors in an editor: .cu files are read as CUDA, with the simulator's headers, so it works
# without a CUDA Toolkit. All paths start at common/editor, which has the flags of every file.
# tests/instruments/lessons/check.py editor --write writes this file from the chapters' lists.
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


def address_of(setting: str) -> str:
    """Empty without the line."""
    found = _SETTING.search(setting)
    return found[1] if found else ""


def badges(address: str) -> str:
    """The lines between the marks of the page."""
    repository = _GITHUB.fullmatch(address)
    if not repository:
        return ""
    colab = f"https://colab.research.google.com/github/{repository[1]}/{_NOTEBOOK_IN_CLONE}"
    return (
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})\n"
        f"[![Open in Codespaces](https://github.com/codespaces/badge.svg)](https://codespaces.new/{repository[1]})\n"
    )


def with_address(text: str, address: str) -> str:
    """The text of the notebook or of a page, with this address."""
    text = _ADDRESS.sub(lambda _: address, text)
    return _CLONE.sub(lambda _: address or UNKNOWN, _BADGES.sub(lambda _: badges(address), text))


def address(workbook: Workbook) -> Found:
    wanted = address_of(read(workbook.root / "CITATION.cff"))
    for file in (NOTEBOOK, "docs/setup.md", "README.md"):
        yield Rewritten(workbook.root / file, with_address(read(workbook.root / file), wanted))


def editor_settings(workbook: Workbook) -> str:
    """The text of .clangd."""
    chapters, root = workbook.catalogue.chapters, workbook.root
    of_chapters = ""
    for chapter in chapters:
        options = [f"-I../../{folder.relative_to(root)}" for folder in chapter.files.include_folders]
        of_chapters += _CHAPTER.format(name=chapter.name, folders=options[0] if len(options) == 1 else f"[{', '.join(options)}]")
    programs = [program for chapter in chapters for program in chapter.programs if program.needs_gpu]
    files = "|".join(re.escape(str(program.source.relative_to(root))) for program in programs)
    return _HEAD + of_chapters + _NEEDS_GPU.format(files=files)


def errors_shown(file: Path) -> list[str]:
    """The errors that clangd would show in a file."""
    command = ["clangd", f"--check={file}", "--log=error"]
    output = subprocess.run(command, cwd=file.parent, stderr=subprocess.PIPE, text=True, check=False).stderr
    return [f"{file}: {line}" for line in output.splitlines() if line.startswith("E[") and "] Line" in line]


def editor(workbook: Workbook) -> Found:
    yield Rewritten(workbook.root / ".clangd", editor_settings(workbook))
    if not shutil.which("clangd"):
        print("clangd is not installed: no file was checked.")
        return
    chapters = workbook.catalogue.chapters
    files = [one.source for chapter in chapters for kind in ("stage", "exercise") for one in chapter.of_kind(kind)[:1]]
    with ThreadPoolExecutor(2) as pool:
        yield from (line for errors in pool.map(errors_shown, files) for line in errors)
