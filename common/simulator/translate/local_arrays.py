"""Local arrays of device code that the tracer must follow, to find reads of elements that the thread has not written,
and to count the accesses of arrays that a GPU keeps in local memory.

A local array that was meant to be __shared__, or that was not initialised, gives meaningless results. g++ traces
accesses of a local array only if its address leaves the function, so a mark after the declaration takes the address:

    float tile[32][33];   becomes   float tile[32][33];CUDA_SIMULATOR_LOCAL_ARRAY(tile,true,false,false)

A followed array is in memory, and each of its accesses is a call. The arrays that a fast kernel keeps in registers are
not followed: they are indexed by constants and loop variables, and written first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cuda_source import RewriteError, Source
from device_functions import DeviceFunction, device_functions

_DECLARATOR = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*(?P<extents>(?:\[[^\[\]]*\]\s*)+)(?=[,;]|=\s*\{[^{};]*\}\s*[,;])")
# The beginning of a statement, up to the first name that it declares. __shared__ and static arrays do not match.
_DECLARATION = re.compile(
    r"""\s*(?:(?:volatile|unsigned|signed|short|long|struct|typename|(?:alignas|__align__)\s*\([^()]*\))\s+)*
        (?!(?:return|delete|new|case|else|goto|throw|using|typedef|static|extern|constexpr|const|do)\b)
        (?:__(?!shared__|constant__|device__))?[A-Za-z]\w*(?:\s*::\s*\w+)*(?:\s*<[^;{}()]*>)?\s+
        (?:[A-Za-z_]\w*\s*[\[=,(].*,\s*)?\Z""",
    re.VERBOSE | re.DOTALL,
)
# A jump must not skip a mark, and stores in assembly are not traced.
_NOT_FOLLOWED = re.compile(r"\bgoto\b|\basm\b|\b__asm(?:__)?\b")
_THREAD = re.compile(r"\bthreadIdx\b|\bthread_rank\s*\(|\bthread_index\s*\(")
_ELEMENT = re.compile(r"\w\s*\[")
_ASSIGNMENT = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*(?=(?P<value>(?:[-+*/%&|^]|<<|>>)?=(?!=)[^;]*))")
_STORE = re.compile(r"\s*(?:\.\s*\w+\s*)*=(?!=)")
_CHANGE = re.compile(r"\s*(?:[-+*/%&|^]|<<|>>)=|\s*(?:\+\+|--)")
_READS = re.compile(r"=|\breturn\b|(?:\+\+|--)\s*\Z")  # before an element
_NAMES = re.compile(r"[A-Za-z_]\w*")


class LocalArray(NamedTuple):
    name: str
    declared: int  # the offset after the declaration's ";"
    by_thread: bool  # whether an index depends on the thread, as in an array that the block shares
    by_data: bool  # whether an index depends on an array's element, so that the array cannot be in registers
    is_set: bool  # by its declaration


def local_arrays(source: Source) -> list[LocalArray]:
    """The arrays to follow, in the order of the text."""
    found: dict[tuple[int, str], LocalArray] = {}
    for function in device_functions(source):
        if _NOT_FOLLOWED.search(function.body):
            continue
        parameters = "" if function.is_kernel else function.parameters
        of_thread, of_data = _Names(function, _THREAD, parameters), _Names(function, _ELEMENT)
        for match in _DECLARATOR.finditer(source.masked, *function.span):
            array = _array_to_follow(source, match, function.span[0], of_thread, of_data)
            if array:
                found[array.declared, array.name] = array  # once, because functions can be nested
    return [found[key] for key in sorted(found)]


class _Names:
    """The names whose values depend on `origin`, such as threadIdx, or on the parameters, as far as the text shows."""

    def __init__(self, function: DeviceFunction, origin: re.Pattern[str], parameters: str = "") -> None:
        self._origin = origin
        begin = function.span[0]
        self._names = set(re.findall(r"([A-Za-z_]\w*)\s*(?=,|\Z)", parameters))
        self._values = [(begin + m.start(), m["name"], _value(m)) for m in _ASSIGNMENT.finditer(function.body)]

    def are_in(self, index: str, offset: int) -> bool:
        """Returns whether an index at `offset` contains such a name, or the origin itself."""
        names = set(self._names)
        for at, name, value in self._values:
            if at >= offset:
                break
            if self._depends(value, names):
                names.add(name)
            else:
                names.discard(name)
        return self._depends(index, names)

    def _depends(self, expression: str, names: set[str]) -> bool:
        return self._origin.search(expression) is not None or not names.isdisjoint(_NAMES.findall(expression))


def _value(assignment: re.Match[str]) -> str:
    """The text that an assignment's result depends on, including the old value for += and similar operators."""
    value = assignment["value"]
    depth = 0
    for i, character in enumerate(value):
        depth += (character == "(") - (character == ")")
        if depth < 0:  # the end of a for's parentheses
            value = value[:i]
            break
    return value if value.startswith("=") else f"{assignment['name']} {value}"


def _array_to_follow(
    source: Source, match: re.Match[str], begin: int, of_thread: _Names, of_data: _Names
) -> LocalArray | None:
    masked = source.masked
    statement = max(masked.rfind(c, begin - 1, match.start()) for c in ";{}") + 1
    front = masked[statement : match.start()]
    if front.count("(") != front.count(")") or not _DECLARATION.match(front) or source.in_define(match.start()):
        return None
    block = _enclosing_brace(masked, statement)
    end = masked.find(";", match.end())
    is_set = masked.startswith("=", match.end())
    is_braced = "{" in masked[match.end() : end] and not is_set
    if end < 0 or is_braced or re.search(r"\bswitch\s*\([^{}]*\)\s*\Z", masked[:block]):
        return None
    try:
        scope = masked[end + 1 : source.matching_close(block) - 1]
        uses = list(_uses(scope, match["name"], match["extents"].count("[")))
    except (RewriteError, _OtherUseError):
        return None
    by_thread, by_data = (
        any(names.are_in(index, end + 1 + use.offset) for use in uses for index in use.indices)
        for names in (of_thread, of_data)
    )
    if by_data or uses and not is_set and (by_thread or uses[0].is_read):
        return LocalArray(match["name"], end + 1, by_thread, by_data, is_set)
    return None


class _Use(NamedTuple):
    offset: int  # in the scope
    indices: list[str]
    is_read: bool  # certainly; a call may also write its arguments


class _OtherUseError(Exception):
    """An array is used as a whole, or an element's address is taken: its stores may then not be traced."""


def _uses(scope: str, name: str, extents: int) -> Iterator[_Use]:
    """An array's uses by index. Raises _OtherUseError for any other use."""
    for match in re.finditer(rf"(?<![\w.])(?<!->)(?P<sizeof>\bsizeof\s*\(?\s*)?\b{name}\b", scope):
        if match["sizeof"]:
            continue
        before = scope[: match.start()].rstrip()
        if before.endswith("&") and not before.endswith("&&"):
            raise _OtherUseError
        end, indices = match.end(), []
        for _ in range(extents):
            begin, end = end, _behind_index(scope, end)
            indices.append(scope[begin:end].strip()[1:-1])
        is_store = _STORE.match(scope, end) is not None
        front = re.split(r"[;{}]", scope[: match.start()])[-1]
        is_read = not is_store and (_READS.search(front) is not None or _CHANGE.match(scope, end) is not None)
        yield _Use(match.start(), indices, is_read)


def _behind_index(scope: str, offset: int) -> int:
    """The offset after the "]" of the index at `offset`. Raises _OtherUseError if there is none."""
    depth = 0
    for i in range(offset, len(scope)):
        depth += (scope[i] == "[") - (scope[i] == "]")
        if depth == 0 and not scope[i].isspace():
            if scope[i] == "]":
                return i + 1
            break
    raise _OtherUseError


def _enclosing_brace(masked: str, offset: int) -> int:
    depth = 0
    for i in range(offset - 1, -1, -1):
        depth += (masked[i] == "}") - (masked[i] == "{")
        if depth < 0:
            return i
    return 0
