"""An exercise's hints in its section of a page, nested so that they open one at a time without a script."""

from __future__ import annotations

import html
import re

from cli.exercises.hints import STEPS, Hints

_EXERCISE = re.compile(r"Exercises? (?P<number>\d+)\b")


def exercise_number(heading: str) -> int | None:
    """The number of the exercise that a section describes; None for other sections."""
    found = _EXERCISE.match(heading)
    return int(found["number"]) if found else None


def fold(hints: Hints, exercise: str) -> str:
    """Markdown with all hints of an exercise. exercise: its name for ./workbook hint."""
    blocks = ['<details class="hints"><summary>Hints, one at a time</summary>', ""]
    blocks += [f"`./workbook check {exercise}` tests your answer and selects the hints that match its errors.", ""]
    for name, topic in sorted(hints.items(), key=lambda one: one[0] != STEPS):
        words = "For any answer" if name == STEPS else name.replace("_", " ").capitalize()
        blocks += _one_by_one(words, topic.hints)
    return "\n".join([*blocks, "</details>"])


def _one_by_one(words: str, hints: list[str]) -> list[str]:
    blocks = []
    for number, hint in enumerate(hints, start=1):
        which = "a hint" if len(hints) == 1 else f"hint {number} of {len(hints)}"
        summary = f"{html.escape(words, quote=False)}: {which}" if number == 1 else which.capitalize()
        blocks += [f"<details><summary>{summary}</summary>", "", hint, ""]
    return [*blocks, *["</details>"] * len(hints), ""]
