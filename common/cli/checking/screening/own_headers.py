"""The answer's own headers: files next to it that the workbook does not have."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

HEADER_SUFFIXES = (".h", ".hpp", ".cuh")
MAX_HEADERS = 50
_MAX_BYTES = 1 << 20  # of one header
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)


def own_headers(file: Path, folders: Iterable[Path]) -> tuple[Path, ...]:
    """The headers that `file` includes, directly or indirectly, from its own folder or from folders in it.

    folders: contain the workbook's headers. If a name exists there too, it is the workbook's. Links are not followed.
    """
    base = file.parent.resolve()
    found: list[Path] = []
    for includer in _growing(base / file.name, found):
        for name in _INCLUDE.findall(includer.read_bytes().decode("utf-8", "replace")):
            header = Path(os.path.normpath(includer.parent / name))
            if header in found or ".." in Path(name).parts or not header.is_relative_to(base):
                continue
            if not any((folder / name).is_file() for folder in folders) and _is_plain_header(header):
                found.append(header)
    return tuple(found[:MAX_HEADERS])


def _growing(first: Path, found: list[Path]) -> Iterable[Path]:
    yield first
    for number in range(MAX_HEADERS):
        if number >= len(found):
            return
        yield found[number]


def _is_plain_header(path: Path) -> bool:
    try:
        status = path.lstat()
        is_reached_by_a_link = path.resolve() != path
    except (OSError, ValueError):  # an impossible file name
        return False
    is_small_file = stat.S_ISREG(status.st_mode) and status.st_size <= _MAX_BYTES
    return is_small_file and not is_reached_by_a_link and path.suffix in HEADER_SUFFIXES
