"""The functions of a CUDA file that run on the device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cuda_source import RewriteError, Source

_DEVICE_CODE = re.compile(r"\b__(?:global|device)__\b")


class DeviceFunction(NamedTuple):
    is_kernel: bool
    returns: str  # its type's name; "" if it has more than one word
    parameters: str
    body: str
    span: tuple[int, int]  # of the body, in the file
    name: str


def device_functions(source: Source) -> Iterator[DeviceFunction]:
    """The functions with a body, in the order of the text. Code that cannot be parsed is left to the compiler."""
    for match in _DEVICE_CODE.finditer(source.masked):
        try:
            function = None if source.in_define(match.start()) else _function(source, match)
        except RewriteError:
            continue
        if function:
            yield function


def _function(source: Source, specifier: re.Match[str]) -> DeviceFunction | None:
    opening = re.compile(r"[^;{}()]*\(").match(source.masked, specifier.end())
    while opening and re.search(r"\b(?:__launch_bounds__|__attribute__|__maxnreg__)\s*\(\Z", opening.group()):
        behind = source.matching_close(opening.end() - 1)
        opening = re.compile(r"[^;{}()]*\(").match(source.masked, behind)
    if not opening:
        return None
    close = source.matching_close(opening.end() - 1)
    brace = re.compile(r"[^;{}]*\{").match(source.masked, close)
    if not brace:
        return None
    begin, end = brace.end(), source.matching_close(brace.end() - 1) - 1
    returns = re.search(r"([A-Za-z_]\w*)\s+[A-Za-z_]\w*\s*\(\Z", opening.group())
    name = re.search(r"([A-Za-z_]\w*)\s*\(\Z", opening.group())
    return DeviceFunction(
        specifier.group() == "__global__",
        returns.group(1) if returns else "",
        source.masked[opening.end() : close - 1],
        source.masked[begin:end],
        (begin, end),
        name.group(1) if name else "",
    )
