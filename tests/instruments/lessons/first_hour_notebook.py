"""docs/first_hour.ipynb: docs/first_hour.md as a notebook, in which the commands and the edits are cells that run.

    first_hour_notebook.py            compares the notebook with the page
    first_hour_notebook.py --write    writes the notebook

Prints the errors and exits with 1. The outputs are copied from the page; check_first_hour.py compares them with the
commands.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Catalogue
from cli.workbook import Workbook

PAGE = ROOT / "docs/first_hour.md"
NOTEBOOK = ROOT / "docs/first_hour.ipynb"

# The blocks that check_first_hour.py replays, and the blocks with commands that it does not replay.
_BLOCK = re.compile(r"^```(?:diff (?P<exercise>ch\d+_ex\d+)|console)\n(?P<text>.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)

_BEFORE = """\
*This is [first_hour.md](first_hour.md) as a notebook. Run the cells with a grey background from top to bottom, with
Shift and Enter. They run the commands of the page, and edit the files of the exercises. The last cell restores these
files.*
"""
_FIRST_CELL = '''\
import os
from pathlib import Path

# All commands run in the workbook's folder.
os.chdir(next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "workbook").is_file()))


def edit(file, old, new):
    """Replaces old lines by new ones."""
    text = Path(file).read_text()
    assert text.count(old) == 1, f"{file} does not have these lines once; ./workbook reset {file} restores the file"
    Path(file).write_text(text.replace(old, new))
'''
_AFTER = "## Restore the files\n\nYour own files are kept next to them, and the solved exercises in `progress.csv`.\n"


def notebook(page: str, catalogue: Catalogue) -> dict[str, object]:
    """The notebook in Jupyter's format 4.5."""
    cells = [_words(_BEFORE), _code(_FIRST_CELL), *_cells_of(page, catalogue), _words(_AFTER)]
    edited = dict.fromkeys(block["exercise"] for block in _BLOCK.finditer(page) if block["exercise"])
    cells.append(_code("\n".join(f"!./workbook reset {exercise}" for exercise in edited)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells_of(page: str, catalogue: Catalogue) -> Iterator[dict[str, object]]:
    end = 0
    for block in _BLOCK.finditer(page):
        yield from _words_if_any(page[end : block.start()])
        end = block.end()
        if block["exercise"]:
            yield _code(_edit(block["exercise"], block["text"], catalogue))
        else:
            for found in _COMMAND.finditer(block["text"]):
                yield _code(f"!{found['command']}", found["output"].rstrip("\n"))
    yield from _words_if_any(page[end:])


def _edit(exercise: str, diff: str, catalogue: Catalogue) -> str:
    lines = diff.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    file = catalogue.find_program(exercise).source.relative_to(ROOT)
    return f'edit("{file}", {_quoted(old)}, {_quoted(new)})'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\\\n{escaped}"""'


def _words_if_any(text: str) -> Iterator[dict[str, object]]:
    if text.strip():
        yield _words(text)


def _words(text: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(text: str, output: str = "") -> dict[str, object]:
    shown = [{"name": "stdout", "output_type": "stream", "text": _lines(output)}] if output else []
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": shown, "source": _lines(text)}


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    made = notebook(PAGE.read_text(encoding="utf-8"), Workbook(ROOT).catalogue)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if arguments:
        NOTEBOOK.write_text(text, encoding="utf-8")
    elif not NOTEBOOK.is_file() or NOTEBOOK.read_text(encoding="utf-8") != text:
        print(f"{NOTEBOOK} differs from {PAGE.name}. Update it: python3 {Path(__file__).relative_to(ROOT)} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
