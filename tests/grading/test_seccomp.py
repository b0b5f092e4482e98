"""The verdicts of the seccomp filter on system calls: its instructions are interpreted as the kernel does it.

test_sandbox.py tests the kernel itself, but only with the filter of one machine.
"""

from __future__ import annotations

import errno
import re
import struct
import unittest
from pathlib import Path

import support  # noqa: F401  # finds the command's modules

from cli.errors import MissingToolError
from grading.sandbox.seccomp import (
    AF_UNIX,
    ALLOW,
    CLONE,
    CLONE3,
    CLONE_THREAD,
    EXECVE,
    IOCTL,
    KILL,
    MMAP,
    NAMESPACE_FLAGS,
    OPEN,
    OPENAT,
    REFUSED,
    SEALED,
    SOCKETS,
    TERMINAL_INPUT,
    refused_with,
    seccomp_filter,
)

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_OPEN, _WRITE = (2, 56), (1, 64)  # openat on AArch64
_ENTRY = (0x12_3456_7890, 0x23_4567_8901, 0x34_5678_9012)
_REFUSED = [refused_with(errno.EPERM)]
_AF_INET, _AF_NETLINK = 2, 16
_FORK = 17  # clone's flags: SIGCHLD
# The kernel's own headers with the numbers; each machine has the headers of one architecture.
_HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """The kernel's verdict on a call: the classic machine of linux/bpf.rst, as far as the filter uses it."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    at = accumulator = 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, constant)
        elif code == 0x06:
            return constant
        else:
            tests = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: accumulator & constant != 0}
            at += if_true if tests[code] else if_false


class FilterTest(unittest.TestCase):
    def of(self, numbers: tuple[int, ...], *arguments: int) -> list[int]:
        """The verdicts on a call on x86-64 and on AArch64."""
        found = zip(_MACHINES.items(), numbers)
        return [verdict(seccomp_filter(name), machine, number, *arguments) for (name, machine), number in found]

    def test_calls_that_programs_need_are_allowed(self) -> None:
        self.assertEqual(self.of(_OPEN) + self.of(_WRITE), [ALLOW] * 4)

    def test_each_call_of_the_list_is_refused(self) -> None:
        for name, numbers in REFUSED.items():
            with self.subTest(name):
                there = tuple(number for number in numbers if number is not None)
                self.assertEqual(self.of(there), [refused_with(errno.EPERM)] * len(there))

    def sealed(self, numbers: tuple[int | None, ...], *arguments: int) -> list[int]:
        """As `of`, for a sealed room. A machine that lacks the call is left out."""
        found = zip(_MACHINES.items(), numbers)
        return [
            verdict(seccomp_filter(name, _ENTRY), machine, number, *arguments)
            for (name, machine), number in found
            if number is not None
        ]

    def test_a_sealed_room_refuses_more_calls(self) -> None:
        for name, numbers in {**REFUSED, **SEALED}.items():
            with self.subTest(name):
                self.assertEqual(set(self.sealed(numbers)), set(_REFUSED))

    def test_only_the_secret_arguments_start_a_program(self) -> None:
        self.assertEqual(self.sealed(EXECVE, *_ENTRY), [ALLOW] * 2)
        for argument in range(3):
            for bit in (1, 1 << 33):  # in the low and in the high half
                wrong = [value ^ bit if number == argument else value for number, value in enumerate(_ENTRY)]
                self.assertEqual(self.sealed(EXECVE, *wrong), _REFUSED * 2)

    def test_a_sealed_room_allows_threads_and_no_processes(self) -> None:
        self.assertEqual(self.sealed(CLONE, CLONE_THREAD), [ALLOW] * 2)
        self.assertEqual(self.sealed(CLONE, _FORK), _REFUSED * 2)
        self.assertEqual(self.sealed(CLONE, CLONE_THREAD | 1 << 28), _REFUSED * 2)  # CLONE_NEWUSER

    def test_a_sealed_room_opens_files_only_for_reading(self) -> None:
        for_reading = 0o2000000  # O_CLOEXEC
        self.assertEqual(self.sealed(OPEN, 0, for_reading) + self.sealed(OPENAT, 0, 0, for_reading), [ALLOW] * 3)
        for flag in (1, 2, 3, 0o100, 0o1000):
            self.assertEqual(self.sealed(OPEN, 0, flag) + self.sealed(OPENAT, 0, 0, flag), _REFUSED * 3)

    def test_a_sealed_room_shares_no_memory(self) -> None:
        self.assertEqual(self.sealed(MMAP, 0, 4096, 3, 0x22), [ALLOW] * 2)  # MAP_PRIVATE | MAP_ANONYMOUS
        for flags in (1, 3, 0x21):  # MAP_SHARED, MAP_SHARED_VALIDATE, MAP_SHARED | MAP_ANONYMOUS
            self.assertEqual(self.sealed(MMAP, 0, 4096, 3, flags), _REFUSED * 2)

    def test_processes_are_allowed_and_namespaces_are_not(self) -> None:
        self.assertEqual(self.of(CLONE, _FORK), [ALLOW] * 2)
        for bit in (1 << shift for shift in range(32) if NAMESPACE_FLAGS >> shift & 1):
            self.assertEqual(self.of(CLONE, _FORK | bit), [refused_with(errno.EPERM)] * 2)
        self.assertEqual(self.of(CLONE3), [refused_with(errno.ENOSYS)] * 2)

    def test_sockets_work_only_within_the_machine(self) -> None:
        for numbers in SOCKETS:
            self.assertEqual(self.of(numbers, AF_UNIX), [ALLOW] * 2)
            for family in (_AF_INET, _AF_NETLINK):
                self.assertEqual(self.of(numbers, family), [refused_with(errno.EAFNOSUPPORT)] * 2)

    def test_no_input_is_inserted_into_the_terminal(self) -> None:
        self.assertEqual(self.of(IOCTL, 0, 0x5401), [ALLOW] * 2)  # TCGETS
        for request in TERMINAL_INPUT:
            # The kernel uses only the low 32 bits.
            self.assertEqual(self.of(IOCTL, 0, request | 1 << 32), [refused_with(errno.EPERM)] * 2)

    def test_calls_of_another_architecture_end_the_program(self) -> None:
        self.assertEqual(verdict(seccomp_filter("x86_64"), 0x40000003, 1), KILL)  # int 0x80
        self.assertEqual(verdict(seccomp_filter("x86_64"), _MACHINES["x86_64"], 0x40000000 + 101), KILL)  # x32
        self.assertEqual(verdict(seccomp_filter("aarch64"), _MACHINES["x86_64"], 1), KILL)

    def test_a_different_machine_has_no_filter(self) -> None:
        with self.assertRaisesRegex(MissingToolError, "needs x86_64 or aarch64, and this machine is riscv64"):
            seccomp_filter("riscv64")

    def test_the_numbers_agree_with_the_kernel(self) -> None:
        named = {**REFUSED, **SEALED, "execve": EXECVE, "open": OPEN, "openat": OPENAT, "mmap": MMAP}
        named |= {"clone": CLONE, "clone3": CLONE3, "socket": SOCKETS[0], "socketpair": SOCKETS[1], "ioctl": IOCTL}
        looked_at = 0
        for column, header in enumerate(_HEADERS):
            if not header.is_file():
                continue
            text = header.read_text(encoding="utf-8")
            kernels = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
            ours = {name: numbers[column] for name, numbers in named.items() if numbers[column] is not None}
            known = {name: number for name, number in ours.items() if name in kernels}  # older headers lack some
            self.assertEqual(known, {name: kernels[name] for name in known})
            looked_at += len(known)
        if not looked_at:
            self.skipTest("this machine has none of the kernel's headers")
