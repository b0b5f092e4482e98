"""Checks the contents of an answer's object file.

It must not have code that runs before the tests, or sections of its own, and it can call only functions that an
exercise needs. (Correct results do not depend on this, because the judge tests them in another process. The simulator's
findings and counts do.)
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.checking.screening.imports import may_import
from cli.errors import Refused

_SECTION = re.compile(
    r"cuda_constant\Z|\.(?:text|data|bss|rodata|tdata|tbss|gcc_except_table|debug_\w+|eh_frame|comment|group"
    r"|note\.GNU-stack|note\.gnu\.property|rela?)(?:\..*)?\Z"
)
# The only function that -fsanitize=thread runs at the start.
_TRACER_START = ".init_array.00099"
_STREAMS_START = "_ZNSt8ios_base4InitC1Ev"
_TRACER_START_FUNCTION = "_sub_I_00099_0"
_MAX_NAME = 300  # characters


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: str  # nm's letter
    size: int


def read_symbols(nm_output: str) -> list[Symbol]:
    """The symbols in the output of `nm --format=posix`. Other lines, such as names of archive members, are skipped."""
    symbols = []
    for line in nm_output.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1:
            symbols.append(Symbol(words[0], words[1], int(words[3], 16) if len(words) > 3 else 0))
    return symbols


def check_object(
    sections: str,
    symbol_table: str,
    symbols: list[Symbol],
    tracer_start_bytes: int | None,
    demangled: Callable[[str], str],
    has_nccl: bool = False,
) -> None:
    """Raises Refused for an object file that contains something forbidden.

    sections and symbol_table: `objdump --section-headers` and `objdump --syms`;
    tracer_start_bytes: the size for an object without start code of its own, None if there is no such object;
    demangled: makes plain text of a name; the names in an answer can be long; has_nccl: its exercise is
    linked with NCCL.
    """
    for name, size, flags in _sections(sections):
        if name == _TRACER_START and size <= 8 and tracer_start_bytes in (None, tracer_start_size(symbols)):
            continue
        if name == ".init_array" and any(symbol.name == _STREAMS_START for symbol in symbols):
            continue  # <iostream>; the section is not linked, because the tests start the streams too
        if name.startswith((".init_array", ".preinit_array", ".ctors", ".init")):
            raise Refused("It has code that runs before main(): a global variable with a constructor?")
        if not _SECTION.match(name) or ("CODE" in flags and not name.startswith(".text")):
            raise Refused(f"It has a section of its own, {name}.")
    for line in symbol_table.splitlines():
        # value, seven flags, section, ...: "O" is an object, "i" a function that is chosen when the program starts
        match = re.match(r"[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)", line)
        if match and "O" in match["flags"] and match["section"].startswith(".text"):
            raise Refused("It has data in a section for code.")
        if match and "i" in match["flags"]:
            raise Refused("It has a function that is chosen when the program starts (ifunc).")
    for symbol in symbols:
        if not is_defined(symbol) and not may_import(symbol.name, has_nccl):
            plain = demangled(symbol.name) if symbol.name.startswith("_Z") else f"{symbol.name}()"
            raise Refused(f"It calls {plain[:_MAX_NAME]}, which no exercise needs.")


def tracer_start_size(symbols: Iterable[Symbol]) -> int:
    """The size in bytes of the only function that an object runs at the start: g++ puts all start code into it."""
    return sum(symbol.size for symbol in symbols if symbol.name == _TRACER_START_FUNCTION)


def _sections(headers: str) -> list[tuple[str, int, str]]:
    """Name, size and flags of each section."""
    lines = (re.match(r" *\d+ (\S+) +([0-9a-f]{8,16}) (.*)", line) for line in headers.splitlines())
    return [(match[1], int(match[2], 16), match[3]) for match in lines if match]


def demangle(names: list[str]) -> list[str]:
    """The plain text of names from our own files."""
    if not names:
        return []
    finished = subprocess.run(["c++filt", "--", *names], stdout=subprocess.PIPE, text=True, check=True)
    return finished.stdout.splitlines()


@functools.lru_cache(maxsize=None)
def symbols_in(files: tuple[Path, ...]) -> tuple[Symbol, ...]:
    return tuple(list_symbols(files))


def list_symbols(files: Iterable[Path], *options: str) -> Iterable[Symbol]:
    """The symbols of our own objects, archives and shared libraries; none for a file that nm cannot read."""
    command = ["nm", "--format=posix", *options, *map(str, files)]
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return read_symbols(finished.stdout)


def is_defined(symbol: Symbol) -> bool:
    return symbol.kind not in "Uwv"


def is_global(symbol: Symbol) -> bool:
    return symbol.kind.isupper() or symbol.kind in "uwv"
