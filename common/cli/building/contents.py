"""What files held when something was made of them or found in them, in a record that is compared with what they hold."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

_FORMAT = 1
PRECOMPILED = ".gch"  # of so many megabytes that its size and time are looked at, and not its content
# As in CMake's lists of files: what has another name does not change a build.
_LISTED = (".cu", ".cuh", ".cpp", ".h", ".hpp", ".txt", ".cmake", ".csv", ".md", ".py")


class Digests:
    """Of the contents of files and of the names in folders (paths that end in "/"), each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Empty for a file that cannot be read."""
        if path not in self._known:
            self._known[path] = _digest(path)
        return self._known[path]


def _digest(path: str) -> str:
    try:
        if path.endswith("/"):
            return _names_in(path)
        if path.endswith(PRECOMPILED):
            return identity(path)
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def _names_in(folder: str) -> str:
    if not os.path.isdir(folder):
        return "none"  # one that CMake looks for files in
    names = sorted(name for name in os.listdir(folder) if name.endswith(_LISTED) and not name.startswith("."))
    return hashlib.sha256("\n".join(names).encode(errors="surrogateescape")).hexdigest()


def identity(path: str) -> str:
    """What tells a large file, which nobody edits, from another one in its place."""
    status = os.stat(path)
    return f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"


def write_empty(file: Path) -> int:
    """Writes an empty file, and returns the time of that in nanoseconds, by the clock of the files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    return file.stat().st_ctime_ns


def note_contents(
    record: Path,
    paths: Iterable[str],
    began_ns: int,
    settings: dict[str, str],
    digests: Digests | None = None,
    products: str = "/dev/null/",
    known: dict[str, str] | None = None,
) -> None:
    """Writes down what the files hold, and the settings. Nothing is noted if one of them cannot be read, or was written
    since began_ns, so that nobody knows which content was read; but for those in the folder `products`. known: other
    files' digests, which have been compared.
    """
    digests = digests or Digests()
    paths = list(paths)
    watched = (path for path in paths if not path.startswith(products) and not path.endswith("/"))
    if any(os.stat(path).st_ctime_ns >= began_ns for path in watched):
        return
    files = {path: digests.of(path) for path in paths}
    if all(files.values()):
        text = json.dumps({"format": _FORMAT, "settings": settings, "files": {**(known or {}), **files}})
        record.write_text(text, encoding="utf-8", errors="surrogateescape")


def read_contents(record: Path, settings: dict[str, str]) -> dict[str, str] | None:
    """Each file's digest; None without a record of these settings that can be read."""
    try:
        noted = json.loads(record.read_text(encoding="utf-8", errors="surrogateescape"))
        if noted["format"] == _FORMAT and noted["settings"] == settings:
            return {str(path): str(digest) for path, digest in noted["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return None


def is_as_noted(record: Path, settings: dict[str, str]) -> bool:
    digests = Digests()
    noted = read_contents(record, settings)
    return noted is not None and all(digests.of(path) == digest for path, digest in noted.items())


def named_in(listed: str, folder: str) -> list[str]:
    """The files behind the colon of a list for make, in which paths start from `folder`. Raises OSError."""
    with open(listed, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ").partition(": ")[2]
    if "\\" in text or "$" in text:
        words = [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in re.findall(r"(?:\\.|[^\s\\])+", text)]
    else:
        words = text.split()
    return [word if word[0] == "/" and "/." not in word else os.path.normpath(os.path.join(folder, word)) for word in words]
