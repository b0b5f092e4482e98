"""`workbook nearest`: what the root's Makefile says about a target that CMake does not know."""

from __future__ import annotations

from cli.catalogue import Chapter
from cli.errors import EXIT_USAGE
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain
from cli.workbook import Workbook

SUMMARY = ""
USAGE = "nearest TARGET"
DETAILS = "Names the target that an unknown one may have meant. The exit code is always 2."


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("nearest", USAGE)
    parser.add_argument("target")
    name = parser.parse_args(arguments).target
    # Raises UsageError with the nearest names when there is no such target at all.
    found = workbook.catalogue.find(name)
    if isinstance(found, Chapter) or found.target != name:
        target = found.name if isinstance(found, Chapter) else found.target
        complain(f"There is no target '{name}'. Did you mean {target}?")
    elif found.needs_gpu:
        complain(f"{name} needs a GPU and nvcc: this build folder runs the simulator.")
    else:
        complain(f"'{name}' is not in this build folder. Configure it again: cmake -S . -B build")
    return EXIT_USAGE
