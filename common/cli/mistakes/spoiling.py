"""A stage or a solution with a bug of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

from cli.chapter_files import ChapterFiles
from cli.mistakes.catalogue import Edit, Mistake

_SOLUTIONS = "solutions/"


def spoiled_file(mistake: Mistake, root: Path) -> Path:
    """The path of the stage or the solution that the bug changes; root is the workbook's folder."""
    files = ChapterFiles(root, mistake.chapter)
    if mistake.spoiled.startswith(_SOLUTIONS):
        return files.solutions / mistake.spoiled[len(_SOLUTIONS) :]
    return files.folder / mistake.spoiled


def text_file(mistake: Mistake, root: Path) -> Path:
    """The file whose lines, changed or not, `spoiled_source` returns."""
    return mistake.catalogue.parent / mistake.whole_file if mistake.whole_file else spoiled_file(mistake, root)


def spoiled_source(mistake: Mistake, root: Path) -> str:
    """The text of the file with the bug; root is the workbook's folder.

    Raises CatalogueError if the file does not exist, or if an edit does not apply to it.
    """
    source = spoiled_file(mistake, root)
    if not source.is_file():
        raise mistake.error(f"there is no {source.relative_to(root)}. Was it renamed?")
    original = _read(source, mistake)
    if mistake.whole_file:
        text = _read(text_file(mistake, root), mistake)
        if text == original:
            raise mistake.error(f"{mistake.whole_file} is the same as {mistake.spoiled}.")
        return text
    lines = original.splitlines()
    stripped = [line.rstrip() for line in lines]
    if all(edit.is_part for edit in mistake.edits):
        return _with_parts_changed(original, mistake)
    places = [(_place(edit, stripped, mistake), edit) for edit in mistake.edits]
    places.sort(key=lambda found: found[0])
    for (place, edit), (next_place, next_edit) in zip(places, places[1:]):
        if place + len(edit.old) > next_place:
            raise mistake.error("two edits change the same lines: combine them.", next_edit.line)
    for place, edit in reversed(places):
        lines[place : place + len(edit.old)] = edit.new
    return "\n".join(lines) + "\n"


def _with_parts_changed(text: str, mistake: Mistake) -> str:
    places = []
    for edit in mistake.edits:
        (old,), (new,) = edit.old, edit.new
        found = list(re.finditer(r"\s+".join(map(re.escape, old.split())), text))
        if len(found) != 1:
            raise mistake.error(f"`{old}` occurs {len(found)} times in {mistake.spoiled}, and it must occur once.")
        places.append((*found[0].span(), new))
    for begin, end, new in sorted(places, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def _read(file: Path, mistake: Mistake) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise mistake.error(f"{file} cannot be read: {error}.") from error


def _place(edit: Edit, lines: list[str], mistake: Mistake) -> int:
    """The index of the first line that the edit finds."""
    old = list(edit.old)
    places = [n for n in range(len(lines) - len(old) + 1) if lines[n : n + len(old)] == old]
    if len(places) == 1:
        return places[0]
    if places:
        found = ", ".join(str(place + 1) for place in places)
        raise mistake.error(
            f"the lines to find occur {len(places)} times in {mistake.spoiled}, at lines {found}. "
            "Add a line before or after them.",
            edit.line,
        )
    missing = next((line for line in old if line.strip() and line not in lines), "")
    what = f"the line '{missing.strip()}' is not" if missing else "the lines to find are not adjacent"
    raise mistake.error(
        f"the edit does not apply: {what} in {mistake.spoiled}. If the file has changed, change the edit in the same way.",
        edit.line,
    )
