"""Brings a learner's clone to the newest version of its repository, without losing any of the learner's work.

A file that the learner has not changed becomes the new one. An exercise that the learner has changed stays, and the new
starter is written next to it. Any other changed file gets the new lines in addition to the learner's or, if both
changed the same lines, is backed up and replaced. The history is joined last. So a call after an interruption finds the
same differences, and continues.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from cli.exercises.backups import back_up, keep_beside
from cli.exercises.clone import NO_FILE, Change, Clone
from cli.exercises.starters import blob_hash
from cli.old_names import TABLE, parse_old_names
from cli.running.children import temporary_folder
from cli.workbook import PROGRESS

_EXERCISE = re.compile(r"chapters/(?:(ch\d+)_[^/]+/(ex\d+)_|(project)s/)([^/]+)\.cu")
_STAGE = re.compile(r"chapters/([^/]+)/(?:baselines/|([^/]+)/)?(?:\d+[a-z]?_)?([^/]+)\.cu")


@dataclass
class Updated:
    """The effects of an update; all names are paths in the workbook."""

    subjects: list[str] = field(default_factory=list)  # the first lines of the new commits' messages, newest first
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)  # a learner's file: its old and its new name
    kept: list[tuple[str, str]] = field(default_factory=list)  # a learner's exercise, and its new starter
    replaced: list[tuple[str, str]] = field(default_factory=list)  # a file, and the backup of the learner's version
    obsolete: list[tuple[str, str]] = field(default_factory=list)  # not in the new version: the file, and its backup


def update(clone: Clone, newest: str) -> Updated:
    """Raises WorkbookError if git fails, OSError if a file cannot be written; a second call then continues."""
    original = clone.original(newest)
    changes = [change for change in clone.changes(original, newest) if change.path != PROGRESS]
    done = Updated(clone.git("log", "--format=%s", f"{original}..{newest}").splitlines())
    committed = clone.hashes("HEAD")
    entries = []
    moves = _moves(changes, clone)
    old_paths = {change.path for change in moves.values()}
    for change in changes:
        if change.path not in old_paths:
            entries += _bring(change, moves.get(change.path, change), committed, clone, done)
    clone.join(newest, entries)
    return done


def target_of(path: str) -> str:
    """The target of an exercise or a stage, such as ch3_ex2; empty for any other file."""
    exercise = _EXERCISE.fullmatch(path)
    if exercise:
        return f"project_{exercise[4]}" if exercise[3] else f"{exercise[1]}_{exercise[2]}"
    stage = _STAGE.fullmatch(path)
    return "_".join(filter(None, stage.groups())) if stage else ""


def is_exercise(path: str) -> bool:
    return bool(_EXERCISE.fullmatch(path))


def _moves(changes: list[Change], clone: Clone) -> dict[str, Change]:
    """The change that removes the old file of a renamed program, by the new file's path."""
    table = next((one.new for one in changes if one.path == TABLE), clone.hashes("HEAD").get(TABLE, NO_FILE))
    now_called = parse_old_names(clone.content(table).decode(errors="replace")) if table != NO_FILE else {}
    gone = {target_of(one.path): one for one in changes if one.new == NO_FILE}
    gone = {now_called.get(target, target): one for target, one in gone.items() if target}
    added = {one.path: target_of(one.path) for one in changes if one.old == NO_FILE}
    return {path: gone[target] for path, target in added.items() if target in gone}


def _bring(
    change: Change, source: Change, committed: dict[str, str], clone: Clone, done: Updated
) -> list[tuple[str, str, str]]:
    """Brings one file up to date, and returns its entries in the joined version.

    source: the change of the file's old path if it was renamed, otherwise `change`.
    """
    file, old_file = clone.root / change.path, clone.root / source.path
    entries = []
    if source is not change:
        if old_file.is_file() and not file.exists() and not _has(old_file, source.old):
            old_file.rename(file)
            done.moved.append((source.path, change.path))
        elif _has(old_file, source.old):
            old_file.unlink()
        entries.append((change.mode, NO_FILE, source.path))
    if change.new == NO_FILE:
        _remove(file, change, clone, done)
        return [*entries, (change.mode, NO_FILE, change.path)]
    if not file.exists() or _has(file, source.old) or _has(file, change.new):
        _write_new(file, change, clone, done)
    elif not is_exercise(change.path):
        _merge(file, source.old, change, clone, done)
    elif source.old != change.new:
        starter = keep_beside(file, "starter", clone.content(change.new))
        done.kept.append((change.path, str(starter.relative_to(clone.root))))
    blob = committed.get(source.path, committed.get(change.path, NO_FILE))
    if blob in (NO_FILE, source.old, change.new) or not file.is_file():
        blob = change.new
    elif not is_exercise(change.path):
        blob = clone.store(file)
    return [*entries, (change.mode, blob, change.path)]


def _has(file: Path, blob: str) -> bool:
    """Whether a file exists and has this content; Windows line ends do not count."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    exact = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return blob in (exact, blob_hash(content))


def _remove(file: Path, change: Change, clone: Clone, done: Updated) -> None:
    """Removes a file. The learner's version of it gets the name of a backup, because CMake refuses an unknown source."""
    if _has(file, change.old):
        file.unlink()
        done.removed.append(change.path)
    elif file.is_file():
        backup = back_up(file, "backup")
        file.unlink()
        done.obsolete.append((change.path, str(backup.relative_to(clone.root))))


def _write_new(file: Path, change: Change, clone: Clone, done: Updated) -> None:
    is_program = change.mode == "100755"
    if not _has(file, change.new) or os.access(file, os.X_OK) != is_program:
        _write(file, clone.content(change.new), is_program)
        (done.new if change.old == NO_FILE else done.changed).append(change.path)


def _write(file: Path, content: bytes, is_program: bool) -> None:
    """Replaces a file in one step, because a half-written file would look like the learner's work."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.update")
    temporary.write_bytes(content)
    if is_program:
        temporary.chmod(0o755)
    os.replace(temporary, file)


def _merge(file: Path, old: str, change: Change, clone: Clone, done: Updated) -> None:
    """Joins the learner's lines with the new ones. If that is impossible, backs up the file and replaces it."""
    with temporary_folder() as folder:
        ours, before, after = (folder / name for name in ("ours", "before", "after"))
        shutil.copyfile(file, ours)
        before.write_bytes(clone.content(old) if old != NO_FILE else b"")
        after.write_bytes(clone.content(change.new))
        command = ["git", "merge-file", "-q", "-p", str(ours), str(before), str(after)]
        merged = subprocess.run(command, capture_output=True, check=False)
    is_program = change.mode == "100755"
    if merged.returncode == 0 and old != NO_FILE:
        _write(file, merged.stdout, is_program)
        done.changed.append(change.path)
    else:
        backup = back_up(file, "backup")
        _write(file, clone.content(change.new), is_program)
        done.replaced.append((change.path, str(backup.relative_to(clone.root))))
