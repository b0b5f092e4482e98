"""The text of a page in a class's copy: without the parts about reference answers, and without links to missing files.

Three things are left out: the text between <!-- answers --> and <!-- /answers -->; lines of code and rows of tables
that name a program of a reference answer or a command that needs one; a notebook's cells with the tag "answers". A link
to a file that the copy lacks becomes its text.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable

_MARKED = re.compile(r"\n?[ ]*<!-- answers -->.*?<!-- /answers -->", re.DOTALL)
_MARKED_BLOCK = re.compile(r"^<!-- answers -->\n.*?^<!-- /answers -->\n\n?", re.DOTALL | re.MULTILINE)
_NEEDS_ANSWERS = re.compile(r"(project_\w+|ch\d+_ex\d+)_(solution|second)\b|\./workbook (compare|grade) ?")
_FENCED = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]+)\)")


def page_for_students(text: str, name: str, is_missing: Callable[[str], bool]) -> str:
    """A Markdown page. name: its path in the workbook; is_missing: whether the copy lacks this file or folder."""

    def linked(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[2].partition("#")[0]))
        return link[1] if is_missing(path) else link[0]

    text = _MARKED.sub("", _MARKED_BLOCK.sub("", text))
    parts = _FENCED.split(text)  # every second part is code
    prose = [_without(part, "|") for part in parts[::2]]
    parts[::2] = [_LINK.sub(linked, part) for part in prose]
    parts[1::2] = [_without(part, "") for part in parts[1::2]]
    return "".join(parts)


def _without(text: str, beginning: str) -> str:
    """The text without lines that begin so and need reference answers."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not (line.startswith(beginning) and _NEEDS_ANSWERS.search(line)))


def notebook_for_students(text: str) -> str:
    notebook = json.loads(text)
    notebook["cells"] = [cell for cell in notebook["cells"] if "answers" not in cell["metadata"].get("tags", ())]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
