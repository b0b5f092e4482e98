"""Passes if the tests of an operation reject each of its mistakes, for the reasons that the catalogue states.

Usage: expect_mistakes.py [--jobs=N] [--only=NAME] TEST_PROGRAM CATALOGUE SPOILED_FILE...

The program is linked from the files that make_units.py wrote for the same spoiled files. Prints a line for each
mistake. If GTEST_OUTPUT is xml:FILE, writes a test case for each mistake to that file, like a GoogleTest program.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ENDLESS, _STEP_LIMIT = "finding=endless", "5000000"
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.errors import WorkbookError
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file
from mistakes.rejection import Unacceptable, expect_rejection
from support.results_file import Case, write_results


@dataclass(frozen=True)
class Result:
    name: str
    failure: str  # empty if it is rejected for the stated reasons
    words: str = ""


def try_mistake(program: Path, mistake: Mistake) -> Result:
    environment = {"WORKBOOK_MISTAKE": mistake.name}
    if any(_ENDLESS in selector for reason in mistake.reasons for selector in reason):  # most tests reach it, and the default takes 20 s
        environment["CUDA_SIMULATOR_STEP_LIMIT"] = _STEP_LIMIT
    try:
        words = expect_rejection(program, mistake.name, mistake.reasons, mistake.block_order, environment)
    except Unacceptable as why:
        return Result(mistake.name, f"{mistake.catalogue}:{mistake.line}: {why}")
    return Result(mistake.name, "", words)


def run(program: Path, catalogue: Path, files: list[Path], jobs: int, only: str) -> bool:
    mistakes = [mistake for mistake in read_catalogue(catalogue) if spoiled_file(mistake, ROOT) in files]
    mistakes = [mistake for mistake in mistakes if only in ("", mistake.name)]
    with ThreadPoolExecutor(jobs) as executor:
        results = []
        for result in executor.map(lambda mistake: try_mistake(program, mistake), mistakes):
            print(result.failure or result.words, flush=True)
            results.append(result)
    rejected = sum(not result.failure for result in results)
    print(f"{rejected} of {len(results)} mistakes are rejected for the stated reasons.")
    write_results(program.name, [Case(result.name, result.failure or None) for result in results])
    return rejected == len(results) > 0


def main(arguments: list[str]) -> int:
    options = dict(argument[2:].split("=", 1) for argument in arguments if argument.startswith("--"))
    rest = [argument for argument in arguments if not argument.startswith("--")]
    if len(rest) < 3 or not set(options) <= {"jobs", "only"}:
        print(__doc__, file=sys.stderr)
        return 2
    program, catalogue, *files = map(Path, rest)
    if not program.is_file():
        print(f"{program} is not built: `make maintenance` does it.")
        return 1
    try:
        passed = run(program, catalogue, files, int(options.get("jobs", "1")), options.get("only", ""))
    except WorkbookError as error:
        print(error)
        return 1
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
