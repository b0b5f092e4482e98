"""g++'s warnings about a learner's lines, for an answer that fails: they often name the cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cli.terminal.source_lines import SourceLines

# Without the warnings that correct code gets often. Some follow from optimization: variables without a value.
WARNING_OPTIONS = (
    *("-O2", "-S", "-Wall", "-Wextra", "-Wconversion", "-Wshadow=local", "-Wpointer-arith", "-Wlogical-op"),
    *("-Wduplicated-cond", "-Wduplicated-branches", "-Wno-unused", "-Wunused-value", "-Wno-sign-compare"),
    *("-Wno-unknown-pragmas", "-Wno-invalid-pch", "-fno-diagnostics-show-caret"),
    "-Wno-error",  # a build tree can have -Werror
)
MOST_SHOWN = 3
_LINE_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*line[ \t]+(?P<line>\d+)(?:[ \t]+\"(?P<file>[^\"\n]*)\")?")
_WARNING = re.compile(
    r"^(?P<file>[^\n]*?):(?P<line>\d+):\d+: warning: (?P<message>.*?)(?: \[-W[\w=+-]+\])?$", re.MULTILINE
)
# Of the conversions, only those to integers that lose a fraction, or most of their values.
_COMMON_CONVERSION = re.compile(
    r"conversion from '(?!(?:const )?(?:float|double)\b)[^']*'(?: \{[^}]*\})? to '(?!short\b)"
    r"|conversion .* to '(?:float|double)'"
)
_MEANINGS = (
    (r"comparison of unsigned expression", "An unsigned number is never negative: 0 - 1 is a very large number."),
    (r"left operand of comma operator", "(a, b) is only b. For two extents write dim3(a, b)."),
    (r"'[-+*/]' inside '(?:<<|>>)'", "Arithmetic comes before a shift: write ( ) around the shift."),
    (r"comparison in operand of|comparisons like", "Write ( ) around each part, and && between comparisons."),
    (r"assignment used as truth value", "= assigns a value; == compares."),
    (r"conversion from '[^']*(?:float|double)'.* to '", "An integer has no fraction, and 'auto sum = 0' is an int."),
    (r"conversion .* to 'short unsigned", "An unsigned short has only the values from 0 to 65535."),
    (r"conversion .* to 'short", "A short has only the values from -32768 to 32767."),
    (r"used uninitialized", "Give it a first value where it is declared."),
    (r"shadows a", "These are two variables with the same name, and the inner one ends with its block."),
    (r"does not guard", "Only its first statement, or a lone ;, belongs to it. Write { } around all of them."),
    (r"empty body", "The ; ends the statement, so the next one always runs."),
    (r"format '%[^']*' expects a matching", "Each % of the text needs a value of its own."),
    (r"subscript has type 'char'", "A char can be negative: convert it to unsigned char first."),
)


_Places = list[tuple[str, int]]  # for each line of a text: the file and the line that it comes from


def gxx_warnings(file: Path, rewritten: Path, compiled: Callable[[Path], str]) -> list[str]:
    """The warnings about the learner's file, each with the line of the source below it.

    rewritten: what rewrite_cuda.py has made of the file; it changes. compiled: compiles a file with WARNING_OPTIONS,
    and returns g++'s output.
    """
    text, places = _without_line_directives(rewritten.read_text(encoding="utf-8", errors="replace"))
    rewritten.write_text(text, encoding="utf-8")
    told: dict[int, str] = {}
    for match in _WARNING.finditer(compiled(rewritten)):
        if match["file"] == str(rewritten) and int(match["line"]) <= len(places):
            from_file, line = places[int(match["line"]) - 1]
            if from_file == str(file) and not _COMMON_CONVERSION.search(match["message"]):
                told.setdefault(line, match["message"])
    source_lines = SourceLines()
    return [
        f"The compiler warns about line {line}: {_sentence(message)}\n{line:>6} | {source_lines.line(str(file), line)}"
        for line, message in sorted(told.items())
    ]


def _without_line_directives(text: str) -> tuple[str, _Places]:
    """A rewritten file without its #line directives: where there is one, g++ does not compare indents."""
    lines: list[str] = []
    places: _Places = []
    file, number = "", 0
    for line in text.splitlines():
        directive = _LINE_DIRECTIVE.fullmatch(line)
        if directive:
            file, number = directive["file"] or file, int(directive["line"]) - 1
        lines.append("" if directive else line)
        places.append((file, number))
        number += 1
    return "\n".join(lines) + "\n", places


def _sentence(message: str) -> str:
    message = message.rstrip(".")
    meaning = next((words for pattern, words in _MEANINGS if re.search(pattern, message)), "")
    return f"{message}.{' ' if meaning else ''}{meaning}"
