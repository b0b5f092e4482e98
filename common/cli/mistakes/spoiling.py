"""A stage or a solution with a bug of the catalogue."""

from __future__ import annotations

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
    places = sorted([(_place(edit, original, mistake), edit) for edit in mistake.edits], key=lambda found: found[0])
    for ((_, end), _), ((begin, _), edit) in zip(places, places[1:]):
        if end > begin:
            raise mistake.error("two edits change the same text: combine them.", edit.line)
    text = original
    for (begin, end), edit in reversed(places):
        text = text[:begin] + edit.new + text[end:]
    return text


def _read(file: Path, mistake: Mistake) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise mistake.error(f"{file} cannot be read: {error}.") from error


def _place(edit: Edit, text: str, mistake: Mistake) -> tuple[int, int]:
    """The begin and the end of the text that the edit finds."""
    places = [found.span() for found in edit.place.finditer(text)]
    if len(places) == 1:
        return places[0]
    if places:
        lines = ", ".join(str(text.count("\n", 0, begin) + 1) for begin, _ in places)
        raise mistake.error(
            f"the text to find occurs {len(places)} times in {mistake.spoiled}, at lines {lines}. "
            "Add what is before or after it.",
            edit.line,
        )
    lines = [line.rstrip() for line in text.splitlines()]
    missing = next((line for line in edit.old.splitlines() if line.strip() and line not in lines), "")
    what = f"'{missing.strip()}' is not" if missing else "the lines to find are not adjacent"
    raise mistake.error(
        f"the edit does not apply: {what} in {mistake.spoiled}. If the file has changed, change the edit in the same way.",
        edit.line,
    )
