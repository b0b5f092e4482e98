"""The simulator's report in words and tables. It has counts, and nothing about time."""

from __future__ import annotations

from collections.abc import Sequence

from cli.terminal.console import Palette, bare_mark, table, table_rows
from cli.terminal.fitting import hung
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.findings import heading
from cli.tracing.report import SECTOR_BYTES, WARP_LANES, Access, Branch, Finding, Kernel, Link
from cli.tracing.report import LocalAccess, Place, Report

WORST_ACCESSES = 3
WORST_BRANCHES = 5
_SOURCE_INDENT = " " * 6
_EXCERPT_COLUMNS = 20  # with fewer, a source line is printed below its position

_PRESENT = {"load": "read", "store": "write", "atomic": "update", "copy": "copy to"}
MEMORIES = ("global", "shared", "constant")
_NARROW_COLUMNS = 5  # columns of a table of accesses on a narrow terminal


def render(report: Report, width_columns: int, palette: Palette) -> str:
    """The errors or, if there are none, the counts. Only a single long word can be wider than width_columns."""
    source = SourceLines()
    sections = [render_findings(report.findings, width_columns, palette)] if report.findings else []
    if report.findings and report.kernels:  # tables below an error push it off the screen
        words = "Fix this first. The counts of memory accesses are shown for a program without errors."
        return "\n\n".join([*sections, _wrapped(words, width_columns, hanging="")])
    sections += [_render_kernel(kernel, source, width_columns, palette) for kernel in report.kernels]
    if report.links:
        sections.append(_render_links(report.links, width_columns))
    if not report.kernels:
        words = "No kernel ran, so there is nothing to count. Does the program launch one with "
        words += "kernel<<<blocks, threads>>>(...), and does it reach that line? A call of a library has no counts."
        sections.append(_wrapped(words, width_columns, hanging=""))
    return "\n\n".join(sections)


def render_findings(findings: Sequence[Finding], width_columns: int, palette: Palette) -> str:
    source = SourceLines()
    return "\n\n".join(_render_finding(finding, source, width_columns, palette) for finding in findings)


def _render_finding(finding: Finding, source: SourceLines, width_columns: int, palette: Palette) -> str:
    how_often = "" if finding.count <= 1 else f", {finding.count:,} times"
    where = f" in {finding.kernel}" if finding.kernel else ""
    lines = [palette.bad(f"{bare_mark(False)} {heading(finding.kind)}{where}{how_often}")]
    lines += [_wrapped(line, width_columns, "  ", hanging="") for line in finding.message.strip().splitlines()]
    for place in finding.places:
        lines.append(_wrapped(_place_words(place), width_columns, "  "))
        excerpt = source.excerpt(place.file, place.line, place.column, width_columns - len(_SOURCE_INDENT))
        if excerpt:
            lines.append(_SOURCE_INDENT + excerpt)
    return "\n".join(lines)


def _render_links(links: Sequence[Link], width_columns: int) -> str:
    """One row per link and direction."""
    rows = [["links between devices", "bytes", "by kernels", "by copies", "by NCCL"]]
    for link in links:
        numbers = (link.bytes, link.by_kernels, link.by_copies, link.by_nccl)
        rows.append([f"  {link.from_device} to {link.to_device}", *(f"{number:,}" for number in numbers)])
    return table(rows, range(1, len(rows[0])), columns=width_columns)


def _place_words(place: Place) -> str:
    words = position_words(place)
    if place.operation:
        words += f"  {place.operation}"
    if place.thread:
        words += f" by thread ({', '.join(map(str, place.thread))})"
    if place.block:
        words += f" of block ({', '.join(map(str, place.block))})"
    return words


def _render_kernel(kernel: Kernel, source: SourceLines, width_columns: int, palette: Palette) -> str:
    parts = [[palette.bold(kernel.name)] + [_wrapped(line, width_columns, "  ") for line in totals(kernel)]]
    if not kernel.accesses:
        parts[0].append("  It accessed no memory that is counted.")
    tables = [(memory, kernel.in_memory(memory)) for memory in MEMORIES]
    # The memory with the largest possible gain comes first.
    for memory, accesses in sorted(tables, key=lambda entry: -sum(access.excess for access in entry[1])):
        if accesses:
            parts.append([_access_table(memory, accesses, source, width_columns)])
    branches = kernel.most_divergent_first()
    if branches:
        parts.append([_branch_table(branches, source, width_columns)])
    if kernel.accesses:
        parts.append(_verdict(kernel, width_columns, palette))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _verdict(kernel: Kernel, width_columns: int, palette: Palette) -> list[str]:
    costliest = kernel.costliest_first()
    to_one_address = [access for access in costliest if access.operation == "atomic" and access.stride_bytes == 0]
    constants = [access for access in costliest if access.different_addresses > access.requests]
    worst = [access for access in costliest if access.is_notable and access not in to_one_address + constants]
    lines = []
    if worst:
        lines = [palette.warning(_wrapped(_advice(access), width_columns)) for access in worst[:WORST_ACCESSES]]
        if len(worst) > WORST_ACCESSES:
            more = len(worst) - WORST_ACCESSES
            words = "access costs more than it needs" if more == 1 else "accesses cost more than they need"
            words = f"{more} more {words}; see the tables above."
            lines.append(_wrapped(words, width_columns))
    elif not to_one_address + constants and not kernel.local_accesses:
        lines = [palette.good(_wrapped(_praise(kernel), width_columns))]
    for access in to_one_address:
        words = "the lanes of a warp update the same address. A GPU serialises these updates; "
        words += "the simulator does not count that cost."
        lines.append(_wrapped(f"{position_words(access)}: {words}", width_columns))
    lines += [palette.warning(_wrapped(_constant_words(access), width_columns)) for access in constants]
    lines += [palette.warning(_wrapped(_local_words(access), width_columns)) for access in kernel.local_accesses]
    if any(access.approximate for access in costliest):
        lines.append("Counts marked ~ are estimates; those of a GPU can differ a little.")
    return lines


def totals(kernel: Kernel) -> list[str]:
    """One line each for launches, threads and bytes."""
    launches = _count(kernel.launches, "launch", "launches")
    shared_bytes = kernel.static_shared_bytes + kernel.dynamic_shared_bytes
    lines = [
        f"{launches}: grid {_extent(kernel.grid)}, block {_extent(kernel.block)}",
        f"{_count(kernel.blocks, 'block')}, {_count(kernel.threads, 'thread')}, {_count(kernel.barriers, 'barrier')}; "
        f"{_count(shared_bytes, 'shared byte')} per block",
    ]
    in_global = kernel.in_memory("global")
    sectors = sum(access.sectors for access in in_global)
    if sectors:
        requested_bytes = sum(access.requested_bytes for access in in_global)
        transferred_bytes = sum(access.transferred_bytes for access in in_global)
        least_bytes = min(transferred_bytes, SECTOR_BYTES * sum(access.ideal_sectors for access in in_global))
        in_bytes = f"{requested_bytes:,} bytes requested, {transferred_bytes:,} transferred"
        lines.append(f"global memory: {in_bytes}; minimum {least_bytes:,}")
    in_shared = kernel.in_memory("shared")
    wavefronts = sum(access.wavefronts for access in in_shared)
    if wavefronts:
        ideal_wavefronts = sum(access.ideal_wavefronts for access in in_shared)
        lines.append(f"shared memory: {wavefronts:,} wavefronts; minimum {min(wavefronts, ideal_wavefronts):,}")
    return lines


def access_rows(memory: str, accesses: list[Access]) -> list[list[str]]:
    """The table of one memory's accesses, header first, without the source positions."""
    header = [f"{memory} memory", "requests", "lanes", "wavefronts" if memory == "shared" else "sectors", "ideal"]
    rows = [header, *map(_numbers, accesses)]
    if memory == "shared":
        columns = [["conflict", *map(_conflict, accesses)]]
    else:
        columns = [
            ["bytes requested", *(f"{access.requested_bytes:,}" for access in accesses)],
            ["transferred", *(f"{access.transferred_bytes:,}" for access in accesses)],
        ]
    return [[*row, *(column[number] for column in columns)] for number, row in enumerate(rows)]


def _access_table(memory: str, accesses: list[Access], source: SourceLines, width_columns: int) -> str:
    """Each access has a row of numbers, with its source position below, so that long names fit into 80 columns."""
    wide_rows = access_rows(memory, accesses)
    fits = len(table(wide_rows).splitlines()[0]) <= width_columns
    rows = wide_rows if fits else [row[:_NARROW_COLUMNS] for row in wide_rows]
    return _with_places(rows, accesses, source, width_columns)


def _numbers(access: Access) -> list[str]:
    mark = "~" if access.approximate else ""
    return [
        f"  {access.operation}",
        f"{access.requests:,}",
        _number(access.lanes_per_request),
        f"{mark}{_number(access.per_request(access.units))}",
        _number(access.per_request(access.ideal_units)),
    ]


def _conflict(access: Access) -> str:
    # A 16-byte access needs four wavefronts at best; only more than that is a conflict.
    return f"{access.max_conflict_ways}-way" if access.excess else "none"


def _branch_table(branches: list[Branch], source: SourceLines, width_columns: int) -> str:
    worst = branches[:WORST_BRANCHES]
    rows = [["divergent branches", "executions", "diverged", "lanes"]]
    for branch in worst:
        lanes = _number(branch.lanes / branch.executions if branch.executions else 0.0)
        rows.append(["  branch", f"{branch.executions:,}", f"{branch.diverged:,}", lanes])
    lines = [_with_places(rows, worst, source, width_columns)]
    if len(branches) > len(worst):
        lines.append(f"  {len(branches) - len(worst)} more.")
    words = "When the lanes of a warp diverge, the warp executes both branches, one after the other."
    lines.append(_wrapped(words, width_columns))
    return "\n".join(lines)


def _with_places(
    rows: list[list[str]], places: Sequence[Access | Branch], source: SourceLines, width_columns: int
) -> str:
    """The table, with the source position of each row, except the header, below the row."""
    header, *lines = table_rows(rows, range(1, len(rows[0])), columns=width_columns)
    shown = [header]
    for line, place in zip(lines, places):
        where = f"{_SOURCE_INDENT}{position_words(place)}"
        before = f"{where}  "
        if width_columns - len(before) < _EXCERPT_COLUMNS:
            before = f"{where}\n{_SOURCE_INDENT}  "
        room_columns = width_columns - len(before.split("\n")[-1])
        excerpt = source.excerpt(place.file, place.line, place.column, max(_EXCERPT_COLUMNS, room_columns))
        shown += [line, f"{before}{excerpt}".rstrip()]
    return "\n".join(shown)


def _advice(access: Access) -> str:
    words = _conflict_words(access) if access.memory == "shared" else _sector_words(access)
    return f"{position_words(access)}: {words}"


def _sector_words(access: Access) -> str:
    if access.operation == "atomic":
        lanes = _number(access.lanes_per_request)
        return f"{lanes} atomic operations per request: those on the same address are serialised."
    each = _number(access.per_request(access.sectors))
    ideal = _number(access.per_request(access.ideal_sectors))
    verb = _PRESENT.get(access.operation, "access")
    counts = f"{each} sectors per request, {_enough(ideal)}"
    if access.stride_bytes is None:
        return f"{counts}: consecutive threads {verb} addresses with no constant stride."
    distance_bytes = abs(access.stride_bytes)
    if distance_bytes == 0:
        return f"{counts}: many threads {verb} the same address, and others an address that is not adjacent to it."
    if distance_bytes == access.bytes_per_lane:
        whole_warp_sectors = WARP_LANES * access.bytes_per_lane / SECTOR_BYTES
        reason = f"only {_number(access.lanes_per_request)} of {WARP_LANES} lanes are active"
        if access.max_sectors > whole_warp_sectors:
            reason = f"a warp's first address is not a multiple of {SECTOR_BYTES} bytes"
        return f"{counts}: consecutive threads {verb} consecutive addresses, but {reason}."
    return f"{counts}: consecutive threads {verb} addresses {distance_bytes} bytes apart."


def _constant_words(access: Access) -> str:
    reads = _number(access.per_request(access.different_addresses))
    words = f"the lanes of a warp read different addresses of constant memory. A GPU serialises them: {reads} reads "
    return f"{position_words(access)}: {words}per request, {_enough('1')}."


def _local_words(access: LocalAccess) -> str:
    words = f"{access.array} is indexed by data, so a GPU cannot keep it in registers: "
    words += f"{_count(access.accesses, 'access', 'accesses')} to local memory, which the tables above do not contain."
    return f"{position_words(access)}: {words}"


def _conflict_words(access: Access) -> str:
    ways = access.max_conflict_ways
    verb = _PRESENT.get(access.operation, "access")
    if access.stride_bytes is None:
        cause = f"up to {ways} threads of a warp {verb} different words of the same bank"
    else:
        cause = (
            f"consecutive threads {verb} addresses {abs(access.stride_bytes)} bytes apart, "
            f"so {ways} threads of a warp {verb} different words of the same bank"
        )
    each = _number(access.per_request(access.wavefronts))
    ideal = _number(access.per_request(access.ideal_wavefronts))
    return f"{ways}-way bank conflict: {cause} ({each} wavefronts per request, {_enough(ideal)})."


def _enough(number: str) -> str:
    return f"{number} {'is' if number == '1' else 'are'} enough"


def _praise(kernel: Kernel) -> str:
    reasons = []
    if kernel.in_memory("global"):
        reasons.append("every request to global memory transfers the minimum number of sectors")
    if kernel.in_memory("shared"):
        reasons.append("shared memory has no bank conflicts")
    if not reasons:
        return "It accesses neither global nor shared memory."
    exact = all(access.excess == 0 for access in kernel.accesses)
    words = ", and ".join(reasons) + ("" if exact else ", except for a few requests at the edges")
    return f"Each access has its minimum cost: {words}. Whether fewer accesses are enough is not counted."


def position_words(position: Access | Branch | LocalAccess | Place) -> str:
    if not position.file:
        return "unknown line"
    return f"{short_name(position.file)}:{position.line}:{position.column}"


def _wrapped(text: str, width_columns: int, indent: str = "", hanging: str = "  ") -> str:
    return hung(indent + text, len(indent + hanging), width_columns)


def _extent(extent: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in extent)


def _count(count: int, singular: str, plural: str = "") -> str:
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def _number(value: float) -> str:
    rounded = round(value, 1)
    return f"{rounded:.0f}" if rounded == int(rounded) else f"{rounded:.1f}"
