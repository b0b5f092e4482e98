"""`./workbook hunt`"""

from __future__ import annotations

import random

from cli.building.build_tree import NO_CHAPTER, BuildTree, simulator_tree
from cli.building.own_program import OwnProgram
from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.checking.check_text import explain
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.attempt import exercise_tree
from cli.exercises.hunts import CHOICES, MAX_SEED, Hunt, PlantedBug, hunt_of, open_hunt, pool_for
from cli.exercises.published_hunts import PAGE, PublishedHunt, open_published_hunt, published_hunts
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import prose_columns, say, verdict, wrapped
from cli.verdicts.own_check import check_own, own_check_words
from cli.workbook import Workbook

SUMMARY = "find and fix a bug that was planted in a stage"
USAGE = "hunt [CHAPTER [--advanced] [--seed N] | NAME | --answer N | --give-up]"
DETAILS = f"""
  hunt ch3              writes hunt_ch3_transpose.cu: a stage with one bug
  hunt ch3 --advanced   the same, with a stage of the advanced path
  hunt                  checks that file with the tests and the counts of the stage; if it passes, asks what the bug was
  hunt --answer 2       answers that question with the second choice
  hunt --give-up        shows the bug, and ends the hunt
  hunt last_barrier     writes hunt_last_barrier.cu: a whole program with a bug that a published program has too

Without --advanced the stage is on the core path (docs/course.md). If the exercise that './workbook next' shows is in
this chapter, the stage comes before that exercise. The stages of chapter 0 are whole programs without tests, so there
the bug is in the answer to an earlier exercise.

The same seed (0 to {MAX_SEED}) plants the same bug for all learners with the same current exercise: give each student
a different seed. Without --seed the bug is chosen at random.

{PAGE} lists the hunts with a name, and what you need to know for each.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("hunt", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--advanced", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--answer", type=int)
    parser.add_argument("--give-up", action="store_true")
    parsed = parser.parse_args(arguments)
    if parsed.chapter:
        if parsed.answer is not None or parsed.give_up:
            raise UsageError("--answer and --give-up are for the open hunt: leave the chapter out.")
        published = published_hunts(workbook).get(parsed.chapter)
        if published and (parsed.seed is not None or parsed.advanced):
            raise UsageError(f"--seed and --advanced are for a chapter; {parsed.chapter} is one program.")
        return _begin(published or _drawn(parsed.chapter, parsed.seed, parsed.advanced, workbook), workbook)
    if parsed.seed is not None or parsed.advanced:
        option = "--advanced" if parsed.advanced else "--seed 7"
        raise UsageError(f"To start a hunt, name a chapter: './workbook hunt ch3 {option}'.")
    hunt = _open(workbook)
    if hunt is None:
        raise UsageError("No hunt is open. './workbook hunt ch3' starts one.")
    if parsed.give_up:
        return _end(hunt, workbook)
    if not _is_fixed(hunt, workbook):
        return EXIT_FAILED
    if parsed.answer is None:
        return _ask(hunt)
    return _judge(hunt, parsed.answer, workbook)


def _open(workbook: Workbook) -> Hunt | PublishedHunt | None:
    return open_published_hunt(workbook) or open_hunt(workbook)


def _drawn(name: str, seed: int | None, is_advanced: bool, workbook: Workbook) -> Hunt:
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise UsageError(f"--seed takes an integer from 0 to {MAX_SEED}, not {seed}.")
    chapter = workbook.catalogue.find_chapter(name).name
    seed = random.SystemRandom().randrange(MAX_SEED) if seed is None else seed
    return hunt_of(chapter, seed, pool_for(chapter, is_advanced, workbook), workbook)


def _begin(hunt: Hunt | PublishedHunt, workbook: Workbook) -> int:
    running = _open(workbook)
    if running:
        raise UsageError(
            f"The hunt in {running.file.name} is still open: './workbook hunt' checks the file, --give-up ends the hunt."
        )
    hunt.file.write_text(hunt.text(workbook), encoding="utf-8")
    seed = f" (seed {hunt.seed})" if isinstance(hunt, Hunt) else ""
    say(f"{hunt.file.name}: {hunt.origin}, with a bug{seed}.")
    say("Find the bug and fix it in that file, then run './workbook hunt' to test your fix.")
    return EXIT_OK


def _is_fixed(hunt: Hunt | PublishedHunt, workbook: Workbook) -> bool:
    if isinstance(hunt, PublishedHunt):
        say(f"Checking {hunt.file.name}")
        return passes_own_check(hunt, simulator_tree(workbook, chapter=NO_CHAPTER), workbook)
    tree = exercise_tree(workbook, hunt.program.chapter)
    build_parts(hunt.program, tree)
    say(f"Checking {hunt.file.name}")
    result = check_exercise(hunt.program, workbook, tree, hunt.file)
    if not result.passed:
        text = explain(result, hunt.file.name, target=None, columns=prose_columns())
        say(verdict(False, text.replace(f"{workbook.root}/", "")))
    return result.passed


def passes_own_check(hunt: PublishedHunt, tree: BuildTree, workbook: Workbook) -> bool:
    """Whether the program has no errors; prints those that it has."""
    program = OwnProgram((hunt.file,))
    checked = check_own(program, program.build(tree, traced=True), [], workbook)
    if not checked.passed:
        say(own_check_words(checked, hunt.file.name))
    return checked.passed


def _ask(hunt: PlantedBug) -> int:
    say(verdict(True, f"It passes: you have fixed the bug in {hunt.file.name}. What was the bug?\n"))
    for number, words in enumerate(hunt.choices, start=1):
        say(wrapped(f"{number}. {words}"))
    say("\n./workbook hunt --answer N")
    return EXIT_OK


def _judge(hunt: PlantedBug, answer: int, workbook: Workbook) -> int:
    if not 1 <= answer <= CHOICES:
        raise UsageError(f"--answer takes a number from 1 to {CHOICES}, not {answer}.")
    if answer != hunt.answer:
        say(verdict(False, "No. Compare your change with each of the choices: './workbook hunt' shows them again."))
        return EXIT_FAILED
    say(verdict(True, "Yes."))
    return _end(hunt, workbook)


def _end(hunt: PlantedBug, workbook: Workbook) -> int:
    say(wrapped(hunt.mistake.words))
    say(f"\n{hunt.difference(workbook)}", whole_lines=True)
    hunt.file.unlink()
    return EXIT_OK
