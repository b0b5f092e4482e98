"""What the seccomp filter says of system calls, by a reading of its instructions as the kernel reads them.

test_sandbox.py asks the kernel itself, which has one machine's filter at most.
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
    IOCTL,
    KILL,
    NAMESPACE_FLAGS,
    REFUSED,
    SOCKETS,
    TERMINAL_INPUT,
    refused_with,
    seccomp_filter,
)

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_OPEN, _WRITE = (2, 56), (1, 64)  # openat on AArch64
_AF_INET, _AF_NETLINK = 2, 16
_FORK = 17  # clone's flags: SIGCHLD
# The numbers of the kernel's own headers; each machine has those of one architecture.
_HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel does with a call: linux/bpf.rst's classic machine, as far as the filter uses it."""
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

    def test_what_programs_need_is_allowed(self) -> None:
        self.assertEqual(self.of(_OPEN) + self.of(_WRITE), [ALLOW] * 4)

    def test_each_of_the_list_is_refused(self) -> None:
        for name, numbers in REFUSED.items():
            with self.subTest(name):
                there = tuple(number for number in numbers if number is not None)
                self.assertEqual(self.of(there), [refused_with(errno.EPERM)] * len(there))

    def test_processes_are_allowed_and_namespaces_are_not(self) -> None:
        self.assertEqual(self.of(CLONE, _FORK), [ALLOW] * 2)
        for bit in (1 << shift for shift in range(32) if NAMESPACE_FLAGS >> shift & 1):
            self.assertEqual(self.of(CLONE, _FORK | bit), [refused_with(errno.EPERM)] * 2)
        self.assertEqual(self.of(CLONE3), [refused_with(errno.ENOSYS)] * 2)

    def test_sockets_are_within_the_machine(self) -> None:
        for numbers in SOCKETS:
            self.assertEqual(self.of(numbers, AF_UNIX), [ALLOW] * 2)
            for family in (_AF_INET, _AF_NETLINK):
                self.assertEqual(self.of(numbers, family), [refused_with(errno.EAFNOSUPPORT)] * 2)

    def test_nothing_is_typed_for_whoever_sits_at_the_terminal(self) -> None:
        self.assertEqual(self.of(IOCTL, 0, 0x5401), [ALLOW] * 2)  # TCGETS
        for request in TERMINAL_INPUT:
            # The kernel looks at 32 bits of it, whatever is above them.
            self.assertEqual(self.of(IOCTL, 0, request | 1 << 32), [refused_with(errno.EPERM)] * 2)

    def test_calls_of_another_architecture_end_the_program(self) -> None:
        self.assertEqual(verdict(seccomp_filter("x86_64"), 0x40000003, 1), KILL)  # int 0x80
        self.assertEqual(verdict(seccomp_filter("x86_64"), _MACHINES["x86_64"], 0x40000000 + 101), KILL)  # x32
        self.assertEqual(verdict(seccomp_filter("aarch64"), _MACHINES["x86_64"], 1), KILL)

    def test_another_machine_has_no_filter(self) -> None:
        with self.assertRaisesRegex(MissingToolError, "on x86_64, aarch64 alone, and this machine is riscv64"):
            seccomp_filter("riscv64")

    def test_the_numbers_are_the_kernel_s(self) -> None:
        named = {**REFUSED, "clone": CLONE, "clone3": CLONE3, "socket": SOCKETS[0], "socketpair": SOCKETS[1], "ioctl": IOCTL}
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
