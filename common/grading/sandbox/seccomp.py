"""The system calls that a stranger's program cannot use: a seccomp filter, in the kernel's own language (BPF).

Compilers, linkers and tests need none of the calls of REFUSED: they read other processes, change mounts, make
namespaces, load code into the kernel, keep memory that no limit counts, or reach the parts of the kernel in which most
of its bugs were found. In a sealed room a program can also start no program and no process, and cannot create a file or
open one for writing. No program can remove its filter.
"""

from __future__ import annotations

import errno
import struct

from cli.errors import MissingToolError

# linux/audit.h: AUDIT_ARCH_*
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# System calls by their numbers in asm/unistd_64.h (x86-64) and asm-generic/unistd.h (AArch64, which lacks some).
REFUSED: dict[str, tuple[int, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # memory that belongs to no process
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # large parts of the kernel that no test needs
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "vmsplice": (278, 75),
    "remap_file_pages": (216, 234),
    "memfd_secret": (447, 447),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    # the machine
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
}
# Calls that are refused in a sealed room too.
SEALED: dict[str, tuple[int, int | None]] = {
    # programs and processes
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    # files and folders
    "creat": (85, None),
    "openat2": (437, 437),  # a filter cannot read its flags
    "truncate": (76, 45),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
}
# Calls that are refused only with some arguments, or with an error other than EPERM.
CLONE, CLONE3 = (56, 220), (435, 435)
EXECVE, OPEN, OPENAT, MMAP = (59, 221), (2, None), (257, 56), (9, 222)
SOCKETS = ((41, 198), (53, 199))  # socket, socketpair
IOCTL = (16, 29)
NAMESPACE_FLAGS = 0x7E020000  # linux/sched.h: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
CLONE_THREAD = 0x10000
WRITING_FLAGS = 0o1103  # asm-generic/fcntl.h: O_WRONLY, O_RDWR, O_CREAT, O_TRUNC
MAP_SHARED = 1  # its pages can stay in memory when no process has them mapped
AF_UNIX = 1
TERMINAL_INPUT = (0x5412, 0x541C)  # asm-generic/ioctls.h: TIOCSTI, TIOCLINUX insert input into the terminal
_X32_CALLS = 0x40000000  # x86-64's calls with pointers of 32 bits have numbers of their own from here on

# linux/seccomp.h: the return values of a filter, and offsets in `struct seccomp_data`
ALLOW, KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_ARGUMENTS = (16, 24, 32, 40, 48, 56)  # the low halves; the high halves are 4 bytes after them
# linux/bpf_common.h: a word of the data into A; jumps that compare A with a constant; return
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_Instruction = bytes


def refused_with(number: int) -> int:
    """The return value of the filter that makes a call fail with this errno."""
    return _ERROR | number


def seccomp_filter(machine: str, entry: tuple[int, int, int] | None = None) -> bytes:
    """The `struct sock_filter`s, 8 bytes each, for the machine that `uname -m` names. Raises MissingToolError for a
    machine other than x86_64 and aarch64, whose calls have other numbers.

    entry: for a sealed room, the only arguments (addresses) with which execve is allowed. They are secret, and the
    addresses of the started program are new, so only the process that knows them can start a program.
    """
    if machine not in _ARCHITECTURES:
        words = f"The filter of system calls needs {' or '.join(_ARCHITECTURES)}, and this machine is {machine}."
        raise MissingToolError(words)
    column = list(_ARCHITECTURES).index(machine)
    program = [
        _load(_ARCHITECTURE),
        *_if(_JUMP_EQUAL, _ARCHITECTURES[machine], [], [_return(KILL)]),
        _load(_NUMBER),
        *_if(_JUMP_AT_LEAST, _X32_CALLS, [_return(KILL)]),
    ]
    for numbers in [*REFUSED.values(), *(SEALED.values() if entry else ())]:
        program += _on_call(numbers[column], [_REFUSE])
    # The flags of clone3 are in memory, which a filter cannot read; the C library then uses clone instead.
    program += _on_call(CLONE3[column], [_return(refused_with(errno.ENOSYS))])
    only_threads = _if(_JUMP_ANY_BIT, CLONE_THREAD, [], [_REFUSE]) if entry else []
    without_namespaces = _if(_JUMP_ANY_BIT, NAMESPACE_FLAGS, [_REFUSE])
    program += _on_call(CLONE[column], [_load(_ARGUMENTS[0]), *without_namespaces, *only_threads])
    other_family = _if(_JUMP_EQUAL, AF_UNIX, [], [_return(refused_with(errno.EAFNOSUPPORT))])
    for numbers in SOCKETS:
        program += _on_call(numbers[column], [_load(_ARGUMENTS[0]), *other_family])
    typing = [part for request in TERMINAL_INPUT for part in _if(_JUMP_EQUAL, request, [_REFUSE])]
    program += _on_call(IOCTL[column], [_load(_ARGUMENTS[1]), *typing])
    if entry:
        program += _seal(column, entry)
    return b"".join([*program, _return(ALLOW)])


def _seal(column: int, entry: tuple[int, int, int]) -> list[_Instruction]:
    """Refuses calls of a sealed room by their arguments."""
    unless_ours = []
    for offset, address in zip(_ARGUMENTS, entry):
        for half, constant in ((offset, address & 0xFFFFFFFF), (offset + 4, address >> 32)):
            unless_ours += [_load(half), *_if(_JUMP_EQUAL, constant, [], [_REFUSE])]
    program = _on_call(EXECVE[column], unless_ours)
    for numbers, argument, bits in ((OPEN, 1, WRITING_FLAGS), (OPENAT, 2, WRITING_FLAGS), (MMAP, 3, MAP_SHARED)):
        program += _on_call(numbers[column], [_load(_ARGUMENTS[argument]), *_if(_JUMP_ANY_BIT, bits, [_REFUSE])])
    return program


def _on_call(number: int | None, instructions: list[_Instruction]) -> list[_Instruction]:
    """Runs instructions for one call, which is allowed if they do not return. None: the machine lacks this call."""
    return [] if number is None else _if(_JUMP_EQUAL, number, [*instructions, _return(ALLOW)])


def _instruction(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> _Instruction:
    return struct.pack("=HBBI", code, if_true, if_false, constant)


def _load(offset: int) -> _Instruction:
    return _instruction(_LOAD, offset)


def _return(value: int) -> _Instruction:
    return _instruction(_RETURN, value)


def _if(
    jump: int, constant: int, then: list[_Instruction], otherwise: list[_Instruction] | None = None
) -> list[_Instruction]:
    """Runs `then` or `otherwise`, one of which is empty, and continues after it."""
    body = otherwise or then
    skips = (len(body), 0) if otherwise else (0, len(body))
    return [_instruction(jump, constant, *skips), *body]


_REFUSE = _return(refused_with(errno.EPERM))
