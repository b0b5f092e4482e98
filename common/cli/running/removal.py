"""Removing a folder that an untrusted program has filled: with any depth and any modes, and without following links."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Removes a folder and its content, if it exists. Raises OSError if something cannot be removed.

    Paths in the folder can be longer than the system allows. So the content of subfolders is moved up to the top, level
    by level: every path has only one name, and there is no recursion.
    """
    try:
        os.chmod(folder, 0o700)
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        moved = 0
        while True:
            names = os.listdir(top)
            if not names:
                break
            for name in names:
                moved = _remove_entry(top, name, moved)
    finally:
        os.close(top)
    os.rmdir(folder)


def _remove_entry(top: int, name: str, moved: int) -> int:
    """Removes one entry, and moves its subfolders up. `moved` is the number of moved folders; returns the new number."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
        os.unlink(name, dir_fd=top)
        return moved
    os.chmod(name, 0o700, dir_fd=top)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for entry in os.listdir(inner):
            if not stat.S_ISDIR(os.lstat(entry, dir_fd=inner).st_mode):
                os.unlink(entry, dir_fd=inner)
                continue
            os.chmod(entry, 0o700, dir_fd=inner)  # moving a folder writes to it, because its ".." changes
            while _is_there(f"moved-up-{moved}", top):
                moved += 1
            os.rename(entry, f"moved-up-{moved}", src_dir_fd=inner, dst_dir_fd=top)
            moved += 1
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)
    return moved


def _is_there(name: str, folder: int) -> bool:
    try:
        os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True
