"""An exercise's hints in its section of a page: one inside the other, so that they open one by one without a script."""

from __future__ import annotations

import html
import re

from cli.exercises.hints import ANY, Hints, choose_hints
from cli.tracing.findings import KINDS

# How a learner sees each failure that hints may be for; those that the simulator finds have their words in KINDS.
FAILURE_WORDS = {
    "crash": "The program crashes",
    "endless": "The program does not end",
    "varies": "The numbers differ from run to run",
    "block_order": "Wrong when the blocks run in reverse",
    "wrong": "The numbers are wrong",
    "mistake": "The simulator names a mistake",
    "goal": "The numbers are right, and a goal is missed",
    "bytes": "The shared memory of a block misses its goal",
    "threads": "The number of threads misses its goal",
    "wavefronts": "The wavefronts miss their goal",
    "race_of_blocks": "A race between blocks",
    "race_of_threads": "A race between threads of a block",
    "last_element": "Only the last element is wrong",
    "sectors": "Too many sectors per request",
    "ways": "Bank conflicts are left",
    "requests": "The number of requests misses its goal",
    "no_launch": "No kernel was launched",
    "unchecked_launch": "Nothing looks at a launch's error",
    "block_size": "Blocks of another size than asked for",
    "empty_launch": "A launch of no blocks, or of no threads",
    "large_block": "A block of more than 1024 threads",
    "launch": "A launch fails",
    "block_count": "Too few blocks, or too many",
    "exchanged": "Rows and columns are exchanged",
    "untouched": "Elements are as they were before",
    "border": "Wrong at the border, or beyond it",
    "first_part": "Right up to an element, and wrong from there on",
    "unwritten": "None of the elements was written",
}
_EXERCISE = re.compile(r"Exercises? (?P<number>\d+)\b")


def exercise_number(heading: str) -> int | None:
    """The exercise that a section is about; None for other sections."""
    found = _EXERCISE.match(heading)
    return int(found["number"]) if found else None


def fold(hints: Hints, exercise: str) -> str:
    """Markdown with all hints of an exercise, which is its name for ./workbook hint."""
    blocks = ['<details class="hints"><summary>Hints, one by one</summary>', ""]
    command = f"`./workbook check {exercise}` tests your answer and says which of these hints fit how it failed."
    blocks += [command, "", *_one_by_one("For any answer", choose_hints(hints, []))]
    for words, own in _by_failure(hints):
        blocks += _one_by_one(words, own)
    return "\n".join([*blocks, "</details>"])


def _by_failure(hints: Hints) -> list[tuple[str, list[str]]]:
    """Hints of the exercise's own, below the words of all failures that have the same ones."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for failure, own in hints.items():
        if failure != ANY:
            grouped.setdefault(tuple(own), []).append(KINDS.get(failure) or FAILURE_WORDS[failure])
    return [
        ("; ".join([words[0], *(f"{word[0].lower()}{word[1:]}" for word in words[1:])]), list(own))
        for own, words in grouped.items()
    ]


def _one_by_one(words: str, hints: list[str]) -> list[str]:
    blocks = []
    for number, hint in enumerate(hints, start=1):
        which = "a hint" if len(hints) == 1 else f"hint {number} of {len(hints)}"
        summary = f"{html.escape(words, quote=False)}: {which}" if number == 1 else which.capitalize()
        blocks += [f"<details><summary>{summary}</summary>", "", hint, ""]
    return [*blocks, *["</details>"] * len(hints), ""]
