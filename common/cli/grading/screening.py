"""What a stranger's answer may contain.

It shares a process with the simulator that counts its accesses and finds its mistakes. So before it is linked, its
source, as the preprocessor sees it, and its object file are looked through: no assembler, no code that runs before the
tests, no way round the simulator's account, no functions but those that an exercise has use for. (Numbers do not rest
on this: the judge tests them in another process. What the simulator found and counted does.)
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError

_LINE_MARKER = re.compile(r'# (?P<line>\d+) "(?P<file>(?:[^"\\]|\\.)*)"(?P<flags>[ \d]*)\Z')
# Where a line continues in the next; and what would give lines another file's name. It may look into comments too.
_SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")
_LINE_DIRECTIVE = re.compile(
    r"(?:\A\ufeff?|\n|\*/)[\s\0]*(?:#|%:)(?:[ \t\f\v\0\r]|/\*.*?\*/)*(?:\d|line\b)", re.DOTALL
)
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_BANNED = (
    (re.compile(r"\b_*asm_*\b"), "assembler"),
    (re.compile(r"\b_*no_(?:sanitize|instrument|profile)\w*"), "an attribute that hides code from the simulator"),
    (re.compile(r"^\s*#\s*pragma\s+GCC\b"), "#pragma GCC"),
    (re.compile(r"\b__(?:tsan|sanitizer|ubsan)_\w+"), "a function of the simulator's own"),
    (
        re.compile(r"\b_*(?:section|constructor|destructor|init_priority|ifunc|alias|weakref)_*\s*\("),
        "an attribute for the linker",
    ),
)
_SECTION = re.compile(
    r"cuda_constant\Z|\.(?:text|data|bss|rodata|tdata|tbss|gcc_except_table|debug_\w+|eh_frame|comment|group"
    r"|note\.GNU-stack|note\.gnu\.property|rela?)(?:\..*)?\Z"
)
_UNTRACED = '__attribute__((no_sanitize("thread"), no_sanitize_coverage))'
# What the rewriter makes of a launch and of extern __shared__, and what __constant__ is.
_GENERATED = (
    f"cuda_simulator_arguments){_UNTRACED}",
    '__asm__("cuda_simulator_dynamic_shared")',
    '__attribute__((section("cuda_constant")))',
)
# The one function that -fsanitize=thread has run at the start.
_TRACER_START = ".init_array.00099"
_STREAMS_START = "_ZNSt8ios_base4InitC1Ev"
_TRACER_START_FUNCTION = "_sub_I_00099_0"
_ALLOWED_IMPORT = re.compile(
    r"_ZNK?St|_ZNK?S[absiod]|_ZSt|_ZT[ISTV]|_Z(?:nw|na|dl|da)|__cxa_|__gxx_personality_v0\Z|_Unwind_Resume\Z"
    r"|__(?:tsan|sanitizer_cov|ubsan)_|__dso_handle\Z|_GLOBAL_OFFSET_TABLE_\Z|__tls_get_addr\Z|__errno_location\Z"
    r"|__stack_chk_fail\Z|__assert_fail\Z|abort\Z|(?:__)?(?:mem|str)\w+\Z|(?:__)?v?s?n?printf(?:_chk)?\Z|puts\Z"
    r"|putchar\Z|(?:m|c|re)alloc\Z|free\Z|aligned_alloc\Z|qsort\Z|bsearch\Z|rand\Z|srand\Z|l{0,2}abs\Z|l{0,2}div\Z"
)
_FORBIDDEN_IMPORT = re.compile(
    r"fstream|filebuf|filesystem|6thread|7jthread|future|condition_variable|set_terminate|random_device"
    r"|live_allocations|set_last_error|fail_launch|take_findings"
)


class Refused(WorkbookError):
    """An answer contains what none may; the text says what."""


def check_source(preprocessed: str, rewritten: Path, source: Path) -> None:
    """Raises Refused for source text with what is forbidden in it, WorkbookError if g++ -E did not begin as it does.

    `preprocessed` is what g++ -E made of `rewritten`, which the rewriter made of `source`. Only lines of these two
    count, as headers of the system have assembler in them.
    """
    text = source.read_text(encoding="utf-8", errors="replace")
    if _LINE_DIRECTIVE.search(_SPLICE.sub("", text)):
        raise Refused("It gives its lines other names (#line, or a line that begins with # and a number).")
    _check_launches(preprocessed, rewritten, text)
    own = {str(rewritten), str(source)}
    lines = preprocessed.splitlines()
    # Before the file itself come names of the compiler's own.
    beginning = f'# 1 "{rewritten}"'
    if beginning not in lines:
        raise WorkbookError(f"g++ -E did not begin with {beginning}")
    file = str(rewritten)
    for line in lines[lines.index(beginning) + 1 :]:
        marker = _LINE_MARKER.match(line)
        if marker:
            file = marker["file"].replace('\\"', '"').replace("\\\\", "\\")
        elif file in own:
            _check_line(line)


def _check_launches(preprocessed: str, rewritten: Path, text: str) -> None:
    """A launch is rewritten to a function that the simulator does not trace: nothing else may pass for one."""
    if "CUDA_SIMULATOR" in text or "cuda_simulator" in text:
        raise Refused("It uses the simulator's own names.")
    rewritten_text = rewritten.read_text(encoding="utf-8", errors="replace")
    launches = rewritten_text.count("cuda_simulator_arguments)CUDA_SIMULATOR_UNTRACED")
    if preprocessed.count(f"cuda_simulator_arguments){_UNTRACED}") > launches:
        raise Refused("It launches kernels from a macro.")


def _check_line(line: str) -> None:
    for generated in _GENERATED:
        line = line.replace(generated, " ")
    text = _LITERAL.sub('""', line)
    for pattern, what in _BANNED:
        match = pattern.search(text)
        if match:
            raise Refused(f"It uses {what}: {line.strip()[:120]}")


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: str  # nm's letter
    size: int


def read_symbols(nm_output: str) -> list[Symbol]:
    """From `nm --format=posix`; lines of another form, such as the names of an archive's members, are left out."""
    symbols = []
    for line in nm_output.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1:
            symbols.append(Symbol(words[0], words[1], int(words[3], 16) if len(words) > 3 else 0))
    return symbols


def check_object(
    sections: str, symbol_table: str, symbols: list[Symbol], allowed: frozenset[str], tracer_start_bytes: int
) -> None:
    """Raises Refused for an object file with what is forbidden in it.

    sections and symbol_table: `objdump --section-headers` and `objdump --syms`; allowed: what may be called besides;
    tracer_start_bytes: of an object with nothing of its own to start.
    """
    for name, size, flags in _sections(sections):
        if name == _TRACER_START and size <= 8 and tracer_start_size(symbols) == tracer_start_bytes:
            continue
        if name == ".init_array" and any(symbol.name == _STREAMS_START for symbol in symbols):
            continue  # <iostream>; whoever links it leaves the section out, for the tests start the streams too
        if name.startswith((".init_array", ".preinit_array", ".ctors", ".init")):
            raise Refused("It has code that runs before main(): a global variable with a constructor?")
        if not _SECTION.match(name) or ("CODE" in flags and not name.startswith(".text")):
            raise Refused(f"It has a section of its own, {name}.")
    for line in symbol_table.splitlines():
        # value, seven flags, section, ...: "O" is an object, "i" a function that is chosen when the program starts
        match = re.match(r"[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)", line)
        if match and "O" in match["flags"] and match["section"].startswith(".text"):
            raise Refused("It has data where code belongs.")
        if match and "i" in match["flags"]:
            raise Refused("It has a function that is chosen when the program starts (ifunc).")
    for symbol in symbols:
        if symbol.kind in "Uwv" and not _may_import(symbol.name, allowed):
            raise Refused(f"It calls {_demangled(symbol.name)}, which no exercise has use for.")


def tracer_start_size(symbols: Iterable[Symbol]) -> int:
    """In bytes, of the one function that an object has run at the start: g++ puts into it all that are to run then."""
    return sum(symbol.size for symbol in symbols if symbol.name == _TRACER_START_FUNCTION)


def _sections(headers: str) -> list[tuple[str, int, str]]:
    """Name, size and flags of each section."""
    lines = (re.match(r" *\d+ (\S+) +([0-9a-f]{8,16}) (.*)", line) for line in headers.splitlines())
    return [(match[1], int(match[2], 16), match[3]) for match in lines if match]


def _may_import(name: str, allowed: frozenset[str]) -> bool:
    if _FORBIDDEN_IMPORT.search(name):
        return False
    return name in allowed or _ALLOWED_IMPORT.match(name) is not None


def _demangled(name: str) -> str:
    return demangle([name])[0] if name.startswith("_Z") else f"{name}()"


def demangle(names: list[str]) -> list[str]:
    """Of names that come from files of ours, or one of a stranger's: they are arguments, and never options."""
    if not names:
        return []
    finished = subprocess.run(["c++filt", "--", *names], stdout=subprocess.PIPE, text=True, check=True)
    return finished.stdout.splitlines()


@functools.lru_cache(maxsize=None)
def symbols_in(files: tuple[Path, ...]) -> tuple[Symbol, ...]:
    """Of objects, archives and shared libraries of ours."""
    command = ["nm", "--format=posix", *map(str, files)]
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return tuple(read_symbols(finished.stdout))


@functools.lru_cache(maxsize=None)
def mathematical_functions() -> frozenset[str]:
    """What libm has."""
    found = subprocess.run(["g++", "-print-file-name=libm.so.6"], stdout=subprocess.PIPE, text=True, check=True)
    command = ["nm", "--format=posix", "--dynamic", "--defined-only", found.stdout.strip()]
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return frozenset(symbol.name.split("@")[0] for symbol in read_symbols(finished.stdout))


def is_defined(symbol: Symbol) -> bool:
    return symbol.kind not in "Uwv"


def is_global(symbol: Symbol) -> bool:
    return symbol.kind.isupper() or symbol.kind in "uwv"


def is_weak(symbol: Symbol) -> bool:
    return symbol.kind in "WVuwv"
