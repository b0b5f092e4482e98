"""Runs the workbook's tools on random input, and checks that they answer with a sentence: no crash, hang or silence.

    python3 tests/instruments/fuzz                                   some cases of each area, in a minute or two
    python3 tests/instruments/fuzz --minutes 120                     for hours
    python3 tests/instruments/fuzz files programs                    only these areas
    python3 tests/instruments/fuzz --seed 17 --case files:203        one case again, kept in ./fuzz_failures

The seed is printed; the same seed gives the same cases. Without a build tree (--tree build) areas that need programs
are left out, and without a tree of the simulator the area that traces answers. Exit code 1 if a case failed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, WorkbookError
from cli.running.children import Stopped, stop_as_with_ctrl_c
from cli.running.isolated import Share, call_isolated
from cli.workbook import Workbook
from fuzz.answers import Answers
from fuzz.area import Area
from fuzz.command_lines import CommandLines
from fuzz.failure_texts import FailureTexts
from fuzz.files import Files
from fuzz.programs import Programs
from fuzz.sources import Sources

_ROOT = Path(__file__).resolve().parents[3]
_SHARE = Share(cpu_s=30)
_MOST_WALL_S = 300  # enough for a busy machine
# Number of cases of each area in a run without --minutes; with --minutes, its share.
_CASES = {"command_lines": 50, "files": 600, "sources": 200, "failure_texts": 300, "programs": 60, "answers": 2}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 tests/instruments/fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("areas", nargs="*", metavar="AREA", help=", ".join(_CASES))
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--case", metavar="AREA:NUMBER")
    parser.add_argument("--tree", type=Path, default=_ROOT / "build", help="a build tree, of the simulator for answers")
    parser.add_argument("--failures", type=Path, default=Path("fuzz_failures"))
    parsed = parser.parse_args(arguments)
    only = [parsed.case.split(":")[0]] if parsed.case else parsed.areas
    unknown = sorted(set(only) - set(_CASES))
    if unknown:
        parser.error(f"there is no area {unknown[0]!r}; the areas are {', '.join(_CASES)}.")
    stop_as_with_ctrl_c()
    print(f"Seed {parsed.seed}. One case again: python3 tests/instruments/fuzz --seed {parsed.seed} --case AREA:NUMBER", flush=True)
    with tempfile.TemporaryDirectory(prefix="workbook-fuzz-") as room:
        areas = _areas(Path(room), parsed.tree.resolve(), only)
        numbers = _one_case(parsed.case) if parsed.case else _turns(list(areas), parsed.minutes)
        return _run(areas, numbers, parsed.seed, Path(room), parsed.failures.resolve())


def _areas(room: Path, tree: Path, only: list[str]) -> dict[str, Area]:
    made: list[Area] = [CommandLines(_ROOT, room), Files(_ROOT), Sources(_ROOT), FailureTexts(_ROOT)]
    if not (tree / "bin").is_dir():
        print(f"There is no build tree {tree}: its programs are left out.")
    else:
        made.append(Programs(_ROOT, tree))
        if BuildTree(Workbook(_ROOT), str(tree), "simulator").backend == "simulator":
            made.append(Answers(_ROOT, tree))
        else:
            print(f"{tree} is built with nvcc, but answers are traced by the simulator: they are left out.")
    return {area.name: area for area in made if not only or area.name in only}


def _one_case(text: str) -> Iterator[tuple[str, int]]:
    name, _, number = text.partition(":")
    yield name, int(number)


def _turns(names: list[str], minutes: float | None) -> Iterator[tuple[str, int]]:
    """Areas and case numbers, in rounds of a twentieth of _CASES, so that each area gets its share of the time."""
    ends = time.monotonic() + 60 * minutes if minutes else None
    done: Counter[str] = Counter()
    while ends is None or time.monotonic() < ends:
        for name in names:
            for _ in range(max(1, _CASES[name] // 20)):
                if ends is None and done[name] >= _CASES[name]:
                    break
                if ends is not None and time.monotonic() >= ends:
                    return
                yield name, done[name]
                done[name] += 1
        if ends is None and all(done[name] >= _CASES[name] for name in names):
            return


def _run(areas: dict[str, Area], cases: Iterator[tuple[str, int]], seed: int, room: Path, failures: Path) -> int:
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    began = time.monotonic()
    code = EXIT_OK
    try:
        for name, number in cases:
            folder = room / "case"
            folder.mkdir()
            wrong = _wrong_with(areas[name], random.Random(f"{seed}:{name}:{number}"), folder)
            done[name] += 1
            if wrong:
                failed[name] += 1
                kept = failures / f"{seed}_{name}_{number}"
                shutil.copytree(folder, kept, symlinks=True, dirs_exist_ok=True, ignore=_not_plain)
                print(f"{name}:{number} FAILED: {wrong.strip()}\n  Its input is in {kept}", flush=True)
            shutil.rmtree(folder)
    except KeyboardInterrupt as stopped:
        print("Stopped.")
        code = stopped.exit_code if isinstance(stopped, Stopped) else EXIT_INTERRUPTED
    print(f"{time.monotonic() - began:.0f} s, seed {seed}:")
    for name, count in done.items():
        print(f"  {name}: {count} cases, {failed[name]} failed")
    return code or (EXIT_FAILED if failed else EXIT_OK)


def _wrong_with(area: Area, chance: random.Random, folder: Path) -> str:
    if not area.is_isolated:
        return area.run(chance, folder)

    def case() -> str:
        signal.alarm(_MOST_WALL_S)
        return area.run(chance, folder)

    try:
        return call_isolated(case, _SHARE)
    except WorkbookError as error:
        return str(error)


def _not_plain(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not (Path(folder, name).is_file() or Path(folder, name).is_dir())}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
