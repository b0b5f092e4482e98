"""Checks whether an answer contains something forbidden. `check` and `grade` use the same checks and messages."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cli.building.command_lines import Command
from cli.checking.screening.code_listing import LISTING_COMMAND, Place, line_words, read_listing
from cli.checking.screening.directives import check_conditions, check_text
from cli.checking.screening.machine_code import SYSTEM_CALLS, check_machine_code
from cli.checking.screening.object_file import Symbol, check_object, read_symbols, symbols_in, tracer_start_size
from cli.checking.screening.source import Answer, check_source, from_start, with_marks
from cli.errors import Refused

MAX_PREPROCESSED_BYTES = 32 << 20  # a reference answer has 1 MB
OF_TEXT = ("-fpreprocessed", "-fdirectives-only")

_MAX_DEMANGLED = 100_000  # characters; Linux allows an argument 128 KiB


@dataclass(frozen=True)
class Screening:
    """The screening of one answer. The methods raise Refused, and the errors that `do` raises."""

    answer: Answer
    command: Command  # compiles it, traced
    compiled: str  # the source that the command names
    has_nccl: bool  # whether the exercise is linked with NCCL
    folder: Path  # for our own files
    do: Callable[[list[str]], str]  # runs a command, and returns what it prints
    do_each: Callable[[list[list[str]]], list[str]]  # the same for several

    def look_at_source(self) -> Path:
        """Screens the rewritten answer, which exists already. Returns the text that was screened, to be compiled with
        OF_TEXT: without #include and #if, but with macros, so every token is at its original line and column.
        """
        check_conditions(self.answer.texts)
        text, macros = self.folder / "answer.ii", self.folder / "macros.cpp"
        empty = self.folder / "empty.cpp"
        empty.write_text("", encoding="utf-8")
        self.do_each(
            [
                self._preprocessing(self.answer.rewritten, text, "-fdirectives-only", "-fpch-preprocess"),
                self._preprocessing(empty, macros, "-dM"),
            ]
        )
        check_text(from_start(_read(text), self.answer.rewritten))
        # The macros of the precompiled header, which the compiler loads at this line.
        header = re.compile(r'^#pragma GCC pch_preprocess ".*"$', re.MULTILINE)
        whole = header.sub(lambda _: _read(macros), _read(text), count=1)
        with_macros, expanded = self.folder / "with_macros.cpp", self.folder / "expanded.ii"
        mark = f"rewriter_{secrets.token_hex(8)}"
        marked = with_marks(whole, self.answer, mark)
        with_macros.write_text(marked, encoding="utf-8", errors="surrogateescape", newline="")
        self.do(self._preprocessing(with_macros, expanded, *OF_TEXT))
        check_source(_shown(expanded), self.answer, self._preprocess_text, mark)
        return text

    def look_at_object(self, file: Path, reference: Path | None = None) -> list[Symbol]:
        """Screens the object `file` of the answer; returns its symbols. reference: the object of an answer without code
        that runs before main().
        """
        start_bytes = tracer_start_size(symbols_in((reference,))) if reference else None
        names, sections, table, code = self.do_each(
            [
                ["nm", "--format=posix", str(file)],
                *(["objdump", option, "--wide", str(file)] for option in ("--section-headers", "--syms")),
                [*LISTING_COMMAND, str(file)],
            ]
        )
        symbols = read_symbols(names)
        check_object(sections, table, symbols, start_bytes, self._plain, self.has_nccl)
        listing = read_listing(code, also_with=tuple(SYSTEM_CALLS))

        def line(place: Place) -> str:
            """As in " in line 12"."""
            command = ["addr2line", "--inlines", "--exe", str(file), "--section", place.section, hex(place.offset)]
            return line_words(self.do(command), self.answer.source)

        check_machine_code(listing, line)
        return symbols

    def _plain(self, name: str) -> str:
        """The plain text of a name, unless it is too long for a command."""
        return self.do(["c++filt", "--", name]).strip() if len(name) < _MAX_DEMANGLED else name

    def _preprocess_text(self, text: str) -> tuple[str, str]:
        file, output = self.folder / "includes.cpp", self.folder / "includes.ii"
        file.write_text(text, encoding="utf-8")
        self.do(self._preprocessing(file, output))
        return _shown(output), str(file)

    def _preprocessing(self, file: Path, output: Path, *options: str) -> list[str]:
        folders = [f"-I{folder}" for folder in self.answer.folders]
        return [*self.command.replacing(self.compiled, file, output), *folders, "-E", "-w", *options]


def _read(file: Path) -> str:
    if file.stat().st_size > MAX_PREPROCESSED_BYTES:
        raise Refused(f"With all its headers it is larger than {MAX_PREPROCESSED_BYTES >> 20} MiB.")
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _shown(file: Path) -> str:
    return _read(file).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
