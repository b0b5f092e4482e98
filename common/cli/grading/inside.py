"""What a sandbox does before it becomes the stranger's program: python3 inside.py ROOM.json COMMAND...

It runs as the first process of new user, mount, process, network and IPC namespaces, which `unshare` made, and builds
a file system of its own: what the room names is there to read, its folder to write in, and nothing else. Then it gives
up all privileges. Its exit code is the command's. ROOM.json.failure says why, if the room could not be built.

Without a mount point in the room it stays where it is, in a container as a whole, and ends itself what the command has
left running.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from pathlib import Path
from typing import NoReturn, TextIO

EXIT_NO_ROOM = 125
# linux/mount.h, linux/prctl.h
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_NOATIME, _MS_NODIRATIME, _MS_BIND, _MS_REC = 1 << 10, 1 << 11, 1 << 12, 1 << 14
_MS_PRIVATE, _MS_RELATIME = 1 << 18, 1 << 21
_MNT_DETACH = 2
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
_SIGKILL = 9
# The kernel does not let go of these on a mount that came from outside: they are asked for again.
_LOCKED = {
    os.ST_NOSUID: _MS_NOSUID,
    os.ST_NODEV: _MS_NODEV,
    os.ST_NOEXEC: _MS_NOEXEC,
    os.ST_NOATIME: _MS_NOATIME,
    os.ST_NODIRATIME: _MS_NODIRATIME,
    os.ST_RELATIME: _MS_RELATIME,
}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine, -1)  # its system call's number

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    source_text, target_text = os.fsencode(source), os.fsencode(target)
    kind_text, options_text = (text and text.encode() for text in (kind, options))
    result = _libc.mount(source_text, target_text, kind_text, ctypes.c_ulong(flags), options_text)
    _check(result, f"mount {target}")


def _bind(source: str, root: str, writable: bool = False) -> None:
    target = root + source
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    _mount(source, target, None, _MS_BIND)
    locked = os.statvfs(target).f_flag
    flags = sum(flag for bit, flag in _LOCKED.items() if locked & bit)
    flags |= _MS_NOSUID | (0 if writable else _MS_RDONLY)
    _mount("none", target, None, _MS_REMOUNT | _MS_BIND | flags)


def _build_room(room: dict) -> None:
    root = room["mount_point"]
    os.umask(0o022)  # another user goes through these folders
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    _mount("tmpfs", root, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=1m,mode=755")
    os.makedirs(root + "/tmp")
    options = f"size={room['scratch_bytes']},nr_inodes=10000,mode=777"
    _mount("tmpfs", root + "/tmp", "tmpfs", _MS_NOSUID | _MS_NODEV, options)
    for path in room["readable"]:
        if os.path.islink(path):  # /bin is one to usr/bin on most systems
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            os.symlink(os.readlink(path), root + path)
        else:
            _bind(path, root)
    for device in _DEVICES:
        _bind(device, root, writable=True)
    os.makedirs(root + "/proc")
    _mount("proc", root + "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _bind(room["folder"], root, writable=True)
    for path in room["protected"]:
        _bind(path, root)
    # The old root goes where the new one is, and is let go of: nothing of it can be reached again.
    os.chdir(root)
    _check(_libc.syscall(ctypes.c_long(_PIVOT_ROOT), b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", _MNT_DETACH), "umount")
    os.chdir(room["folder"])


def _give_up_privileges(room: dict) -> None:
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")  # if memory runs out, this goes first
    if room["mount_point"]:  # else the container has taken the right to do so, and the change of user does it
        last = int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii"))
        for capability in range(last + 1):
            _check(_libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), "prctl(PR_CAPBSET_DROP)")
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)")
    for name, limit in room["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU):  # what the outside has for itself (running/isolated.py)
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (hard, hard))
    if room["user"] is not None:
        os.setgroups([])
        os.setresgid(room["user"], room["user"], room["user"])
        os.setresuid(room["user"], room["user"], room["user"])
        _end_with_parent()  # another user's process has lost it


def _end_with_parent() -> None:
    """Its end is then that of the namespaces, with all that is in them."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        os._exit(127)


def _in_namespaces(room: dict, command: list[str]) -> int:
    """The command's exit code. Its end is the end of all that it left running."""
    _build_room(room)
    _give_up_privileges(room)
    pid = os.fork()  # the first process of a namespace ignores signals that it does not handle
    if pid == 0:
        _become(command, room["environment"])
    return _exit_code_of(pid)


def _in_the_container(room: dict, command: list[str], failure: TextIO) -> int:
    """The same, by another user's process, which cannot touch this one."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)")
    os.chdir(room["folder"])
    pid = os.fork()
    if pid == 0:
        try:
            _give_up_privileges(room)
        except OSError as error:
            failure.write(error.strerror or str(error))
            failure.flush()
            os._exit(EXIT_NO_ROOM)
        _become(command, room["environment"])
    code = _exit_code_of(pid)
    _end_children()
    return code


def _exit_code_of(pid: int) -> int:
    while True:
        ended, status = os.wait()  # orphans come to this process
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_children() -> None:
    """What a process that has ended left running has become a child of this one."""
    while True:
        for entry in os.listdir("/proc"):
            if entry.isdigit() and _parent_of(entry) == os.getpid():
                os.kill(int(entry), _SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _parent_of(pid: str) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return 0  # it has ended
    return int(text.rpartition(")")[2].split()[1])


def main(arguments: list[str]) -> int:
    room_file, *command = arguments
    # Open before the room is shut, and closed when the command begins: nobody in it can write there.
    failure = open(f"{room_file}.failure", "w", encoding="utf-8")
    try:
        _end_with_parent()
        room = json.loads(Path(room_file).read_text(encoding="utf-8"))
        if room["mount_point"]:
            return _in_namespaces(room, command)
        return _in_the_container(room, command, failure)
    except OSError as error:
        failure.write(error.strerror or str(error))
        return EXIT_NO_ROOM


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
