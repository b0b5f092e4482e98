"""Removing a folder that a stranger's program has filled: of any depth, with any modes, and with no link followed."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Removes a folder and all in it, or nothing where there is none. Raises OSError for what cannot be removed.

    Paths in it may be longer than the system takes. So what lies in a folder's folders is moved up to it, level by
    level: no path is longer than one name, and no recursion is deeper than one call.
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
    """`moved` folders have been moved up so far; returns how many have been then."""
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
            os.chmod(entry, 0o700, dir_fd=inner)  # a folder that is moved changes its "..", which is in it
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
