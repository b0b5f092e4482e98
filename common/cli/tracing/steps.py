"""The blocks of a report that were recorded step by step: its entry `steps` (docs/simulator.md has the format)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

VERSION = 1
_REQUEST_HEAD, _RUN = 6, 4  # numbers before the runs of lanes in a request, and numbers per run
_WARP_SIZE = 32

# As in the report: a list that starts with the number of an access, or with "barrier", "part" or "meet".
Step = tuple[Union[int, str], ...]


@dataclass(frozen=True)
class RecordedArray:
    """begin_in_line: as in Example."""

    memory: str
    name: str
    bytes: int
    begin_in_line: int


@dataclass(frozen=True)
class RecordedBlock:
    """reason: why the block was recorded. left_out: the number of its steps that were not recorded."""

    block: tuple[int, ...]
    launch: int
    reason: str
    left_out: int
    arrays: tuple[RecordedArray, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Steps:
    """places: (file, line, column); steps refer to a place by its index."""

    blocks: tuple[RecordedBlock, ...] = ()
    places: tuple[tuple[str, int, int], ...] = ()


def is_request(step: Step) -> bool:
    return isinstance(step[0], int)


def offsets_of(step: Step) -> tuple[int | None, ...]:
    """The offset in bytes at which each lane of a request accesses the array; None for an inactive lane."""
    offsets: list[int | None] = [None] * _WARP_SIZE
    for at in range(_REQUEST_HEAD, len(step), _RUN):
        first, lanes, offset, stride = step[at : at + _RUN]
        for n in range(lanes):
            offsets[first + n] = offset + n * stride
    return tuple(offsets)


def parse_steps(data: dict[str, Any] | None, access_count: int) -> Steps:
    """Returns empty Steps without data, or for a version that this command cannot read. Raises TypeError, ValueError or
    KeyError if the data does not have the right format.
    """
    if data is None or data["version"] != VERSION:
        return Steps()
    places = tuple((_text(file), _number(line), _number(column)) for file, line, column in data["places"])
    return Steps(tuple(_block(block, access_count, len(places)) for block in data["blocks"]), places)


def _block(data: dict[str, Any], access_count: int, place_count: int) -> RecordedBlock:
    arrays = tuple(
        RecordedArray(_text(of["memory"]), _text(of["name"]), _number(of["bytes"]), _number(of["begin_in_line"]))
        for of in data["arrays"]
    )
    steps = tuple(_step(step, access_count, place_count, len(arrays)) for step in data["steps"])
    block = tuple(_number(n) for n in data["block"])
    return RecordedBlock(
        block, _number(data["launch"]), _text(data["reason"]), _number(data["left_out"]), arrays, steps
    )


def _step(data: list[Any], access_count: int, place_count: int, array_count: int) -> Step:
    if isinstance(data[0], str):
        if data[0] not in ("barrier", "part", "meet") or not 0 <= _number(data[1]) < place_count:
            raise ValueError(f"{data[:2]} is not a step")
        for number in data[2:]:
            if not (isinstance(number, str) and data[0] == "meet"):
                _number(number)
        return tuple(data)
    for number in data:
        _number(number)
    runs = data[_REQUEST_HEAD:]
    lanes_fit = all(
        runs[at] >= 0 and 0 < runs[at + 1] <= _WARP_SIZE - runs[at] for at in range(0, len(runs) // _RUN * _RUN, _RUN)
    )
    if len(runs) % _RUN or not lanes_fit or not 0 <= data[0] < access_count or not 0 <= data[2] < array_count:
        raise ValueError(f"{data} is not a request")
    return tuple(data)


def _number(value: object) -> int:
    if type(value) is not int or abs(value) >= 2**64:
        raise TypeError(f"{value!r} is not an integer")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value
