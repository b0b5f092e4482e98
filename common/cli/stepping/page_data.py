"""The data of a page for stepping, as plain values for its JavaScript."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from cli.pictures.array_names import array_names
from cli.pictures.request_layout import WARP_SIZE, SharedRequest, lane_groups_of
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.findings import heading
from cli.tracing.report import Access, Finding, Kernel
from cli.tracing.report_text import MEMORIES, access_rows, position_words, totals
from cli.tracing.steps import RecordedArray, RecordedBlock, Step, is_request, offsets_of
from cli.tracing.traced_run import TracedRun

_BANK_ROW_BYTES = 128
_MOST_SOURCE_BYTES = 200_000


@dataclass
class PageData:
    """The data of the runs, and notes for the reader."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def heading(self) -> str:
        return " and ".join(run["program"].split(" ")[0] for run in self.runs) + ", step by step"


def page_data(runs: list[TracedRun], built_s: float) -> PageData:
    """built_s: the time at which the programs' sources were read for the build, comparable to a file's mtime."""
    data = PageData()
    for run in runs:
        source = SourceLines()
        data.runs.append(
            {
                "program": " ".join([run.program.removesuffix("_inspect"), *run.options]),
                "kernels": [_kernel(kernel, source) for kernel in run.report.kernels],
                "findings": [_finding(finding) for finding in run.report.findings],
                "sources": {},
            }
        )
        for file in _files_of(run):
            text = _source(file, built_s, data.notes)
            if text is not None:
                data.runs[-1]["sources"][file] = text.splitlines()
        if run.words() and not run.report.findings:
            data.notes.append(f"{run.words()} The page shows the run up to that point.")
    return data


def _files_of(run: TracedRun) -> list[str]:
    """The source files that the page shows, each once."""
    places: list[str] = [access.file for kernel in run.report.kernels for access in kernel.accesses]
    places += [file for kernel in run.report.kernels for file, _, _ in kernel.steps.places]
    places += [place.file for finding in run.report.findings for place in finding.places]
    return [file for file in dict.fromkeys(places) if file]


def _source(file: str, built_s: float, notes: list[str]) -> str | None:
    name = short_name(file)
    try:
        status = os.stat(file)
        if status.st_size > _MOST_SOURCE_BYTES:
            notes.append(f"{name} is not shown: it has over {_MOST_SOURCE_BYTES // 1000} KB.")
            return None
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
    except OSError as error:
        notes.append(f"{name} is not shown: it cannot be read ({error.strerror}).")
        return None
    if status.st_mtime > built_s:
        notes.append(f"{name} was changed after the program was built: the lines that ran can differ from those shown.")
    return text


def _kernel(kernel: Kernel, source: SourceLines) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "grid": kernel.grid,
        "block": kernel.block,
        "launches": kernel.launches,
        "blocks_run": kernel.blocks,
        "totals": totals(kernel),
        "tables": [_table(memory, kernel, source) for memory in MEMORIES if kernel.in_memory(memory)],
        "accesses": [_access(access) for access in kernel.accesses],
        "places": [{"file": file, "line": line, "column": column} for file, line, column in kernel.steps.places],
        "blocks": [_block(block, kernel, source) for block in kernel.steps.blocks],
    }


def _table(memory: str, kernel: Kernel, source: SourceLines) -> dict[str, Any]:
    """The printed table, with the source position and the source line as last columns."""
    accesses = kernel.in_memory(memory)
    (_, *header), *rows = access_rows(memory, accesses)
    places = [[position_words(of), source.line(of.file, of.line).strip()] for of in accesses]
    return {
        "caption": f"{memory} memory",
        "header": ["access", *header, "at", "source"],
        "rows": [[row[0].strip(), *row[1:], *place] for row, place in zip(rows, places)],
    }


def _access(access: Access) -> dict[str, Any]:
    shown = ("file", "line", "column", "memory", "operation", "bytes_per_lane", "requests", "units", "ideal_units")
    return {name: getattr(access, name) for name in shown}


def _block(block: RecordedBlock, kernel: Kernel, source: SourceLines) -> dict[str, Any]:
    wavefront_lists, wavefront_list_of = _wavefronts(block, kernel)
    names = array_names(kernel, source)
    return {
        "block": block.block,
        "launch": block.launch,
        "reason": block.reason,
        "left_out": block.left_out,
        "arrays": [
            {
                **asdict(array),
                "shown_name": names.get((array.memory, array.name), array.name),
                **_shape(number, array, block, kernel),
            }
            for number, array in enumerate(block.arrays)
        ],
        "steps": block.steps,
        "wavefront_lists": wavefront_lists,
        "wavefront_list_of": wavefront_list_of,
    }


def _shape(number: int, array: RecordedArray, block: RecordedBlock, kernel: Kernel) -> dict[str, Any]:
    """The array's shape: that of the report's map of elements or, without a map, rows of one element per lane."""
    for elements in kernel.elements:
        if (elements.memory, elements.array) == (array.memory, array.name):
            columns, has_rows = elements.columns, elements.has_rows
            row_bytes = 0 if has_rows or array.memory != "global" else _row_bytes(number, array, block, kernel)
            if row_bytes % elements.element_bytes == 0 and row_bytes > 0:
                columns, has_rows = row_bytes // elements.element_bytes, True
            return {"element_bytes": elements.element_bytes, "columns": columns, "has_rows": has_rows}
    widths = {kernel.accesses[step[0]].bytes_per_lane for step in block.steps if is_request(step) and step[2] == number}
    return {"element_bytes": min(widths, default=4), "columns": WARP_SIZE, "has_rows": False}


def _row_bytes(number: int, array: RecordedArray, block: RecordedBlock, kernel: Kernel) -> int:
    """The distance between equally spaced ranges that the block accesses between two barriers; 0 if there are none. All
    accesses of the block together can leave no gap between the rows, as in a tiled product.
    """
    ranges: set[tuple[int, int]] = set()
    for step in [*block.steps, ["barrier"]]:
        if step[0] == "barrier":
            starts = sorted(begin for begin, _ in ranges)
            spaces = {after - before for before, after in zip(starts, starts[1:])}
            lengths = {end - begin for begin, end in ranges}
            if len(spaces) == len(lengths) == 1 and min(spaces) > min(lengths) and array.bytes % min(spaces) == 0:
                return min(spaces)
            ranges = set()
        elif is_request(step) and step[2] == number:
            width = kernel.accesses[step[0]].bytes_per_lane
            offsets = [offset for offset in offsets_of(step) if offset is not None]
            ranges.add((min(offsets), max(offsets) + width))
    return 0


def _wavefronts(block: RecordedBlock, kernel: Kernel) -> tuple[list[Any], dict[str, int]]:
    """The wavefronts of the requests that take several: the different lists of wavefronts, and the index of each step's
    list. A wavefront is a list of [bank, lane, ...].
    """
    lists: list[Any] = []
    known: dict[Any, int] = {}
    list_of: dict[str, int] = {}
    for number, step in enumerate(block.steps):
        if not is_request(step) or step[3] <= 1:
            continue
        access = kernel.accesses[step[0]]
        if access.memory != "shared":
            continue
        request = _shared_request(step, access, block.arrays[step[2]].begin_in_line)
        if request not in known:
            known[request] = len(lists)
            lists.append(_wavefronts_of(request))
        list_of[str(number)] = known[request]
    return lists, list_of


def _shared_request(step: Step, access: Access, begin: int) -> SharedRequest:
    """The request with offsets from the bank row of its lowest byte, so that requests in different rows are equal."""
    offsets = offsets_of(step)
    lowest = min(offset for offset in offsets if offset is not None) + begin
    shift = lowest // _BANK_ROW_BYTES * _BANK_ROW_BYTES - begin
    moved = tuple(None if offset is None else offset - shift for offset in offsets)
    return SharedRequest(moved, access.bytes_per_lane, access.operation == "atomic")


def _wavefronts_of(request: SharedRequest) -> list[list[list[int]]]:
    return [
        [[bank, *spans[number].lanes] for bank, spans in group.banks.items() if number < len(spans)]
        for group in lane_groups_of(request)
        for number in range(group.ways)
    ]


def _finding(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "heading": heading(finding.kind)}
