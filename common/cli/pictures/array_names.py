"""The name in the source of the array that an access uses."""

from __future__ import annotations

import re
from collections import Counter

from cli.terminal.source_lines import SourceLines
from cli.tracing.report import Access, Kernel

_NAME = r"[A-Za-z_]\w*(?:(?:\.|->)\w+)*"
_NAMELESS = ("allocation ", "extern ")  # without a name in the report: from cudaMalloc, or dynamic shared memory
_NAME_AT_END = re.compile(_NAME + r"$")
_MEMBER = re.compile(r"\](?:\.\w+)*\.?$")  # member of a structure; its column is at its name, or at a '=' after it
_RIGHT_SIDE = re.compile(r"[=?]\s*(" + _NAME + r")\s*\[")
_ARGUMENT = re.compile(r"[(,]\s*&?\s*(" + _NAME + r")\s*[\[,)]")
_ASYNC_COPY = "__pipeline_memcpy_async"  # its first argument is the destination, its second the source


def name_in_source(access: Access, source: SourceLines) -> str | None:
    """`out` for out[i] = x.

    The compiler gives an access's column as the ']' of a load, or its '[' in a template, the '=' of a store, the '?' of
    a load in x ? a[i] : 0, or the '(' of atomicAdd(&out[i], x). A load of a whole structure, as in a[i] = b[i], is also
    at the '='. Returns None if the line has none of these at the column, for example in *p = x.
    """
    line = source.line(access.file, access.line)
    at = access.column - 1
    there = line[at : at + 1]
    if access.operation == "load" and there in ("=", "?"):
        right_side = _RIGHT_SIDE.match(line, at)
        return right_side[1] if right_side else None
    is_source = access.operation == "load" and line[:at].rstrip().endswith(_ASYNC_COPY)
    argument = _ARGUMENT.match(line, _next_comma(line, at) if is_source else at)
    if argument and there == "(":
        return argument[1]
    before = _MEMBER.sub("]", line[: at + 1] if there == "]" else line[:at].rstrip())
    return _name_before_brackets(before) if before.endswith("]") or there == "[" else None


def _name_before_brackets(before: str) -> str | None:
    """`tile`, from "x = tile[i][j]" or from "x = tile"."""
    while before.endswith("]"):
        start = _matching_bracket(before)
        if start is None:
            return None
        before = before[:start].rstrip()
    found = _NAME_AT_END.search(before)
    return found.group() if found else None


def _next_comma(line: str, opening: int) -> int:
    """The end of the first argument of the call with its parenthesis at `opening`, or the end of the line."""
    depth = 0
    for position in range(opening, len(line)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(line[position], 0)
        if line[position] == "," and depth == 1:
            return position
    return len(line)


def _matching_bracket(text: str) -> int | None:
    """The position of the bracket that matches the text's last character."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return None


def array_names(kernel: Kernel, source: SourceLines) -> dict[tuple[str, str], str]:
    """The source's name for each (memory, array) of the report, from the first access that has one.

    Two arrays with the same name, as in a helper function, get no name.
    """
    names: dict[tuple[str, str], str] = {}
    for access in sorted(kernel.accesses, key=lambda access: access.order):
        if access.example and access.example.array.startswith(_NAMELESS):
            name = name_in_source(access, source)
            if name:
                names.setdefault((access.memory, access.example.array), name)
    once = Counter(names.values())
    return {array: name for array, name in names.items() if once[name] == 1}
