"""Refuses library functions that move memory in code that a kernel reaches.

These functions are compiled already, so the simulator sees none of their accesses: a kernel could store a result with
strncpy, and its counts would not show it. On the host they are allowed.

What a kernel reaches: the functions that its code calls or names, also through tables. If that code calls through a
pointer, it may reach each function whose address is taken anywhere.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cli.errors import Refused
from grading.screening.code_listing import Function, Instruction, Listing, Place, Reference

# The function that the simulator runs for each thread of a launch. It calls the kernel.
_LAUNCHED = re.compile(r"14cuda_simulator6Launch.*_FUN")
_PART_OF_LAUNCH = re.compile(r"14cuda_simulator|ENKUlDpT_E\d*_cl")
_BY_POINTER = re.compile(r"14cuda_simulator7call_of")  # calls a kernel that a launch names by a pointer
_NOT_LAUNCHED = re.compile(r"_M_invoke|_M_manager")  # of std::function
_TEXT_FUNCTIONS = re.compile(
    r"(?:__)?(?:isoc\d+_)?(?:(?:str|wcs|wmem)\w+|(?:v?(?:f|s|sn|as|d)|v)printf(?:_chk)?|v?[fs]?scanf)\Z"
    r"|(?:__)?mem(?:chr|rchr|ccpy|mem)\Z|f(?:read|write|gets|puts|putc)\Z|perror\Z|qsort\Z|bsearch\Z|ato(?:i|l|ll|f)\Z"
    r"|_ZSt\d+(?:from|to)_chars"
)
# Compiled functions of the C++ library, except those that end the program or leave the function.
_CPP_LIBRARY = re.compile(r"_ZN?K?S(?!t\d+(?:__throw_|terminate|exception|bad_|\w+_error))")


@dataclass(frozen=True)
class Use:
    """An instruction that names a function or variable from elsewhere."""

    name: str
    instruction: Instruction
    function: Function  # contains the instruction
    is_certain: bool  # no call through a pointer is between the launch and the function


@dataclass
class CallGraph:
    listing: Listing
    _cuts: dict[str, list[int]] = field(default_factory=dict)  # by section: where a piece of data begins
    _in_piece: dict[Place, list[Reference]] = field(default_factory=lambda: defaultdict(list))
    _callers: dict[Place, Function | None] = field(default_factory=dict)  # of the functions that were reached

    def __post_init__(self) -> None:
        cuts: dict[str, set[int]] = defaultdict(set)
        for section, variables in self.listing.variables.items():
            cuts[section].update(begin for begin, _, _ in variables)
        for place in self._referenced_places():
            cuts[place.section].add(place.offset)
        self._cuts = {section: sorted(offsets) for section, offsets in cuts.items()}
        for datum in self.listing.data:
            self._in_piece[self._piece(datum.place)].append(datum.reference)

    def uses_in_kernels(self) -> Iterator[Use]:
        """All names from elsewhere in code that a launch reaches."""
        through_pointer: list[Function] = []
        roots = [(function, None) for function in self.listing.functions if _LAUNCHED.search(function.name)]
        yield from self._uses(roots, through_pointer, True)
        all_were_added = False
        while through_pointer and not all_were_added:
            function = through_pointer.pop()
            launches = _BY_POINTER.search(function.name) is not None
            all_were_added = not launches
            more = [(called, function) for called in self._with_address(launches)]
            yield from self._uses(more, through_pointer, False)
            if launches:
                through_pointer[:] = [other for other in through_pointer if not _BY_POINTER.search(other.name)]

    def kernel_of(self, function: Function) -> Function:
        """The kernel from which a function was reached: it is called by code that is part of a launch."""
        kernel = function
        while caller := self._callers.get(function.place):
            if _PART_OF_LAUNCH.search(function.name) is None:
                kernel = function
            function = caller
        return kernel

    def _uses(
        self, called: list[tuple[Function, Function | None]], through_pointer: list[Function], is_certain: bool
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
                    yield Use(reference.name, instruction, function, is_certain)
                for place in reference.places:
                    other = self.listing.function_at(place)
                    if other and other.place not in self._callers:
                        self._callers[other.place] = function
                        waiting.append(other)

    def _references(self, function: Function) -> Iterator[tuple[Instruction, Reference]]:
        """What the instructions of a function refer to, also through data."""
        pieces: set[Place] = set()
        for instruction in function.instructions:
            references = list(instruction.references)
            while references:
                reference = references.pop()
                yield instruction, reference
                for place in reference.places:
                    piece = self._piece(place)
                    if piece not in pieces and place.section not in self.listing.code_sections:
                        pieces.add(piece)
                        references += self._in_piece.get(piece, [])

    def _with_address(self, launches: bool) -> Iterator[Function]:
        """The functions whose address is taken; if `launches`, without those that cannot be kernels."""
        in_data = [
            place
            for datum in self.listing.data
            if not (launches and self.listing.variable_at(datum.place).startswith("_ZTV"))
            for place in datum.reference.places
        ]
        in_code = (
            place
            for _, instruction in self.listing.instructions()
            if not instruction.is_branch
            for reference in instruction.references
            for place in reference.places
        )
        for place in {*in_data, *in_code}:
            function = self.listing.function_at(place) if self.listing.is_start(place) else None
            if function and not (launches and _NOT_LAUNCHED.search(function.name)):
                yield function

    def _referenced_places(self) -> Iterator[Place]:
        for _, instruction in self.listing.instructions():
            for reference in instruction.references:
                yield from reference.places
        for datum in self.listing.data:
            yield from datum.reference.places

    def _piece(self, place: Place) -> Place:
        """The beginning of the data that contains a place: of a variable, or of the data up to the next address that is
        named anywhere.
        """
        cuts = self._cuts.get(place.section, [])
        number = bisect.bisect_right(cuts, place.offset) - 1
        return Place(place.section, cuts[number] if number >= 0 else 0)


def check_calls(listing: Listing, line: Callable[[Place], str], plain: Callable[[str], str]) -> None:
    """Raises Refused if a kernel reaches a function that moves memory, or if the address of one is taken.

    line: " in line 12" for a place; plain: the name of a function without its parameters.
    """
    for _, instruction in listing.instructions():
        for reference in instruction.references:
            if _TEXT_FUNCTIONS.match(reference.name) and not (instruction.is_call or instruction.is_branch):
                raise _address(reference.name, line(instruction.place), plain)
    for datum in listing.data:
        if _TEXT_FUNCTIONS.match(datum.reference.name):
            variable = listing.variable_at(datum.place)
            raise _address(datum.reference.name, f" in the variable {plain(variable)}" if variable else "", plain)
    graph = CallGraph(listing)
    for use in graph.uses_in_kernels():
        if _TEXT_FUNCTIONS.match(use.name) or (use.is_certain and _CPP_LIBRARY.match(use.name)):
            raise Refused(
                f"It calls {plain(use.name)}(){line(use.instruction.place)}, in code that the kernel "
                f"{plain(graph.kernel_of(use.function).name)} runs. The simulator cannot see which memory that function "
                "reads and writes, and nvcc refuses it. Use memcpy, memmove, memset or a loop of your own in a kernel, and "
                "printf to print."
            )


def _address(name: str, place: str, plain: Callable[[str], str]) -> Refused:
    return Refused(
        f"It takes the address of {plain(name)}(){place}: a kernel could call it through this address, and the simulator "
        "cannot see which memory it reads and writes. Call it by its name, in host code."
    )
