"""Control groups (cgroups, version 2): the kernel counts the memory and the processes of a program and its children.

A group can be made if this process's user owns the group around it, as in a login session of systemd, and if memory and
processes are counted there. Elsewhere there is no group, and the caller has to measure.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NEEDED = {"memory", "pids"}
_PREFIX = "workbook-"
_REMOVAL_S = 5.0


@dataclass(frozen=True)
class ControlGroup:
    folder: Path

    @property
    def members(self) -> Path:
        """The file into which a process writes its PID to be counted here, with all processes that it starts."""
        return self.folder / "cgroup.procs"

    def ran_out_of_memory(self) -> bool:
        return bool(re.search(r"^oom_kill [1-9]", (self.folder / "memory.events").read_text(), re.MULTILINE))


def place_for_groups(
    processes: Path = Path("/proc/self/cgroup"), mounts: Path = Path("/proc/self/mounts")
) -> Path | None:
    """The folder in which groups can be made that count memory and processes; None if there is no such folder."""
    try:
        own = re.search(r"^0::(/.*)$", processes.read_text(encoding="utf-8"), re.MULTILINE)
        mounted = re.search(r"^\S+ (\S+) cgroup2 ", mounts.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    if not own or not mounted:
        return None
    root = Path(mounted[1])
    here = root / own[1].lstrip("/")
    # A group that contains processes, such as ours, cannot delegate to groups in it; its parent group can.
    return next((folder for folder in (here, here.parent) if _counts(folder, root)), None)


def _counts(folder: Path, root: Path) -> bool:
    if folder != root and root not in folder.parents:
        return False
    try:
        lent = set((folder / "cgroup.subtree_control").read_text(encoding="utf-8").split())
    except OSError:
        return False
    return lent >= _NEEDED and os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


@contextlib.contextmanager
def control_group(place: Path, memory_bytes: int, processes: int) -> Iterator[ControlGroup]:
    """A new group with limits; all its processes end with the block. Raises OSError if it cannot be made."""
    _remove_abandoned(place)
    folder = place / f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
    folder.mkdir()
    try:
        (folder / "memory.max").write_text(str(memory_bytes))
        (folder / "pids.max").write_text(str(processes))
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            with contextlib.suppress(OSError):  # kernels without swap, or before 4.19
                (folder / name).write_text(value)
        yield ControlGroup(folder)
    finally:
        with contextlib.suppress(OSError):  # before 5.14; its processes have been ended anyway
            (folder / "cgroup.kill").write_text("1")
        _remove(folder)


def _remove(folder: Path) -> None:
    """Removes a group. The kernel allows it only after the last process has ended, which can take a moment."""
    ends = time.monotonic() + _REMOVAL_S
    while folder.is_dir():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > ends:
                return
            time.sleep(0.01)


def _remove_abandoned(place: Path) -> None:
    """Removes groups of gradings that were ended by SIGKILL."""
    for folder in place.glob(f"{_PREFIX}*-*"):
        owner = folder.name[len(_PREFIX) :].partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").is_dir():
            with contextlib.suppress(OSError):
                folder.rmdir()
