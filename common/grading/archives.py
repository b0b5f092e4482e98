"""Zip files that students hand in: only source files are unpacked, within limits."""

from __future__ import annotations

import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cli.checking.screening.own_headers import HEADER_SUFFIXES
from cli.errors import WorkbookError
from cli.running.isolated import Share, call_isolated

SOURCE_SUFFIXES = (".cu", *HEADER_SUFFIXES)
# Folders of a student's copy of the workbook that the student did not write.
NOT_THEIRS = ("solutions", "tests", ".git", "__MACOSX")
MAX_SOURCE_BYTES = 1 << 20
MAX_DEPTH = 50
_SHARE = Share(cpu_s=60, memory_bytes=2 << 30)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others can need gigabytes of memory


@dataclass(frozen=True)
class ZipLimits:
    archive_bytes: int = 256 << 20
    entries: int = 50_000
    unpacked_bytes: int = 16 << 20
    file_bytes: int = MAX_SOURCE_BYTES
    suffixes: tuple[str, ...] = SOURCE_SUFFIXES


def is_theirs(folder: str) -> bool:
    """Whether a folder of this name can contain a student's own work."""
    return folder not in NOT_THEIRS and not folder.startswith("build")


def unpack(archive: Path, into: Path, limits: ZipLimits = ZipLimits()) -> list[str]:
    """Unpacks the files with the suffixes of `limits` into an empty folder. Returns the names of the other files.

    The sizes that the archive states are not trusted: at most `file_bytes` of one file are decompressed, and at most
    `unpacked_bytes` of all. Raises WorkbookError, and leaves an incomplete folder, if the archive exceeds a limit,
    cannot be read, or has an entry that would be written outside the folder.
    """
    status = archive.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise WorkbookError("it is a link or a device, not a file")
    if status.st_size > limits.archive_bytes:
        raise WorkbookError(f"it has {status.st_size >> 20} MiB; at most {limits.archive_bytes >> 20} MiB are unpacked")
    return call_isolated(lambda: _unpack(archive, into, limits), _SHARE)


def _unpack(archive: Path, into: Path, limits: ZipLimits) -> list[str]:
    left_out, room = [], limits.unpacked_bytes
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
            if len(entries) > limits.entries:
                raise WorkbookError(f"it has {len(entries)} entries; at most {limits.entries} are unpacked")
            # All names are checked first: of an archive with a wrong name nothing is used.
            for entry, name in [(entry, _safe_name(entry.filename)) for entry in entries]:
                if entry.is_dir() or not all(map(is_theirs, name.parts[:-1])):
                    continue
                if name.suffix.lower() not in limits.suffixes:
                    left_out.append(str(name))
                    continue
                content = _content(opened, entry, min(room, limits.file_bytes))
                room -= len(content)
                (into / name).parent.mkdir(parents=True, exist_ok=True)
                (into / name).write_bytes(content)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise WorkbookError(f"it cannot be read ({error})") from error
    return left_out


def _content(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise WorkbookError(f"its entry '{entry.filename}' is a link")
    if entry.flag_bits & 1:
        raise WorkbookError("it has a password")
    if entry.compress_type not in _METHODS:
        raise WorkbookError(f"'{entry.filename}' is compressed with a method other than the usual one (deflate)")
    with opened.open(entry) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise WorkbookError(f"'{entry.filename}' is too large: it has over {most} bytes when it is unpacked")
    return content


def _safe_name(name: str) -> PurePosixPath:
    """An entry's name in the folder. Raises WorkbookError if it would be outside the folder, or is too deep."""
    path = PurePosixPath(name.replace("\\", "/"))  # some programs on Windows write \
    if path.is_absolute() or ".." in path.parts or (path.parts and path.parts[0].endswith(":")):
        raise WorkbookError(f"its entry '{name}' would be written outside its folder")
    if len(path.parts) > MAX_DEPTH:
        raise WorkbookError(f"it has folders over {MAX_DEPTH} deep")
    return path
