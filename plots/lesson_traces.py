"""Real runs for the pictures of lessons: reports of the simulator, stored next to the pictures."""

from __future__ import annotations

import re
from pathlib import Path

from cli.building.build_tree import BuildTree, simulator_tree
from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
from cli.pictures.access_picture import compose
from cli.terminal.source_lines import SourceLines
from cli.tracing.report import parse_report
from cli.tracing.trace import trace
from cli.workbook import Workbook

# The traced programs of a chapter's pictures, with their options.
TRACED: dict[str, dict[str, list[str]]] = {
    "ch3_transpose": {
        "ch3_transpose_naive": ["--rows", "1024", "--cols", "512"],
        "ch3_transpose_localmem": ["--rows", "1024", "--cols", "512"],
    },
}

_FOLDER_OF_SOURCES = re.compile(r'(?<="file":")[^"]*/(?=chapters/)')


def trace_file(root: Path, chapter: str, target: str) -> Path:
    return ChapterFiles(root, chapter).pictures / f"{target}.json"


def trace_programs(root: Path, chapter: str, build_folder: Path | None) -> dict[str, str]:
    """The report of each program, with source paths relative to the root.

    Runs the programs of an up-to-date build folder or, without one, builds them. Raises WorkbookError.
    """
    workbook = Workbook(root)
    if build_folder:
        tree = BuildTree(workbook, str(build_folder.resolve()), "simulator")
    else:
        tree = simulator_tree(workbook)
        tree.build(chapter, [f"{target}_inspect" for target in TRACED.get(chapter, ())])
    reports = {}
    for target, options in TRACED.get(chapter, {}).items():
        traced = trace(tree.program(f"{target}_inspect"), options)
        if not traced.outcome.passed:
            raise WorkbookError(f"{traced.outcome.output.rstrip()}\n{traced.outcome.explanation()}")
        reports[target] = _FOLDER_OF_SOURCES.sub("", traced.json_text)
    return reports


def same_requests(one: str, other: str) -> bool:
    """Whether two reports have the same requests. Columns are ignored, because compilers differ in them."""
    return _requests(one) == _requests(other)


def _requests(report: str) -> list[str]:
    return sorted(
        f"{kernel.name} {kernel.grid} {kernel.block} {access.line} {access.memory} {access.operation} "
        f"{access.bytes_per_lane} {access.requests} {access.units} {access.max_sectors} {access.max_conflict_ways} "
        f"{access.example}"
        for kernel in parse_report(report).kernels
        for access in kernel.accesses
    )


def traced_requests(root: Path, chapter: str, target: str, memory: str, title: str) -> str:
    """SVG of the requests of a program with one kernel, to global or to shared memory.

    Raises WorkbookError without such a trace.
    """
    file = trace_file(root, chapter, target)
    try:
        kernels = parse_report(file.read_text(encoding="utf-8")).kernels
    except OSError as error:
        raise WorkbookError(f"{file}: {error.strerror}. Create it with --trace.") from error
    if len(kernels) != 1:
        raise WorkbookError(f"{file} has {len(kernels)} kernels; a picture shows one.")
    accesses = [access for access in kernels[0].accesses if access.memory == memory]
    program = " ".join([target, *TRACED[chapter][target]])
    return compose(title, kernels[0], accesses, SourceLines(root), program)
