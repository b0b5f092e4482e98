"""Records of the contents of files at the time of a build or a check, to find out whether they have changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

_FORMAT = 1
_RECORDS = "CMakeFiles/workbook"  # `cmake --fresh` removes it


def record_in(tree: Path, name: str) -> Path:
    return tree / _RECORDS / f"{name}.json"


class Digests:
    """Digests of the contents of files; each file is read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The digest of a file; empty if it cannot be read."""
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
    """Identifies a large file that is never edited, by its path, size and time."""
    status = os.stat(path)
    return f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"


def write_empty(file: Path) -> int:
    """Writes an empty file and returns its time in nanoseconds, by the clock of the file system."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    return file.stat().st_ctime_ns


def note_contents(record: Path, paths: Iterable[str], began_ns: int, settings: dict[str, str]) -> None:
    """Records the contents of the files, and the settings. Records nothing if a file cannot be read, or was written
    after began_ns, because then it is not known which contents were used. Raises OSError for a missing file.
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
    """Whether there is a record with these settings, and the contents of all its files are unchanged."""
    digests = Digests()
    try:
        noted = json.loads(record.read_text(encoding="utf-8", errors="surrogateescape"))
        is_known = noted["format"] == _FORMAT and noted["settings"] == settings
        return is_known and all(digests.of(path) == digest for path, digest in noted["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def named_in(listed: str, folder: str) -> list[str]:
    """The files after the colon in a compiler's dependency file; paths are relative to `folder`. Raises OSError."""
    with open(listed, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ").partition(": ")[2]
    words = [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in re.findall(r"(?:\\.|[^\s\\])+", text)]
    return [os.path.normpath(os.path.join(folder, word)) for word in words]
