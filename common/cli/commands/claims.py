"""`./workbook claims`: compares the lesson's counts of memory accesses with counters."""

from __future__ import annotations

import sys
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree
from cli.catalogue import Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.measuring.claims import Claim, Counts, claims_of, counts_in_simulator, counts_on_gpu
from cli.measuring.costs import claimed_sentence, comparison_of
from cli.measuring.ncu import require_ncu
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say, verdict
from cli.workbook import Workbook

SUMMARY = "compare the lessons' counts with counters"
USAGE = "claims CHAPTER [--build FOLDER]"
DETAILS = """
Each row of the chapter's claims.csv states the cost of one kind of access of one program: sectors per request in global
memory, the n of n-way bank conflicts in shared memory (conflict_ways), or the number of requests. In a simulator build
the traced program counts. In a CUDA build the profiler (ncu) reads the GPU's counters; rows with a reason in the column
simulator_only are left out. The exit code is 1 if a row is wrong.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("claims", USAGE)
    parser.add_argument("chapter")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parsed = parser.parse_args(arguments)
    chapter = workbook.catalogue.find_chapter(parsed.chapter)
    claims = claims_of(chapter.files)
    if not claims:
        raise UsageError(f"{chapter.name} has no claims.csv: its lesson states no counts.")
    in_tree = BuildTree(workbook, str(parsed.build.resolve()), "auto") if parsed.build else None
    tree = in_tree or main_tree(workbook, chapter=chapter.name)
    on_gpu = tree.backend == "cuda"
    if on_gpu:
        require_ncu()

    programs = {program.target: program for program in chapter.programs}
    wanted = {}
    for claim in claims:
        target = workbook.catalogue.now_called(f"{chapter.name}_{claim.stage}")
        if target not in programs:
            workbook.catalogue.find_program(target)  # raises UsageError with the nearest name
        if on_gpu and claim.simulator_only:
            say(f"left out  {_text(target, claim)}: {claim.simulator_only}")
        elif on_gpu or not programs[target].needs_gpu:
            wanted.setdefault((target, claim.options), []).append(claim)
    if not parsed.build:
        suffix = "" if on_gpu else "_inspect"
        tree.build(chapter.name, sorted({target + suffix for target, _ in wanted}))

    failed = 0
    counted: dict[tuple[str, tuple[str, ...]], Counts] = {}
    for (target, options), rows in wanted.items():
        count = counts_on_gpu if on_gpu else counts_in_simulator
        words = [*options] if programs[target].is_whole else [*options, "--check"]
        counts = count(tree.program(target if on_gpu else f"{target}_inspect"), words)
        counted[target, options] = counts
        failed += sum(not _holds(target, claim, counts) for claim in rows)
    total = sum(map(len, wanted.values()))
    where = "the GPU's counters" if on_gpu else "the simulator"
    say("\n" + verdict(failed == 0 and total > 0, f"{total - failed} of {total} claims hold in {where}."))
    wrong = 0 if on_gpu else sum(not _sentence_is_right(one, chapter, claims, counted) for one in chapter.programs)
    return EXIT_FAILED if failed or wrong or total == 0 else EXIT_OK


def _sentence_is_right(
    program: Program, chapter: Chapter, claims: list[Claim], counted: dict[tuple[str, tuple[str, ...]], Counts]
) -> bool:
    """Whether the sentence of './workbook run', from the claims, is the same as the sentence from the counts."""
    comparison = comparison_of(program, chapter, claims)
    if comparison is None:
        return True
    both = (counted[f"{chapter.name}_{name}", comparison.options] for name in comparison.stages)
    said, by_counts = claimed_sentence(program, chapter, claims), comparison.sentence_of_runs(*both, claims)
    if said != by_counts:
        words = f"WRONG  {program.target}: './workbook run' prints:\n  {said}\nbut from the counts it is:\n  {by_counts}"
        complain(verdict(False, words, sys.stderr))
    return said == by_counts


def _holds(target: str, claim: Claim, counts: dict[tuple[str, str, str], float]) -> bool:
    counted = claim.count(counts)
    text = _text(target, claim)
    if counted is None:
        complain(verdict(False, f"WRONG  {text}, but the program has no such access", sys.stderr))
        return False
    holds = claim.holds(counts)
    if holds:
        say(verdict(True, f"holds  {text}, counted {counted:.3f}"))
    else:
        complain(verdict(False, f"WRONG  {text}, counted {counted:.3f}", sys.stderr))
    return holds


def _text(target: str, claim: Claim) -> str:
    return f"{target}: {claim.memory} {claim.operation}, {claim.measure}: claimed {claim.value:.10g}"
