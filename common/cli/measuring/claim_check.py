"""Compares the counts of memory accesses that a lesson claims with counters, for `./workbook test --claims`."""

from __future__ import annotations

import sys
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree
from cli.catalogue import Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.measuring.claims import REQUESTS, Claim, Counts, claim_row, claims_of, counts_in_simulator, counts_on_gpu
from cli.measuring.costs import claimed_counts, claimed_sentence, comparison_of
from cli.measuring.ncu import require_ncu
from cli.terminal.console import complain, say, verdict
from cli.workbook import Workbook

_Counted = dict[tuple[str, tuple[str, ...]], Counts]
_Wanted = dict[tuple[str, tuple[str, ...]], list[Claim]]  # by target and options


def check_claims(chapter: Chapter, workbook: Workbook, build: Path | None) -> int:
    """Prints whether each claim of the chapter holds, and returns the exit code: 1 if a claim or a sentence is wrong.

    `build` is a build folder whose programs are up to date; without it, the programs are built. Raises WorkbookError if
    the claims cannot be checked.
    """
    claims = claims_of(chapter.files)
    if not claims:
        raise UsageError(f"{chapter.name} has no claims.csv: its lesson states no counts.")
    in_tree = BuildTree(workbook, str(build.resolve()), "auto") if build else None
    tree = in_tree or main_tree(workbook, chapter=chapter.name)
    on_gpu = tree.backend == "cuda"
    if on_gpu:
        require_ncu()

    programs = {program.target: program for program in chapter.programs}
    wanted = _wanted(claims, chapter, workbook, on_gpu)
    if not build:
        suffix = "" if on_gpu else "_inspect"
        tree.build(chapter.name, sorted({target + suffix for target, _ in wanted}))

    failed = 0
    counted: _Counted = {}
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
    if wrong:
        _say_missing_rows(chapter, workbook, claims, counted)
    return EXIT_FAILED if failed or wrong or total == 0 else EXIT_OK


def _wanted(claims: list[Claim], chapter: Chapter, workbook: Workbook, on_gpu: bool) -> _Wanted:
    """The claims that can be checked here; says which are left out."""
    programs = {program.target: program for program in chapter.programs}
    wanted: _Wanted = {}
    for claim in claims:
        target = workbook.catalogue.now_called(f"{chapter.name}_{claim.stage}")
        if target not in programs:
            workbook.catalogue.find_program(target)  # raises UsageError with the nearest name
        if on_gpu and claim.simulator_only:
            say(f"left out  {_text(target, claim)}: {claim.simulator_only}")
        elif on_gpu or not programs[target].needs_gpu:
            wanted.setdefault((target, claim.options), []).append(claim)
    return wanted


def _sentence_is_right(program: Program, chapter: Chapter, claims: list[Claim], counted: _Counted) -> bool:
    """Whether the sentence of './workbook run', from the claims, is the same as the sentence from the counts."""
    comparison = comparison_of(program, chapter, claims)
    if comparison is None:
        return True
    both = [counted[f"{chapter.name}_{name}", comparison.options] for name in comparison.stages]
    said, by_counts = claimed_sentence(program, chapter, claims), comparison.sentence_of_runs(*both, claims)
    if said != by_counts:
        words = f"WRONG  {program.target}: './workbook run' prints:\n  {said}\nbut from the counts it is:\n  {by_counts}"
        complain(verdict(False, words, sys.stderr))
    return said == by_counts


def _say_missing_rows(chapter: Chapter, workbook: Workbook, claims: list[Claim], counted: _Counted) -> None:
    """Prints the rows that the sentences of all stages need: those of each kind of access without its requests."""
    rows = []
    comparisons = [comparison_of(program, chapter, claims) for program in chapter.programs]
    for name, options in {(one.stages[0], one.options) for one in comparisons if one}:
        counts, claimed = counted[f"{chapter.name}_{name}", options], claimed_counts(name, options, claims)
        lacking = {kind[:2] for kind in counts if kind[::2] == ("global", REQUESTS) and kind not in claimed}
        kinds = [kind for kind in counts if kind[:2] in lacking]
        rows += [claim_row(chapter.files.claims, name, options, kind, counts[kind]) for kind in kinds]
    if rows:
        complain(f"Each kind of access needs a row. Add to {workbook.shown(chapter.files.claims)}:")
        complain("\n".join(sorted(rows)))


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
