"""`--define NAME=VALUE`: a constant of the source gets a different value, such as a size that is too large for a CPU.

The value replaces the text of each `#define NAME`, and each initial value in a declaration `const int NAME = ...`. If
the file and its headers have neither, NAME is a macro from the first line on, as with the compiler's -D.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from cuda_source import RewriteError, Source

_NOT_A_TYPE = frozenset(("return", "else", "case", "goto", "throw", "new", "delete"))


def parse_definitions(words: Iterable[str]) -> dict[str, str]:
    """From NAME=VALUE, or NAME alone, whose value is 1."""
    pairs = (word.partition("=") for word in words)
    return {name: value if equals else "1" for name, equals, value in pairs}


def defined_here(source: Source, definitions: Mapping[str, str]) -> set[str]:
    """The names that the file itself defines."""
    return {name for name in definitions if next(_places(source, name), None)}


def definition_edits(source: Source, definitions: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """(from, to, replacement) for each definition in the file."""
    return [(*place, value) for name, value in definitions.items() for place in _places(source, name)]


def definitions_in_front(sources: list[Source], definitions: Mapping[str, str], others_have: Set[str]) -> str:
    """The #define lines for the names that no file defines. sources: the program's file and the headers that it
    reaches. others_have: the words of the program's other files.

    Raises RewriteError, in the form of a compiler's message, for a name that no file contains.
    """
    lines = ""
    for name, value in definitions.items():
        if name not in others_have and not any(re.search(rf"\b{name}\b", source.masked) for source in sources):
            message = f"--define {name}={value} has no effect: this file and its headers do not contain {name}"
            raise sources[0].error(0, message)
        if not any(defined_here(source, {name: value}) for source in sources):
            lines += f"#define {name} {value}\n"
    return lines


def _places(source: Source, name: str) -> Iterator[tuple[int, int]]:
    """The spans of the values that the file gives to `name`."""
    masked = source.masked
    for macro in re.finditer(rf"^[ \t]*#[ \t]*define[ \t]+{name}\b(?!\()[ \t]*", masked, re.MULTILINE):
        body = re.compile(r"(?:\\\n|[^\n])*").match(masked, macro.end())
        if body.group().strip():
            yield macro.end(), macro.end() + len(body.group().rstrip())
    declaration = rf"(?:(?P<type>\b[A-Za-z_]\w*)[\s*&>]+|,\s*){name}\s*(?P<begin>=(?!=)\s*|(?=\{{))"
    for declared in re.finditer(declaration, masked):
        if declared["type"] in _NOT_A_TYPE or source.in_define(declared.start()):
            continue
        end = _end_of_value(source, declared.end())
        if end > declared.end():
            if not declared["begin"]:
                yield declared.end() + 1, end - 1  # between the braces
            else:
                yield declared.end(), end


def _end_of_value(source: Source, begin: int) -> int:
    """The end of an initial value, which goes up to a comma, a semicolon or the bracket around the declaration."""
    i = begin
    while i < len(source.masked) and source.masked[i] not in ",;)]}":
        if source.masked[i] in "([{":
            try:
                i = source.matching_close(i)
            except RewriteError:
                return begin
        else:
            i += 1
    return i
