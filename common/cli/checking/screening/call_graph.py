"""Refuses library functions that move memory in code that a kernel reaches.

These functions are compiled already, so the simulator sees none of their accesses: a kernel could store a result with
strncpy, and its counts would not show it. On the host they are allowed.

What a kernel reaches: the functions that its code calls or names, also through tables. If that code calls through a
pointer, it may reach each function whose address is taken anywhere.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cli.checking.screening.code_listing import (
    Function,
    Instruction,
    Listing,
    Place,
    Reference,
    function_name,
    read_contents,
)
from cli.errors import Refused

# The function that the simulator runs for each thread of a launch. It calls the kernel.
_LAUNCHED = re.compile(r"14cuda_simulator6Launch.*_FUN")
# The same, if the launch names the kernel by a pointer.
_CALL_OF = re.compile(r"14cuda_simulator6Launch.*7call_of")
_PART_OF_LAUNCH = re.compile(r"14cuda_simulator|ENKUlDpT_E\d*_cl")
CALLS_ITS_ARGUMENT = ("qsort", "bsearch")
_OF_STD_FUNCTION = re.compile(r"_ZNSt17_Function_handlerI.*E\d+_M_(?:invoke|manager)E")
_TEXT_FUNCTIONS = re.compile(
    r"(?:__)?(?:isoc\d+_)?(?:(?:str|wcs|wmem)\w+|(?:v?(?:f|s|sn|as|d)|v)printf(?:_chk)?|v?[fs]?scanf)\Z"
    r"|__printf_chk\Z|(?:__)?mem(?:chr|rchr|ccpy|mem)\Z|f(?:read|write|gets|puts|putc)\Z"
    r"|perror\Z|qsort\Z|bsearch\Z|ato(?:i|l|ll|f)\Z"
    r"|_ZSt\d+(?:from|to)_chars|_ZNS[io](?:4read|5write|3get|7getline|8readsome)"
)
# Compiled functions of the C++ library, except those that end the program or leave the function.
_CPP_LIBRARY = re.compile(r"_ZN?K?S(?!t\d+(?:__throw_|terminate|exception|bad_|\w+_error))")

# A text with %n; not data that has such bytes by accident. %% prints a percent sign.
_FLAGS = rb"[-+ #0-9'*.$hljztLqI]*"
_PRINTED = rb"[\a-\r\x1b -$&-~\x80-\xff]"
_STORES = re.compile(rb"(?:" + _PRINTED + rb"|%%|%(?!" + _FLAGS + rb"n)" + _PRINTED + rb")*%" + _FLAGS + rb"n")
_UNSEEN = "The simulator cannot see which memory this library function uses, and nvcc refuses it in device code."

# What the function is from which a kernel's code begins.
_KERNEL = "a kernel"
_LAUNCHED_BY_POINTER = "which the launch through a pointer can start"
_CALLED_BY_POINTER = "which a kernel that calls through a pointer can run"


@dataclass(frozen=True)
class Use:
    """An instruction that names a function or variable from elsewhere."""

    name: str
    instruction: Instruction
    function: Function  # contains the instruction
    role: str  # of the function that kernel_of() returns, for a message


@dataclass
class CallGraph:
    listing: Listing
    _cuts: dict[str, list[int]] = field(default_factory=dict)  # by section: where a piece of data begins
    _in_piece: dict[Place, list[Reference]] = field(default_factory=lambda: defaultdict(list))
    _callers: dict[Place, Function | None] = field(default_factory=dict)  # of the functions that were reached
    data_used: dict[Place, Instruction] = field(default_factory=dict)  # by functions that were reached

    def __post_init__(self) -> None:
        cuts: dict[str, set[int]] = defaultdict(set)
        for section, variables in self.listing.variables.items():
            cuts[section].update(begin for begin, _, _ in variables)
        for place in (*self._referenced_places(), *(Place(datum.place.section, 0) for datum in self.listing.data)):
            cuts[place.section].add(place.offset)
        self._cuts = {section: sorted(offsets) for section, offsets in cuts.items()}
        for datum in self.listing.data:
            for piece in self._pieces(datum.place):
                self._in_piece[piece].append(datum.reference)

    def uses_in_kernels(self) -> Iterator[Use]:
        """All names from elsewhere in code that a launch reaches."""
        through_pointer: list[Function] = []
        roots = [(function, None) for function in self.listing.functions.values() if _LAUNCHED.search(function.name)]
        yield from self._uses(roots, through_pointer, _KERNEL)
        for role, is_launch in ((_LAUNCHED_BY_POINTER, True), (_CALLED_BY_POINTER, False)):
            if any(is_launch == (_CALL_OF.search(function.name) is not None) for function in through_pointer):
                targets = [(function, None) for function in self._with_address(is_launch)]
                yield from self._uses(targets, through_pointer, role)

    def kernel_of(self, function: Function) -> Function:
        """The function that is not part of a launch, and from which a function was reached."""
        first: Function | None = function
        while first:
            if not _PART_OF_LAUNCH.search(first.name):
                function = first
            first = self._callers.get(first.place)
        return function

    def _uses(
        self, called: list[tuple[Function, Function | None]], through_pointer: list[Function], role: str
    ) -> Iterator[Use]:
        """The uses in functions that are called, each with its caller, and in all that they reach. The functions that
        call through a pointer are added to through_pointer.
        """
        waiting = []
        for function, caller in called:
            if function.place not in self._callers:
                self._callers[function.place] = caller
                waiting.append(function)
        while waiting:
            function = waiting.pop()
            if any(instruction.is_through_pointer for instruction in function.instructions):
                through_pointer.append(function)
            for instruction, reference in self._references(function):
                if not reference.places:
                    yield Use(reference.name, instruction, function, role)
                for place in reference.places:
                    # A table of the compiler's for a switch refers to positions inside functions.
                    at = self.listing.function_at if instruction.is_branch else self.listing.functions.get
                    other = at(place)
                    if other and other.place not in self._callers:
                        self._callers[other.place] = function
                        waiting.append(other)

    def _references(self, function: Function) -> Iterator[tuple[Instruction, Reference]]:
        """What the instructions of a function refer to, also through data."""
        seen: set[Place] = set()
        for instruction in function.instructions:
            # table[i - 1] refers to an address in front of the table.
            is_table = ",%r" in instruction.text
            references = [(reference, is_table) for reference in instruction.references]
            while references:
                reference, is_table = references.pop()
                yield instruction, reference
                for place in reference.places:
                    if place.section in self.listing.code_sections:
                        continue
                    self.data_used.setdefault(place, instruction)
                    for piece in self._pieces(place, is_table):
                        if piece not in seen:
                            seen.add(piece)
                            references += [(inner, False) for inner in self._in_piece.get(piece, [])]

    def _with_address(self, launches: bool) -> Iterator[Function]:
        """The functions whose address is used, but not only for std::function, qsort, bsearch and virtual functions of
        the C++ library; if `launches`, without all virtual functions.
        """
        tables = ("_ZTV",) if launches else ("_ZTVSt", "_ZTVNSt")
        places = {
            place
            for datum in self.listing.data
            if not self.listing.variable_at(datum.place).startswith(tables)
            for place in datum.reference.places
        }
        for function in self.listing.functions.values():
            called = ""  # by the next call
            for instruction in reversed(function.instructions):
                if instruction.is_call:
                    called = instruction.references[0].name if instruction.references else ""
                elif not instruction.is_branch and called not in CALLS_ITS_ARGUMENT:
                    places.update(place for reference in instruction.references for place in reference.places)
        for function in filter(None, map(self.listing.functions.get, places)):
            if not _OF_STD_FUNCTION.match(function.name):
                yield function

    def _referenced_places(self) -> Iterator[Place]:
        for _, instruction in self.listing.instructions():
            for reference in instruction.references:
                yield from reference.places
        for datum in self.listing.data:
            yield from datum.reference.places

    def _pieces(self, place: Place, is_table: bool = False) -> list[Place]:
        """The beginning of the data that contains a place: of a variable, or of the data up to the next address that is
        named anywhere. If is_table, also the next beginning.
        """
        cuts = self._cuts.get(place.section, [])
        number = max(0, bisect.bisect_right(cuts, place.offset) - 1)
        return [Place(place.section, cut) for cut in cuts[number : number + 1 + is_table]]


def check_calls(
    listing: Listing, line: Callable[[Place], str], plain: Callable[[str], str], contents: Callable[[str], str]
) -> None:
    """Raises Refused if a kernel reaches a function that moves memory, or if the address of one is used.

    line: " in line 12" for a place; plain: the plain text of a name; contents: what `objdump --full-contents` prints
    for a section.
    """
    plain = functools.lru_cache(maxsize=None)(plain)  # it starts a program
    for _, instruction in listing.instructions():
        for reference in instruction.references:
            if _TEXT_FUNCTIONS.match(reference.name) and not (instruction.is_call or instruction.is_branch):
                raise _address(plain(reference.name), line(instruction.place))
    for datum in listing.data:
        if _TEXT_FUNCTIONS.match(datum.reference.name):
            variable = function_name(plain(listing.variable_at(datum.place)))
            raise _address(plain(datum.reference.name), f" in the variable {variable}" if variable else "")
    graph = CallGraph(listing)
    kernel_types: set[str] | None = None
    prints = False
    for use in graph.uses_in_kernels():
        prints |= use.name == "printf"
        if not (_TEXT_FUNCTIONS.match(use.name) or (use.role != _CALLED_BY_POINTER and _CPP_LIBRARY.match(use.name))):
            continue
        first = plain(graph.kernel_of(use.function).name)
        if use.role == _LAUNCHED_BY_POINTER:
            if kernel_types is None:
                launches = [name for name in listing.symbols if _CALL_OF.search(name) and _LAUNCHED.search(name)]
                # "...Launch<cuda_simulator::call_of<int*, int>(void (*)(int*, int))::{lambda..."
                kernel_types = {_parameters(plain(name).partition(")::{lambda")[0]) for name in launches}
            if _parameters(first) not in kernel_types:
                continue
        raise Refused(
            f"It calls {function_name(plain(use.name))}(){line(use.instruction.place)}, in code of "
            f"{function_name(first)}(), {use.role}. {_UNSEEN} In a kernel use memcpy, memmove, memset or "
            "a loop of your own, and printf to print."
        )
    if prints:
        _check_formats(graph, line, contents)


def _check_formats(graph: CallGraph, line: Callable[[Place], str], contents: Callable[[str], str]) -> None:
    """Raises Refused if a constant text that kernels use contains the conversion %n."""
    bytes_of: dict[str, bytes] = {}
    for place, instruction in graph.data_used.items():
        if place.section.startswith((".rodata", ".data", "cuda_constant")) and place.offset >= 0:
            if place.section not in bytes_of:
                bytes_of[place.section] = read_contents(contents(place.section))
            if _STORES.match(bytes_of[place.section], place.offset):
                raise Refused(
                    f"A kernel uses the conversion %n{line(instruction.place)}: printf would store a number through a "
                    "pointer, and CUDA's printf cannot. Remove it."
                )


def _parameters(plain: str) -> str:
    """The types between the last parentheses of a function's plain text, such as "void k<2>(int*, int)"."""
    depth, end = 0, plain.rfind(")")
    for position in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(plain[position], 0)
        if depth == 0:
            return plain[position + 1 : end]
    return ""


def _address(plain: str, place: str) -> Refused:
    return Refused(
        f"It uses the address of {function_name(plain)}(){place}, through which a kernel could call it. {_UNSEEN} "
        "Call it by its name, in host code."
    )
