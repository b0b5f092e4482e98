"""The layout of one warp's request: lines and sectors of global memory, or banks of shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from cli.tracing.report import SECTOR_BYTES, Access

LINE_BYTES = 128
BANKS, WORD_BYTES = 32, 4
WARP_SIZE = 32


@dataclass(frozen=True)
class Span:
    """Bytes that one or more lanes of a request access. begin: offset from a boundary between lines."""

    begin: int
    lanes: tuple[int, ...]


def spans(access: Access) -> list[Span]:
    """The spans of the access's example, by address. An aligned access of up to 16 bytes is in one sector."""
    lanes_at: dict[int, list[int]] = {}
    for lane, offset in enumerate(access.example.offsets):
        if offset is not None:
            lanes_at.setdefault(offset + access.example.begin_in_line, []).append(lane)
    return [Span(begin, tuple(lanes)) for begin, lanes in sorted(lanes_at.items())]


def by_block(found: list[Span], block_bytes: int) -> dict[int, list[Span]]:
    """The spans by the number of their block of block_bytes, a sector or a line."""
    blocks: dict[int, list[Span]] = {}
    for span in found:
        blocks.setdefault(span.begin // block_bytes, []).append(span)
    return blocks


def used_bytes(access: Access) -> dict[int, int]:
    """The number of bytes that the request uses in each of its sectors."""
    sectors = by_block(spans(access), SECTOR_BYTES)
    return {sector: len(found) * access.bytes_per_lane for sector, found in sectors.items()}


def counted_sectors(access: Access) -> int:
    """The number of sectors that the request transfers. Atomic functions on the same address are serialised: a sector
    counts once per lane at its busiest address."""
    sectors = by_block(spans(access), SECTOR_BYTES)
    if access.operation != "atomic":
        return len(sectors)
    return sum(max(len(span.lanes) for span in found) for found in sectors.values())


@dataclass(frozen=True)
class LaneGroup:
    """Lanes that shared memory serves together. banks: the words requested from each, in the order of the lanes."""

    lanes: range
    banks: dict[int, list[Span]]

    @property
    def ways(self) -> int:
        return max(map(len, self.banks.values()))


@dataclass(frozen=True)
class SharedRequest:
    """A request to shared memory. offsets: each lane's offset in bytes from a word in bank 0; None for an idle lane."""

    offsets: tuple[int | None, ...]
    bytes_per_lane: int
    is_atomic: bool


def lane_groups(access: Access) -> list[LaneGroup]:
    """The groups of the access's example."""
    example = access.example
    offsets = tuple(None if offset is None else offset + example.begin_in_line for offset in example.offsets)
    return lane_groups_of(SharedRequest(offsets, access.bytes_per_lane, access.operation == "atomic"))


def lane_groups_of(request: SharedRequest) -> list[LaneGroup]:
    """The whole warp for accesses of up to 4 bytes, halves for 8, quarters for 16; without idle groups.

    Two halves, or the quarters of a half, are served together on two conditions. There is no conflict, and all pairs of
    lanes 1 apart, or all pairs 2 apart, agree: both lanes request the same bytes, or one lane is idle.
    """
    lanes_per_group = min(WARP_SIZE, WARP_SIZE * WORD_BYTES // request.bytes_per_lane)
    joined_lanes = min(WARP_SIZE, 2 * lanes_per_group)
    found = []
    for first in range(0, WARP_SIZE, joined_lanes):
        joined = range(first, first + joined_lanes)
        parts = [joined] if _go_together(request, joined) else [joined[:lanes_per_group], joined[lanes_per_group:]]
        found += [_group(request, lanes) for lanes in parts if _has_active_lane(request, lanes)]
    return found


def _has_active_lane(request: SharedRequest, lanes: range) -> bool:
    return any(request.offsets[lane] is not None for lane in lanes)


def _go_together(request: SharedRequest, lanes: range) -> bool:
    if WARP_SIZE * WORD_BYTES // request.bytes_per_lane >= len(lanes):
        return True  # already one group
    offsets = request.offsets

    def agree(distance: int) -> bool:
        pairs = ((offsets[lane], offsets[lane ^ distance]) for lane in lanes)
        return all(one is None or other is None or one == other for one, other in pairs)

    return (agree(1) or agree(2)) and _has_active_lane(request, lanes) and _group(request, lanes).ways == 1


def _group(request: SharedRequest, lanes: range) -> LaneGroup:
    # Lanes that access the same word share a span, except for atomic functions.
    alone = request.is_atomic and request.bytes_per_lane == WORD_BYTES
    lanes_at: dict[tuple[int, int], list[int]] = {}
    for lane in lanes:
        begin = request.offsets[lane]
        if begin is None:
            continue
        for word in range(begin // WORD_BYTES, (begin + request.bytes_per_lane - 1) // WORD_BYTES + 1):
            lanes_at.setdefault((word, lane if alone else 0), []).append(lane)
    banks: dict[int, list[Span]] = {}
    for (word, _), lanes_of_word in lanes_at.items():
        banks.setdefault(word % BANKS, []).append(Span(word * WORD_BYTES, tuple(lanes_of_word)))
    return LaneGroup(lanes, dict(sorted(banks.items())))


def lane_distance_bytes(access: Access) -> int | None:
    """The distance from each lane's address to the next lane's if it is constant; None for one lane."""
    offsets = access.example.offsets
    distances = {
        later - earlier for earlier, later in zip(offsets, offsets[1:]) if earlier is not None and later is not None
    }
    return distances.pop() if len(distances) == 1 else None
