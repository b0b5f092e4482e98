"""Tests a chapter's tests: inserts small bugs into its kernels, one at a time, and shows which bugs the tests accept.

Usage: python3 tests/instruments/mutate CHAPTER|PROGRAM [--jobs N] [--sample N] [--build FOLDER] [--list] [--table PAGE.md]

Each mutant is compiled, linked with the chapter's tests and run in the simulator, traced; then its accesses are
compared with the claims. A mutant that survives must be explained in tests/<chapter>/survivors.csv, and every explained
mutant must survive. Results are kept in the build tree, so that a second run tries only changed mutants.

  --jobs N      number of mutants at the same time; default: one per processor
  --sample N    only N of the mutants of one program, the same in every run
  --build DIR   a simulator's build tree with all tests; without it, one is built
  --list        list the mutants and stop
  --table PAGE  if there is no error, write the chapter's sums into PAGE's table of chapters; for a whole chapter

The exit code is 1 if there is a survivor without an explanation, an explanation without a survivor, or if more than
2 % of a chapter's mutants survive.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cli.building.build_tree import BuildTree, processor_count, simulator_tree
from cli.catalogue import Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, UsageError, WorkbookError
from cli.terminal.console import complain, say
from cli.terminal.phases import Phase
from cli.workbook import Workbook
from mutate.operators import Mutant, mutants_of
from mutate.results import Results
from mutate.subject import Subject, claims_of, mutable_programs, read_subject, targets
from mutate.survivors import objections, read_explanations
from mutate.table import as_text, write_row
from mutate.trial import CpuTimes, Fate, Result, cpu_limits, put_on_trial

ROOT = Path(__file__).resolve().parents[3]
MAX_SURVIVING_SHARE = 0.02
_UNCHANGED_LIMITS = CpuTimes(tests_s=60.0, claims_s=60.0)
Mutants = dict[Program, list[Mutant]]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 tests/instruments/mutate", add_help=False, allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--jobs", type=int, default=processor_count())
    parser.add_argument("--sample", type=int)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", type=Path)
    parsed = parser.parse_args(arguments)
    for option, value in (("--jobs", parsed.jobs), ("--sample", parsed.sample)):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value}: it must be 1 or more.")
    return parsed


def configured_tree(workbook: Workbook, folder: Path | None) -> BuildTree:
    """A simulator's tree with tests; a given folder is used as it is."""
    if folder:
        tree = BuildTree(workbook, str(folder.resolve()), "simulator")
        if tree.cached("WORKBOOK_ACTIVE_BACKEND") != "simulator":
            raise UsageError(f"{folder} is not a build tree of the simulator.")
        return tree
    tree = simulator_tree(workbook)
    tree.configure(with_tests=True)
    return tree


def try_mutants(subject: Subject, mutants: list[Mutant], results: Results, jobs: int) -> dict[Mutant, Result]:
    """Raises WorkbookError if the unchanged program does not pass."""
    fingerprint = subject.fingerprint()

    def try_text(text: str, limits: CpuTimes, unchanged_code: str = "") -> Result:
        key = results.key(fingerprint, text)
        known = results.get(key)
        if known is None:
            known = put_on_trial(subject, text, limits, unchanged_code)
            results.put(key, known)
        return known

    unchanged = try_text(subject.program.source.read_text(encoding="utf-8"), _UNCHANGED_LIMITS)
    if unchanged.fate is not Fate.SURVIVED:
        raise WorkbookError(f"{subject.program.target} fails without a mutation: {unchanged.fate.value}: {unchanged.detail}")
    limits = cpu_limits(unchanged)
    tried = {}
    executor = ThreadPoolExecutor(jobs)
    with Phase(f"{subject.program.file}: {len(mutants)} mutant{'s' if len(mutants) != 1 else ''}") as phase:
        try:
            fates = executor.map(lambda mutant: try_text(mutant.text, limits, unchanged.code), mutants)
            for mutant, result in zip(mutants, fates):
                tried[mutant] = result
                phase.at(f"{len(tried)} of {len(mutants)}")
        finally:
            executor.shutdown(cancel_futures=True)
    return tried


def summary(results: Iterable[Result]) -> str:
    counts = Counter(result.fate for result in results)
    return ", ".join(f"{counts[fate]} {fate.value}" for fate in Fate if counts[fate])


def judge(everything: list[Mutant], results: dict[Mutant, Result], survivors_file: Path) -> list[str]:
    """The errors of the run."""
    # A different compiler can compile a mutant to different code: explanations for the same code are allowed.
    tried = {mutant: result for mutant, result in results.items() if result.fate is not Fate.SAME}
    survived = {mutant: result.fate is Fate.SURVIVED for mutant, result in tried.items()}
    found = objections(everything, survived, read_explanations(survivors_file))
    share = sum(survived.values()) / max(1, len(results))
    if len(results) == len(everything) and share > MAX_SURVIVING_SHARE:
        found.append(f"{share:.1%} of the mutants survive; more than {MAX_SURVIVING_SHARE:.0%} are too many.")
    return found


def choose(parsed: argparse.Namespace, named: Chapter | Program, mutants: Mutants) -> Mutants:
    """The mutants of a chapter that the command line selects. Raises UsageError."""
    if parsed.table and (isinstance(named, Program) or parsed.sample):
        raise UsageError("--table is for all mutants of a chapter.")
    if isinstance(named, Program):
        if named not in mutants:
            raise UsageError(f"{named.target} cannot be mutated: the simulator cannot run it, or it is an exercise's starter.")
        mutants = {named: mutants[named]}
    elif not mutants:
        raise UsageError(f"{named.name} has no mutants: the simulator runs none of its programs.")
    if parsed.sample:
        draw = random.Random(1)
        enough = [program for program, group in mutants.items() if len(group) >= parsed.sample] or list(mutants)
        program = draw.choice(enough)  # from one program, because its original must be tried too
        drawn = set(draw.sample(mutants[program], min(parsed.sample, len(mutants[program]))))
        mutants = {program: [mutant for mutant in mutants[program] if mutant in drawn]}
    return {program: group for program, group in mutants.items() if group}


def run(arguments: list[str]) -> int:
    parsed = parse(arguments)
    workbook = Workbook(ROOT)
    named = workbook.catalogue.find(parsed.name)
    chapter = named if isinstance(named, Chapter) else workbook.catalogue.find_chapter(named.chapter)
    everything = {
        program: mutants_of(program.file, program.source.read_text("utf-8"))
        for program in mutable_programs(chapter)
    }
    if parsed.list:
        for group in choose(parsed, named, everything).values():
            say("\n".join(mutant.name for mutant in group))
        return EXIT_OK

    tree = configured_tree(workbook, parsed.build)
    left_out = [program for program in chapter.programs if program.needs_gpu or tree.left_out(program.target)]
    if left_out:
        say(f"Left out, because the simulator cannot run them here: {', '.join(program.file for program in left_out)}.")
    mutants = choose(parsed, named, {program: group for program, group in everything.items() if program not in left_out})
    if not parsed.build:
        tree.build("the tests", [target for program in mutants for target in targets(program)])
    claims = claims_of(chapter)
    results_file = Results(tree.folder / "mutants" / f"{chapter.name}.jsonl")
    results: dict[Mutant, Result] = {}
    for program, group in mutants.items():
        subject = read_subject(tree, program, claims.get(program.target, ()))
        tried = try_mutants(subject, group, results_file, parsed.jobs)
        say(f"  {summary(tried.values())}")
        results.update(tried)

    say(f"\n{as_text(results)}\n")
    found = judge([mutant for group in everything.values() for mutant in group], results, chapter.files.survivors)
    if found:
        complain("\n".join(found))
        return EXIT_FAILED
    if parsed.table:
        write_row(parsed.table, chapter.name, results)
    say("Every survivor is explained.")
    return EXIT_OK


def main(arguments: list[str]) -> int:
    """Runs one command line, without the program's name, and returns its exit code."""
    if not arguments or {"-h", "--help"} & set(arguments):
        say(__doc__ or "")
        return EXIT_OK if arguments else EXIT_USAGE
    try:
        return run(arguments)
    except WorkbookError as error:
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        complain("\nStopped. The results are kept: the same command continues from here.")
        return EXIT_INTERRUPTED
