"""What files held when something was made of them or found in them, in a record that is compared with what they hold."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

_FORMAT = 1
_RECORDS = "CMakeFiles/workbook"  # what `cmake --fresh` removes


def record_in(tree: Path, name: str) -> Path:
    return tree / _RECORDS / f"{name}.json"


class Digests:
    """Of the contents of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Empty for a file that cannot be read."""
        if path not in self._known:
            self._known[path] = _digest(path)
        return self._known[path]


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def identity(path: str) -> str:
    """What tells a large file, which nobody edits, from another one in its place."""
    status = os.stat(path)
    return f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"


def write_empty(file: Path) -> int:
    """Writes an empty file, and returns the time of that in nanoseconds, by the clock of the files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    return file.stat().st_ctime_ns


def note_contents(record: Path, paths: Iterable[str], began_ns: int, settings: dict[str, str]) -> None:
    """Writes down what the files hold, and the settings. Nothing is noted if one of them cannot be read, or was written
    since began_ns, so that nobody knows which content was read. Raises OSError for a file that is gone.
    """
    digests = Digests()
    paths = list(paths)
    if any(os.stat(path).st_ctime_ns >= began_ns for path in paths):
        return
    files = {path: digests.of(path) for path in paths}
    if all(files.values()):
        text = json.dumps({"format": _FORMAT, "settings": settings, "files": files})
        record.write_text(text, encoding="utf-8", errors="surrogateescape")


def is_as_noted(record: Path, settings: dict[str, str]) -> bool:
    """Whether there is a record of these settings, and all of its files hold what they held."""
    digests = Digests()
    try:
        noted = json.loads(record.read_text(encoding="utf-8", errors="surrogateescape"))
        is_known = noted["format"] == _FORMAT and noted["settings"] == settings
        return is_known and all(digests.of(path) == digest for path, digest in noted["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def named_in(listed: str, folder: str) -> list[str]:
    """The files that a compiler's list of what it read names behind the colon; paths start from `folder`. Raises OSError."""
    with open(listed, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ").partition(": ")[2]
    words = [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in re.findall(r"(?:\\.|[^\s\\])+", text)]
    return [os.path.normpath(os.path.join(folder, word)) for word in words]
