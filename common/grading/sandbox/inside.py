"""Sets up a room and starts the stranger's program in it: python3 inside.py COMMAND..., with two open files.

It reads the room from the first file, in Python's own format (marshal). Into the second it writes `inside`, followed by
the reason if the command could not be started. Both are closed when the command starts. The command runs without any
privileges, with the room's limits and seccomp filter. The exit code is the command's, or 128 plus the signal that ended
it. When the command has ended, all processes that it left running are ended too.

The filter of a sealed room allows execve only with three secret addresses as arguments. This program puts the arguments
there to start the command. Only the process that the command replaces has read them.

It runs about twenty times per answer, so it imports only modules that load fast.

In bubblewrap's sandbox this is the first process of the namespaces; otherwise it runs directly in the container.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import resource
import sys

ROOM_FD, STATUS_FD = 8, 9
BEGUN = "inside\n"
EXIT_NO_ROOM = 125
# linux/prctl.h, linux/seccomp.h
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2
_SIGKILL = 9
# sys/mman.h: PROT_READ | PROT_WRITE; MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
_READ_AND_WRITE, _PRIVATE_AT_ADDRESS = 3, 0x100022
_INSTRUCTION_BYTES = 8

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p


class _FilterProgram(ctypes.Structure):
    """linux/filter.h: struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _prctl(what: str, option: int, *arguments: object) -> None:
    padded = (*arguments, 0, 0, 0, 0)[:4]
    if _libc.prctl(option, *(ctypes.c_ulong(one) if isinstance(one, int) else one for one in padded)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _give_up_privileges(room: dict) -> None:
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # if memory runs out, the kernel ends this process first
    _empty_bounding_set()
    _prctl("PR_SET_NO_NEW_PRIVS", _PR_SET_NO_NEW_PRIVS, 1)
    for name, limit in room["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU):  # the outer process's own limits (running/isolated.py)
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (hard, hard))
    if room["user"] is not None:
        os.setgroups([])
        os.setresgid(room["user"], room["user"], room["user"])
        os.setresuid(room["user"], room["user"], room["user"])


def _empty_bounding_set() -> None:
    """Drops all capabilities. A process that cannot drop them cannot get any either: it has no new privileges."""
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        last = int(file.read())
    try:
        for capability in range(last + 1):
            _prctl("PR_CAPBSET_DROP", _PR_CAPBSET_DROP, capability)
    except OSError as error:
        if error.errno != errno.EPERM:
            raise


def _filter_system_calls(instructions: bytes) -> None:
    program = _FilterProgram(len(instructions) // _INSTRUCTION_BYTES, instructions)
    _prctl("PR_SET_SECCOMP", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))


def _become(room: dict, command: list[str]) -> None:
    """Never returns."""
    try:
        _give_up_privileges(room)
        os.chdir(room["folder"])  # it can be readable for the other user alone
        _filter_system_calls(room["filter"])
    except OSError as error:
        os.write(STATUS_FD, (error.strerror or str(error)).encode())
        os._exit(EXIT_NO_ROOM)
    if room["entry"]:
        problem = _execute_at(room["entry"], command, room["environment"])
    else:
        problem = _execute(command, room["environment"])
    print(f"{command[0]}: {os.strerror(problem)}", file=sys.stderr, flush=True)
    os._exit(127)


def _execute(command: list[str], environment: dict[str, str]) -> int:
    """Executes the command; returns errno if that fails. os.execvpe would import files that not every user can read."""
    folders = [""] if "/" in command[0] else environment["PATH"].split(":")
    problem = errno.ENOENT
    for folder in folders:
        try:
            os.execve(os.path.join(folder, command[0]), command, environment)
        except OSError as error:
            problem = error.errno if error.errno not in (errno.ENOENT, errno.ENOTDIR) else problem
    return problem


def _execute_at(entry: tuple[int, int, int], command: list[str], environment: dict[str, str]) -> int:
    """Executes the command, which starts with a path, with execve's arguments at these addresses; returns errno."""
    path, arguments, variables = entry
    settings = [f"{name}={value}" for name, value in environment.items()]
    texts = [_pointers(command), _pointers(settings)]
    try:
        _put(path, os.fsencode(command[0]) + b"\0")
        _put(arguments, bytes(texts[0]))
        _put(variables, bytes(texts[1]))
    except OSError as error:
        return error.errno
    _libc.execve(*map(ctypes.c_void_p, entry))
    return ctypes.get_errno()


def _pointers(texts: list[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)


def _put(address: int, data: bytes) -> None:
    """Copies data to an address at which nothing is mapped."""
    page = address - address % resource.getpagesize()
    size = ctypes.c_size_t(address + len(data) - page)
    mapped = _libc.mmap(ctypes.c_void_p(page), size, _READ_AND_WRITE, _PRIVATE_AT_ADDRESS, -1, ctypes.c_long(0))
    if mapped != page:
        raise OSError(ctypes.get_errno() or errno.EEXIST, "mmap")
    ctypes.memmove(address, data, len(data))


def _exit_code_of(pid: int) -> int:
    while True:
        ended, status = os.wait()  # orphans come to this process
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_children() -> None:
    """Ends the processes that the command left running: they have become children of this process."""
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
        with open(f"/proc/{pid}/stat", errors="replace") as file:
            text = file.read()
    except OSError:
        return 0  # it has ended
    return int(text.rpartition(")")[2].split()[1])


def main(command: list[str]) -> int:
    _prctl("PR_SET_PDEATHSIG", _PR_SET_PDEATHSIG, _SIGKILL)
    _prctl("PR_SET_CHILD_SUBREAPER", _PR_SET_CHILD_SUBREAPER, 1)
    for descriptor in (ROOM_FD, STATUS_FD):
        os.set_inheritable(descriptor, False)
    os.write(STATUS_FD, BEGUN.encode())
    pid = os.fork()
    if pid == 0:
        with os.fdopen(ROOM_FD, "rb") as file:
            room = marshal.load(file)  # as the grader wrote it, with the same Python
        _become(room, command)
    os.close(ROOM_FD)  # a program of the same user can read this process's memory and open files
    code = _exit_code_of(pid)
    if os.getpid() != 1:  # with the first process of a namespace the kernel ends all others
        _end_children()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
