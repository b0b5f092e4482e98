"""Code in a kernel that g++ accepts and a GPU does not: reference parameters, the host's atomics, and static variables
whose first value is computed at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_source import Source
from device_functions import device_functions

_GLOBAL = re.compile(r"\b__global__\b")
_NAME = re.compile(r"[^;{}()]*?\b(?P<name>[A-Za-z_]\w*)\s*(?=\()")
_WITH_ARGUMENTS = ("__launch_bounds__", "__attribute__", "__maxnreg__", "__cluster_dims__", "alignas", "decltype")
_STATIC = re.compile(r"[;{}()](?P<before>[^;{}()=]*\bstatic\b)(?P<behind>[^;{}()=]*[;={])")
_HAS_OWN_RULE = re.compile(r"\b(?:constexpr|__shared__|__device__|__constant__|extern)\b")
_HOST_ATOMIC = re.compile(r"\bstd\s*::\s*atomic(?:_\w+)?\b")


def require_kernels_for_a_gpu(source: Source) -> None:
    """Raises RewriteError, in the form of a compiler's message, for a kernel that would behave differently on a GPU."""
    for match in _GLOBAL.finditer(source.masked):
        parameters = None if source.in_define(match.start()) else _parameters(source, match.end())
        if parameters is None:
            continue
        end = source.matching_close(parameters)
        for offset in _references(source, parameters + 1, end - 1):
            raise source.error(
                offset,
                "a kernel's parameter cannot be a reference: on a GPU it would be an address in host memory. "
                "Use a value or a pointer",
            )
        body = source.skip_space(end)
        if source.masked.startswith("{", body):
            end = source.matching_close(body)
        atomic = _HOST_ATOMIC.search(source.masked, parameters, end)
        if atomic:
            name = re.sub(r"\s", "", atomic.group())
            raise source.error(
                atomic.start(),
                f"{name} is for host code, and nvcc rejects it in a kernel. Use atomicAdd() or another atomic function "
                "of CUDA",
            )


def static_variables(source: Source) -> Iterator[int]:
    """The offsets behind each `static` of a variable in device code. Marked as __constinit there, g++ accepts only what
    nvcc accepts: a first value that is known at compile time.
    """
    for function in device_functions(source):
        begin, end = function.span
        for match in _STATIC.finditer(source.masked, begin - 1, end):  # from the function's {
            if not _HAS_OWN_RULE.search(match["before"] + match["behind"]):
                yield match.end("before")


def _parameters(source: Source, offset: int) -> int | None:
    """The offset of the "(" of a kernel's parameters; None if no function follows."""
    while True:
        match = _NAME.match(source.masked, offset)
        if not match:
            return None
        if match["name"] not in _WITH_ARGUMENTS:
            return match.end()
        offset = source.matching_close(match.end())


def _references(source: Source, begin: int, end: int) -> Iterator[int]:
    """The offsets where a parameter's type ends with "&", outside of brackets and default values."""
    depth, is_default = 0, False
    for offset in range(begin, end):
        c = source.masked[offset]
        if c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and source.masked[offset - 1] != "-"):
            depth -= 1
        elif depth == 0 and c == ",":
            is_default = False
        elif depth == 0 and c == "=":
            is_default = True
        elif depth == 0 and c == "&" and not is_default:
            yield offset
