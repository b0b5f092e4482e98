#!/usr/bin/env python3
"""Compiles with nvcc, as `check` does: all stages, all solutions, and the answers in tests/*/beginners.txt that pass.

    python3 tests/instruments/with_nvcc.py [NVCC]      exits with 1 if nvcc refuses one, with 77 without an nvcc

NVCC is a program, such as nvcc of another version; by default, the one that `check` finds. docs/tested_systems.md has
the results.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common"))

from cli.building.build_tree import BuildTree, processor_count  # noqa: E402
from cli.building.nvcc import ARCHITECTURE, NO_HEADER, Nvcc, find_nvcc  # noqa: E402
from cli.checking.check_result import Outcome  # noqa: E402
from cli.mistakes.catalogue import read_catalogue  # noqa: E402
from cli.mistakes.spoiling import spoiled_source  # noqa: E402
from cli.running.limited_run import Ended  # noqa: E402
from cli.workbook import Workbook  # noqa: E402

EXIT_SKIPPED = 77
_ONE_CAPABILITY = re.compile(r"^// Requires: .*\bcompute capability (\d)\.(\d)a", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    kind: str
    name: str
    chapter: str
    text: str


def sources(workbook: Workbook) -> Iterator[Source]:
    for chapter in workbook.catalogue.chapters:
        for program in chapter.programs:
            if program.kind in ("stage", "operation") and program.source.suffix == ".cu":
                yield _of_file("stages", program.source, chapter.name)
        for solution in sorted(workbook.files_of(chapter.name).solutions.glob("*.cu")):
            yield _of_file("solutions", solution, chapter.name)
    for catalogue in sorted(ROOT.glob("tests/*/beginners.txt")):
        for row in read_catalogue(catalogue):
            if row.verdict == Outcome.PASSED.value:
                yield Source("answers that pass", f"{row.chapter}/{row.name}", row.chapter, spoiled_source(row, ROOT))


def _of_file(kind: str, file: Path, chapter: str) -> Source:
    return Source(kind, str(file.relative_to(ROOT)), chapter, file.read_text(encoding="utf-8"))


def trouble(source: Source, nvcc: Nvcc, workbook: Workbook) -> tuple[str, str]:
    """nvcc's error, and the header that its Toolkit lacks; both empty if it accepts the source."""
    printed = []

    def run(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        ended = subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        printed.append(ended.stdout)
        return Ended(ended.returncode, ended.stdout)

    needed = _ONE_CAPABILITY.search(source.text)
    architecture = f"{needed[1]}{needed[2]}a" if needed else ARCHITECTURE
    folders = workbook.files_of(source.chapter).include_folders
    with tempfile.TemporaryDirectory(prefix="workbook-nvcc-") as temporary:
        file = Path(temporary) / Path(source.name).with_suffix(".cu").name
        file.write_text(source.text, encoding="utf-8")
        error = nvcc.refusal(file, folders, ROOT, run, file.parent, architecture=architecture)
    missing = NO_HEADER.search(printed[0])
    return str(error or ""), missing["header"] if missing else ""


def main(arguments: list[str]) -> int:
    workbook = Workbook(ROOT)
    tree = BuildTree(workbook, "build", "auto")
    nvcc = find_nvcc(workbook, tree)
    if arguments:
        nvcc = Nvcc(Path(arguments[0]).resolve(), nvcc.host_compiler if nvcc else "g++")
    if not nvcc:
        print("There is no nvcc that works.")
        return EXIT_SKIPPED
    listed = list(sources(workbook))
    with ThreadPoolExecutor(processor_count()) as executor:
        found = list(executor.map(lambda source: trouble(source, nvcc, workbook), listed))
    for source, (error, missing) in zip(listed, found):
        if error or missing:
            print(f"{source.name}: {f'not compiled, because there is no {missing}' if missing else error}")
    for kind in dict.fromkeys(source.kind for source in listed):
        of_kind = [one for source, one in zip(listed, found) if source.kind == kind]
        refused, skipped = (sum(bool(one[number]) for one in of_kind) for number in (0, 1))
        print(f"{kind}: {len(of_kind)}; nvcc refuses {refused} of them, and {skipped} need headers that it lacks")
    print(subprocess.run([nvcc.program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-2])
    return 1 if any(error for error, _ in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
