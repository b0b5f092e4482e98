"""The operators that make mutants: each inserts one kind of small bug, at every place where it fits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mutate.source import ASSIGNMENTS, Source

_BARRIERS = ("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block", "__threadfence_system")
_BARRIER_METHODS = ("sync", "arrive_and_wait")  # of cooperative groups and cuda::barrier
_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"}
_OTHER_AXIS = {"x": "y", "y": "x", "z": "x", "w": "x"}
_BOUND = re.compile(r"(?:\w+_)?error_bound|sum_order|accuracy")  # functions that return the allowed error of a result
_DYNAMIC_SHARED = 2  # index in a launch's arguments
_CONDITION_ENDS = frozenset(("?", ":"))
_LOGIC = {"&&": frozenset(("?", ":", "||", "&&")), "||": frozenset(("?", ":", "||"))}


@dataclass(frozen=True)
class Edit:
    start: int  # offsets in the file's text
    end: int
    replacement: str
    words: str  # a description


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    operator: str
    mutation: str  # a description; different for every mutant of a line
    code: str  # the original line, without the white space around it
    text: str  # the whole file

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}: {self.mutation}"

    @property
    def mutated_code(self) -> str:
        return self.text.split("\n")[self.line - 1].strip()


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Every mutant of a file, from top to bottom. They keep its line breaks, so lines keep their numbers.

    Functions that return the error bound of the check are left out: a wider bound fails no test of the kernel's result.
    """
    source = Source(text)
    lines = text.split("\n")
    mutants = []
    texts = {text}
    times: Counter[tuple[int, str]] = Counter()
    bounds = _bound_functions(source)
    edits = [
        (edit, operator)
        for operator, find in OPERATORS.items()
        for edit in find(source)
        if not any(start <= edit.start < end for start, end in bounds)
    ]
    for edit, operator in sorted(edits, key=lambda pair: (pair[0].start, pair[0].end)):
        mutated = text[: edit.start] + edit.replacement + text[edit.end :]
        if mutated in texts:
            continue
        texts.add(mutated)
        line = source.line(edit.start)
        times[line, edit.words] += 1
        again = times[line, edit.words]
        words = f"{edit.words} ({again} on this line)" if again > 1 else edit.words
        mutants.append(Mutant(file, line, operator, words, lines[line - 1].strip(), mutated))
    return mutants


def _bound_functions(source: Source) -> list[tuple[int, int]]:
    """The ranges of these functions in the file's text, starting at the name."""
    return [
        (source.tokens[opening - 1].start, source.tokens[end].end)
        for opening, (_, end) in source.functions()
        if _BOUND.fullmatch(source.at(opening - 1))
    ]


def _replace(source: Source, first: int, last: int, replacement: str, words: str) -> Edit:
    """Replaces a span by a text, and adds line breaks so that the number of lines stays the same."""
    start, end = source.tokens[first].start, source.tokens[last].end
    breaks = source.text.count("\n", start, end) - replacement.count("\n")
    return Edit(start, end, replacement + "\n" * breaks, words)


def _became(source: Source, first: int, last: int, i: int, new: str) -> str:
    """The description `a < b became a <= b` for the operator i in a span."""
    before, after = source.shown(first, i - 1), source.shown(i + 1, last)
    return f"{before} {source.at(i)} {after} became {before} {new} {after}"


def _is_barrier(source: Source, first: int, last: int) -> bool:
    names = [i for i in range(first, last) if source.at(i + 1) == "(" and source.partner.get(i + 1) == last - 1]
    if not names:
        return False
    name = names[0]
    return (name == first and source.at(name) in _BARRIERS) or (name > first and source.at(name) in _BARRIER_METHODS)


def barriers(source: Source) -> Iterator[Edit]:
    for first, last in source.statements():
        if _is_barrier(source, first, last):
            yield _replace(source, first, last - 1, "", f"removed {source.shown(first, last - 1)}")


def statements(source: Source) -> Iterator[Edit]:
    for first, last in source.statements():
        if not _is_barrier(source, first, last):
            yield _replace(source, first, last - 1, "", f"dropped {source.shown(first, last - 1)}")
    for i in range(len(source.tokens)):
        if (source.at(i), source.at(i + 1)) == ("return", ";"):
            yield _replace(source, i, i, "", "dropped return")


def guards(source: Source) -> Iterator[Edit]:
    """A condition that is always true, and one that never is; this also removes an `if (...) return;`."""
    for i in range(len(source.tokens)):
        opening = i + 2 if source.at(i + 1) == "constexpr" else i + 1
        if source.at(i) == "if" and opening in source.partner:
            span = opening + 1, source.partner[opening] - 1
        elif source.at(i) == "?":
            span = source.operands(i, _CONDITION_ENDS)[0], i - 1
        else:
            continue
        for value in ("true", "false"):
            yield _replace(source, *span, value, f"condition {source.shown(*span)} became {value}")


def conjuncts(source: Source) -> Iterator[Edit]:
    for i, token in enumerate(source.tokens):
        if token.text not in _LOGIC or not token.spaced:
            continue
        first, last = source.operands(i, _LOGIC[token.text])
        yield _replace(source, i, last, "", f"dropped {token.text} {source.shown(i + 1, last)}")
        if source.at(first - 1) != token.text:  # otherwise the operator to the left has dropped it
            yield _replace(source, first, i, "", f"dropped {source.shown(first, i)}")


def comparisons(source: Source) -> Iterator[Edit]:
    return _binary(source, _COMPARISONS)


def arithmetic(source: Source) -> Iterator[Edit]:
    return _binary(source, _ARITHMETIC)


def _binary(source: Source, changes: dict[str, str]) -> Iterator[Edit]:
    for i, token in enumerate(source.tokens):
        nothing = token.text in ("+", "-") and source.at(i + 1) == "0"  # x + 0 is x - 0
        if token.text in changes and token.spaced and not nothing:
            new = changes[token.text]
            words = _became(source, source.factor_before(i), source.factor_after(i), i, new)
            yield _replace(source, i, i, new, words)


def assignments(source: Source) -> Iterator[Edit]:
    for i, token in enumerate(source.tokens):
        if token.text in ASSIGNMENTS:
            first, last = source.operands(i, frozenset())
            yield _replace(source, i, i, "=", _became(source, first, last, i, "="))


def axes(source: Source) -> Iterator[Edit]:
    """threadIdx.x for threadIdx.y, and so on; also the components of vectors such as float4."""
    for i, token in enumerate(source.tokens):
        if source.at(i - 1) == "." and token.text in _OTHER_AXIS and source.at(i + 1) != "(":
            whole = source.shown(source.factor_before(i - 1), i - 1)
            other = _OTHER_AXIS[token.text]
            yield _replace(source, i, i, other, f"{whole}{token.text} became {whole}{other}")


def _swap(source: Source, a: tuple[int, int], b: tuple[int, int]) -> Edit:
    between = source.text[source.tokens[a[1]].end : source.tokens[b[0]].start]
    words = f"swapped {source.shown(*a)} and {source.shown(*b)}"
    return _replace(source, a[0], b[1], source.code(*b) + between + source.code(*a), words)


def indices(source: Source) -> Iterator[Edit]:
    """a[i][j] becomes a[j][i], also in its declaration."""
    for i in range(len(source.tokens)):
        if (source.at(i), source.at(i + 1)) == ("]", "[") and i in source.partner and i + 1 in source.partner:
            yield _swap(source, (source.partner[i] + 1, i - 1), (i + 2, source.partner[i + 1] - 1))


def arguments(source: Source) -> Iterator[Edit]:
    """Swaps two adjacent arguments that are variables of the same type, but not constants of the same value."""
    types = source.declared_types()
    values = source.constants()
    for opening in range(len(source.tokens)):
        if source.at(opening) not in ("(", "<<<") or opening not in source.partner or not source.is_call(opening):
            continue
        spans = source.arguments(opening)
        for a, b in zip(spans, spans[1:]):
            if a[0] != a[1] or b[0] != b[1]:
                continue
            name, other = source.at(a[0]), source.at(b[0])
            if types.get(name, set()) & types.get(other, set()) and values.get(name, name) != values.get(other, other):
                yield _swap(source, a, b)


def parameters(source: Source) -> Iterator[Edit]:
    """Replaces a function's parameter by another parameter of the same type: rows for cols."""
    for opening, (begin, end) in source.functions():
        same_type: dict[str, list[str]] = {}
        for first, last in source.arguments(opening):
            default = next((i for i in range(first, last + 1) if source.at(i) == "="), last + 1)
            same_type.setdefault(source.type_before(default - 1), []).append(source.at(default - 1))
        next_one = {name: names[(k + 1) % len(names)] for names in same_type.values() for k, name in enumerate(names)}
        for i in range(begin, end):
            name = source.at(i)
            other = next_one.get(name, name)
            if other != name and source.at(i - 1) not in (".", "->", "::"):
                yield _replace(source, i, i, other, f"{name} became {other}")


def constants(source: Source) -> Iterator[Edit]:
    """Changes constants by 1, except 0 bytes of dynamic shared memory in a launch: no code reads an additional byte."""
    for i, token in enumerate(source.tokens):
        if not token.is_number or (token.text == "0" and source.launch_argument(i) == _DYNAMIC_SHARED):
            continue
        for step in (1, -1):
            if re.fullmatch(r"0|[1-9]\d*", token.text):
                new = str(int(token.text) + step)
            else:  # a suffix, a fraction or another base
                new = f"({token.text} {'+' if step > 0 else '-'} 1)"
            yield _replace(source, i, i, new, f"{token.text} became {new}")


def loop_bounds(source: Source) -> Iterator[Edit]:
    """One iteration more or less: the bound changes by the step of the loop's variable."""
    for i in range(len(source.tokens)):
        semicolons = _loop_semicolons(source, i)
        if len(semicolons) != 2:
            continue
        step = _loop_step(source, semicolons[1], source.partner[i + 1])
        for j in range(semicolons[0] + 1, semicolons[1]):
            if source.at(j) in _COMPARISONS and source.tokens[j].spaced and source.enclosing[j] == i + 1:
                last = source.operands(j, _LOGIC["&&"])[1]
                if step == "1" and j + 1 == last and source.tokens[last].is_number:
                    continue  # constants() changes it
                bound = source.code(j + 1, last)
                for sign in "+-":
                    words = f"loop bound {source.shown(j + 1, last)} became {source.shown(j + 1, last)} {sign} {step}"
                    yield _replace(source, j + 1, last, f"{bound} {sign} {step}", words)


def _loop_semicolons(source: Source, i: int) -> list[int]:
    if source.at(i) != "for" or i + 1 not in source.partner:
        return []
    return [j for j in range(i + 2, source.partner[i + 1]) if source.at(j) == ";" and source.enclosing[j] == i + 1]


def _loop_step(source: Source, semicolon: int, closing: int) -> str:
    for j in range(semicolon + 1, closing):
        if source.at(j) in ("+=", "-="):
            step = source.shown(j + 1, closing - 1)
            return step if j + 1 == closing - 1 else f"({step})"
    return "1"


# The operators, in the order of the table of results.
OPERATORS: dict[str, Callable[[Source], Iterator[Edit]]] = {
    "barrier or fence removed": barriers,
    "condition always or never true": guards,
    "part of a condition dropped": conjuncts,
    "comparison off by one or inverted": comparisons,
    "arithmetic operator": arithmetic,
    "compound assignment to plain": assignments,
    "axis or component": axes,
    "indices swapped": indices,
    "arguments swapped": arguments,
    "parameter of the same type": parameters,
    "constant one more, one less": constants,
    "one loop iteration more or less": loop_bounds,
    "statement dropped": statements,
}
