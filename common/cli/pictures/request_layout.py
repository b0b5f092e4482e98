"""Where the bytes of one warp's request lie: in lines and sectors of global memory, in banks of shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from cli.tracing.report import SECTOR_BYTES, Access

LINE_BYTES = 128
BANKS, WORD_BYTES = 32, 4
WARP_SIZE = 32


@dataclass(frozen=True)
class Piece:
    """The bytes that some lanes of a request ask for, all of them the same. begin: counted from a line's border."""

    begin: int
    lanes: tuple[int, ...]


def pieces(access: Access) -> list[Piece]:
    """The pieces of the access's example, by address. An aligned access of up to 16 bytes lies in one sector."""
    lanes_at: dict[int, list[int]] = {}
    for lane, offset in enumerate(access.example.offsets):
        if offset is not None:
            lanes_at.setdefault(offset + access.example.begin_in_line, []).append(lane)
    return [Piece(begin, tuple(lanes)) for begin, lanes in sorted(lanes_at.items())]


def by_block(found: list[Piece], block_bytes: int) -> dict[int, list[Piece]]:
    """Pieces by the number of the block of that many bytes, a sector or a line, that they lie in."""
    blocks: dict[int, list[Piece]] = {}
    for piece in found:
        blocks.setdefault(piece.begin // block_bytes, []).append(piece)
    return blocks


def used_bytes(access: Access) -> dict[int, int]:
    """How many bytes of each touched sector the request uses."""
    sectors = by_block(pieces(access), SECTOR_BYTES)
    return {sector: len(found) * access.bytes_per_lane for sector, found in sectors.items()}


def counted_sectors(access: Access) -> int:
    """The sectors that the request moves. Atomic functions at one address come one after another: a sector counts as
    often as its busiest address."""
    sectors = by_block(pieces(access), SECTOR_BYTES)
    if access.operation != "atomic":
        return len(sectors)
    return sum(max(len(piece.lanes) for piece in found) for found in sectors.values())


@dataclass(frozen=True)
class Turn:
    """Lanes that shared memory serves together. banks: the words that each wants, in the order of the lanes."""

    lanes: range
    banks: dict[int, list[Piece]]

    @property
    def ways(self) -> int:
        return max(map(len, self.banks.values()))


@dataclass(frozen=True)
class SharedRequest:
    """A request to shared memory. offsets: for each lane from a bank's border 0, in bytes; None for an idle lane."""

    offsets: tuple[int | None, ...]
    bytes_per_lane: int
    is_atomic: bool


def turns(access: Access) -> list[Turn]:
    """Those of the access's example."""
    example = access.example
    offsets = tuple(None if offset is None else offset + example.begin_in_line for offset in example.offsets)
    return turns_of(SharedRequest(offsets, access.bytes_per_lane, access.operation == "atomic"))


def turns_of(request: SharedRequest) -> list[Turn]:
    """The whole warp for accesses of up to 4 bytes, halves for 8, quarters for 16; without idle ones.

    Two halves, or the quarters of a half, go together if that makes no conflict and the lanes of each pair agree, next
    to each other or two apart: both ask for the same, or one of them for nothing.
    """
    lanes_a_turn = min(WARP_SIZE, WARP_SIZE * WORD_BYTES // request.bytes_per_lane)
    joined_lanes = min(WARP_SIZE, 2 * lanes_a_turn)
    found = []
    for first in range(0, WARP_SIZE, joined_lanes):
        joined = range(first, first + joined_lanes)
        parts = [joined] if _go_together(request, joined) else [joined[:lanes_a_turn], joined[lanes_a_turn:]]
        found += [_turn(request, lanes) for lanes in parts if _has_active_lane(request, lanes)]
    return found


def _has_active_lane(request: SharedRequest, lanes: range) -> bool:
    return any(request.offsets[lane] is not None for lane in lanes)


def _go_together(request: SharedRequest, lanes: range) -> bool:
    if WARP_SIZE * WORD_BYTES // request.bytes_per_lane >= len(lanes):
        return True  # one turn as it is
    offsets = request.offsets

    def agree(distance: int) -> bool:
        pairs = ((offsets[lane], offsets[lane ^ distance]) for lane in lanes)
        return all(one is None or other is None or one == other for one, other in pairs)

    return (agree(1) or agree(2)) and _has_active_lane(request, lanes) and _turn(request, lanes).ways == 1


def _turn(request: SharedRequest, lanes: range) -> Turn:
    # Lanes that use one word share it, but for atomic functions: there each has its own piece.
    alone = request.is_atomic and request.bytes_per_lane == WORD_BYTES
    lanes_at: dict[tuple[int, int], list[int]] = {}
    for lane in lanes:
        begin = request.offsets[lane]
        if begin is None:
            continue
        for word in range(begin // WORD_BYTES, (begin + request.bytes_per_lane - 1) // WORD_BYTES + 1):
            lanes_at.setdefault((word, lane if alone else 0), []).append(lane)
    banks: dict[int, list[Piece]] = {}
    for (word, _), wanted_by in lanes_at.items():
        banks.setdefault(word % BANKS, []).append(Piece(word * WORD_BYTES, tuple(wanted_by)))
    return Turn(lanes, dict(sorted(banks.items())))


def lane_distance_bytes(access: Access) -> int | None:
    """From each lane's address to the next lane's, where it is always the same; None for one lane."""
    offsets = access.example.offsets
    distances = {
        later - earlier for earlier, later in zip(offsets, offsets[1:]) if earlier is not None and later is not None
    }
    return distances.pop() if len(distances) == 1 else None
