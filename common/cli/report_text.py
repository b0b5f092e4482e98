"""The simulator's report in words and tables. It counts; it never speaks of how long anything takes."""

from __future__ import annotations

import textwrap

from cli.console import Palette, table
from cli.report import SECTOR_BYTES, Access, Finding, Kernel, Place, Report
from cli.source_lines import SourceLines, short_name

WORST_ACCESSES = 3
_SOURCE_INDENT = " " * 6

_KIND_WORDS = {
    "out_of_bounds": "Out of bounds",
    "race": "Data race",
    "barrier": "Barrier that not all threads reach",
    "deadlock": "Deadlock",
    "array_index": "Array index out of bounds",
    "misaligned": "Misaligned address",
    "freed_memory": "Use of freed memory",
    "null_pointer": "Null pointer",
    "host_pointer": "Not a device pointer",
    "device_pointer_on_host": "Device pointer used on the host",
    "uninitialized": "Read of memory that nothing wrote",
}
_PRESENT = {"load": "read", "store": "write", "atomic": "update"}
_RIGHT_ALIGNED_COLUMNS = {2}


def render(report: Report, width_columns: int, palette: Palette) -> str:
    """The whole report, mistakes first; no line but a single long word is wider than width_columns."""
    source = SourceLines()
    sections = [_render_finding(finding, source, width_columns, palette) for finding in report.findings]
    sections += [_render_kernel(kernel, source, width_columns, palette) for kernel in report.kernels]
    if not report.kernels:
        sections.append("No kernel ran, so there is nothing to count.")
    return "\n\n".join(sections)


def _render_finding(finding: Finding, source: SourceLines, width_columns: int, palette: Palette) -> str:
    kind = _KIND_WORDS.get(finding.kind, finding.kind.replace("_", " ").capitalize())
    how_often = "" if finding.count <= 1 else f", {finding.count:,} times"
    where = f" in {finding.kernel}" if finding.kernel else ""
    lines = [palette.bad(f"{kind}{where}{how_often}")]
    lines += [_wrapped(line, width_columns, "  ", hanging="") for line in finding.message.strip().splitlines()]
    for place in finding.places:
        lines.append(f"  {_place_words(place)}")
        excerpt = source.excerpt(place.file, place.line, place.column, width_columns - len(_SOURCE_INDENT))
        if excerpt:
            lines.append(_SOURCE_INDENT + excerpt)
    return "\n".join(lines)


def _place_words(place: Place) -> str:
    words = _where(place)
    if place.operation:
        words += f"  {place.operation}"
    if place.thread:
        words += f" by thread ({', '.join(map(str, place.thread))})"
    if place.block:
        words += f" of block ({', '.join(map(str, place.block))})"
    return words


def _render_kernel(kernel: Kernel, source: SourceLines, width_columns: int, palette: Palette) -> str:
    lines = [palette.bold(kernel.name)]
    lines += [_wrapped(line, width_columns, "  ") for line in _totals(kernel)]
    costliest = kernel.costliest_first()
    if not costliest:
        return "\n".join([*lines, "  It touched no memory that is counted."])
    lines += ["", _access_table(costliest, source, width_columns), ""]
    worst = [access for access in costliest if access.is_notable]
    if worst:
        lines += [palette.warning(_wrapped(_advice(access), width_columns)) for access in worst[:WORST_ACCESSES]]
        if len(worst) > WORST_ACCESSES:
            lines.append(f"{len(worst) - WORST_ACCESSES} more could do with less; the table has them.")
    else:
        lines.append(palette.good(_wrapped(_praise(kernel), width_columns)))
    if any(access.approximate for access in costliest):
        lines.append("Counts marked ~ are close to a GPU's, not exact.")
    return "\n".join(lines)


def _totals(kernel: Kernel) -> list[str]:
    launches = _count(kernel.launches, "launch", "launches")
    shared_bytes = kernel.static_shared_bytes + kernel.dynamic_shared_bytes
    lines = [
        f"{launches}: grid {_extent(kernel.grid)}, block {_extent(kernel.block)}; "
        f"{_count(kernel.blocks, 'block')}, {_count(kernel.threads, 'thread')} in all",
        f"{_count(shared_bytes, 'byte')} of shared memory a block, {_count(kernel.barriers, 'barrier')}",
    ]
    in_global = kernel.in_memory("global")
    sectors = sum(access.sectors for access in in_global)
    if sectors:
        asked_bytes = sum(access.lanes * access.bytes_per_lane for access in in_global)
        ideal_sectors = sum(access.ideal_sectors for access in in_global)
        efficiency = min(100.0, 100.0 * ideal_sectors / sectors)
        lines.append(
            f"global memory: {asked_bytes:,} bytes asked for, {sectors * SECTOR_BYTES:,} moved; "
            f"efficiency {_percent(efficiency)}"
        )
    in_shared = kernel.in_memory("shared")
    wavefronts = sum(access.wavefronts for access in in_shared)
    if wavefronts:
        ideal_wavefronts = sum(access.ideal_wavefronts for access in in_shared)
        efficiency = min(100.0, 100.0 * ideal_wavefronts / wavefronts)
        lines.append(
            f"shared memory: {wavefronts:,} wavefronts, {ideal_wavefronts:,} without bank conflicts; "
            f"efficiency {_percent(efficiency)}"
        )
    return lines


def _access_table(accesses: list[Access], source: SourceLines, width_columns: int) -> str:
    rows = [["where", "what", "requests", "cost of a request"]]
    for access in accesses:
        rows.append([_where(access), f"{access.memory} {access.operation}", f"{access.requests:,}", _cost(access)])
    header, *lines = table(rows, _RIGHT_ALIGNED_COLUMNS).splitlines()
    shown = [header]
    for line, access in zip(lines, accesses):
        shown.append(line)
        excerpt = source.excerpt(access.file, access.line, access.column, width_columns - len(_SOURCE_INDENT))
        if excerpt:
            shown.append(_SOURCE_INDENT + excerpt)
    return "\n".join(shown)


def _cost(access: Access) -> str:
    mark = "~" if access.approximate else ""
    each, ideal = access.per_request(access.units), access.per_request(access.ideal_units)
    if access.memory == "shared":
        # A 16-byte access takes four wavefronts at best: several are a conflict only beyond that.
        if access.excess:
            return f"{mark}{access.max_conflict_ways}-way conflict"
        return f"{mark}no conflict"
    if not access.units:
        return "-"
    return f"{mark}{_number(each)} sectors, {'ideal' if access.excess == 0 else f'ideal {_number(ideal)}'}"


def _advice(access: Access) -> str:
    return f"{_where(access)}: {_conflict_words(access) if access.memory == 'shared' else _sector_words(access)}"


def _sector_words(access: Access) -> str:
    each = _number(access.per_request(access.sectors))
    ideal = _number(access.per_request(access.ideal_sectors))
    verb = _PRESENT.get(access.operation, "use")
    counts = f"{each} sectors where {ideal} would do"
    if access.stride_bytes is None:
        return f"{counts}: neighbouring threads {verb} addresses without a regular distance."
    distance_bytes = abs(access.stride_bytes)
    if distance_bytes == access.bytes_per_lane:
        return f"{counts}: neighbouring threads {verb} neighbouring addresses, but warps start inside a sector."
    return f"{counts}: neighbouring threads {verb} addresses {distance_bytes} bytes apart."


def _conflict_words(access: Access) -> str:
    ways = access.max_conflict_ways
    verb = _PRESENT.get(access.operation, "use")
    if access.stride_bytes is None:
        cause = f"up to {ways} threads of a warp {verb} different words of one bank"
    else:
        cause = (
            f"neighbouring threads {verb} addresses {abs(access.stride_bytes)} bytes apart, "
            f"so {ways} of a warp want different words of one bank"
        )
    each = _number(access.per_request(access.wavefronts))
    ideal = _number(access.per_request(access.ideal_wavefronts))
    return f"{ways}-way bank conflict: {cause} ({each} wavefronts where {ideal} would do)."


def _praise(kernel: Kernel) -> str:
    reasons = []
    exact = all(access.excess == 0 for access in kernel.accesses)
    if kernel.in_memory("global"):
        reasons.append("every request to global memory moves the fewest sectors it can")
    if kernel.in_memory("shared"):
        reasons.append("no bank conflicts")
    words = " and ".join(reasons) or "it touches neither global nor shared memory"
    exception = "" if exact else ", but for a few at the edges"
    return f"Nothing to improve here: {words}{exception}."


def _where(position: Access | Place) -> str:
    if not position.file:
        return "unknown line"
    return f"{short_name(position.file)}:{position.line}:{position.column}"


def _wrapped(text: str, width_columns: int, indent: str = "", hanging: str = "  ") -> str:
    return textwrap.fill(
        text,
        width_columns,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _extent(extent: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in extent)


def _count(count: int, singular: str, plural: str = "") -> str:
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def _number(value: float) -> str:
    rounded = round(value, 1)
    return f"{rounded:.0f}" if rounded == int(rounded) else f"{rounded:.1f}"


def _percent(value: float) -> str:
    # 99.96 must not read as 100: that would claim that all is ideal.
    return f"{value:.0f} %" if value in (0.0, 100.0) or value < 99 else f"{min(value, 99.9):.1f} %"
