"""Reading the workbook's pages, and what a rule of check.py finds in them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"^(?P<fence>`{3,}|~~~)(?P<kind>\w*)(?: (?P<file>\S+))?[^\n]*\n(?P<text>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<text>.+?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Rewritten:
    """A file with the text that it must have, which --write writes."""

    file: Path
    text: str


class CannotCheck(Exception):
    """Why this machine, or this copy of the workbook, cannot be checked by a rule."""


Found = Iterator["str | Rewritten"]  # messages


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def lessons(root: Path) -> list[Path]:
    """Raises ValueError without any, so that no rule passes because it reads nothing."""
    found = sorted([*root.glob("chapters/*/README.md"), *root.glob("chapters/*/ADVANCED.md")])
    if not found:
        raise ValueError(f"{root} has no lesson.")
    return found


def pages(root: Path) -> list[Path]:
    """The lessons and all other pages for readers."""
    others = ("*.md", "docs/*.md", "docs/*/*.md", "chapters/*/lesson/*.md", "common/*/README.md", "common/*/*/README.md")
    return [*lessons(root), *sorted(page for pattern in others for page in root.glob(pattern))]


def tracked(root: Path) -> list[Path]:
    """The files of git, relative to the root. Raises CannotCheck in a copy without git, ValueError without files."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotCheck(f"git cannot list the files: {error}") from error
    found = [Path(name) for name in listed.split("\0") if name and (root / name).is_file()]
    if not found:
        raise ValueError(f"git has no file of {root}.")
    return found


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def blank(found: re.Match[str]) -> str:
    """Empty lines instead of the text, so that later lines keep their numbers."""
    return "\n" * found[0].count("\n")


def _anchored(page: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Each heading outside of fences, with its anchor as repository hosts generate it."""
    outside = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), page)
    known: set[str] = set()
    for heading in _HEADING.finditer(outside):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["text"]).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = 0
        while (numbered := f"{anchor}-{number}" if number else anchor) in known:
            number += 1
        known.add(numbered)
        yield numbered, heading


def anchors(page: str) -> list[str]:
    return [anchor for anchor, _ in _anchored(page)]


def section(page: str, wanted: str) -> str:
    """From the heading with this anchor to the next heading of its level or above. Raises ValueError if missing."""
    headings = list(_anchored(page))
    for number, (anchor, heading) in enumerate(headings):
        if anchor == wanted:
            ends = (other.start() for _, other in headings[number + 1 :] if len(other["marks"]) <= len(heading["marks"]))
            return page[heading.start() : next(ends, len(page))]
    raise ValueError(f"no heading has the anchor {wanted}")


def replayed(console: str, output_of: Callable[[str], "str | None"]) -> str:
    """The text of a console block with the real output of each command; None for a command that is not replayed."""
    parts = []
    for part in re.split(r"^(?=\$ )", console, flags=re.MULTILINE):
        command = part.split("\n", 1)[0]
        output = output_of(command[2:]) if command.startswith("$ ") else None
        if output is not None:
            shown = output.strip("\n").rstrip()
            part = f"{command}\n{shown}{chr(10) if shown else ''}{chr(10) if part.endswith(chr(10) * 2) else ''}"
        parts.append(part)
    return "".join(parts)
