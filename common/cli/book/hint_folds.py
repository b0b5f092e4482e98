"""An exercise's hints in its section of a page, nested so that they open one at a time without a script."""

from __future__ import annotations

import html
import re

from cli.exercises.hints import ANY, Hints, hints_under
from cli.tracing.findings import KINDS

# The words for each fact that can select hints; findings have their words in KINDS.
FACT_WORDS = {
    "ended=crash": "The program crashes",
    "ended=stopped": "The program does not end",
    "result=varies": "The result differs from run to run",
    "result=block_order": "Wrong if the blocks run in reverse order",
    "result=wrong": "The result is wrong",
    "finding": "The simulator reports an error",
    "goal": "The result is correct, but a goal is missed",
    "goal=bytes": "The shared memory of a block misses its goal",
    "goal=threads": "The number of threads misses its goal",
    "goal=wavefronts": "The wavefronts miss their goal",
    "goal=sectors": "Too many sectors per request",
    "goal=ways": "There are still bank conflicts",
    "goal=requests": "The number of requests misses its goal",
    "launch=none": "No kernel was launched",
    "launch=unchecked": "The error of a launch is not checked",
    "launch=block_size": "Blocks of the wrong size",
    "launch=refused": "A launch fails",
    "threads=1": "with one thread each",
    "launch=block_count": "Too few blocks, or too many",
    "why=no_blocks": "A launch with no blocks",
    "why=no_threads": "A launch with no threads per block",
    "why=large_block": "A block of more than 1024 threads",
    "why=large_grid": "A launch with too many blocks",
    "threw": "A call throws an exception",
    "call=cudaMemcpy": "of cudaMemcpy",
    "leak=device": "Device memory is not freed",
    "overwritten": "Memory next to the array is overwritten",
    "pattern=exchanged": "Rows and columns are exchanged",
    "pattern=border": "Wrong at the border",
    "pattern=first_part": "Correct up to an element, wrong from there on",
    "pattern=last_element": "Only the last element is wrong",
    "pattern=first_element": "Only the first element is wrong",
    "pattern=last_part": "Wrong up to an element, correct from there on",
    "pattern=repeated": "Done several times",
    "pattern=factor": "Too large by an integer factor",
    "pattern=nearly": "Almost correct: some digits are wrong",
    "pattern=constant": "Different elements have the same value",
    "pattern=unwritten": "No element was written",
    "access=copy": "in a copy",
    "access=load": "in a read",
    "access=store": "in a write",
    "access=atomic": "with an atomic function",
    "access=warp": "of the busiest warp",
    "counted=none": "but none is counted",
    "between=blocks": "between blocks",
    "between=threads": "between threads of a block",
    "memory=global": "in global memory",
    "memory=shared": "in shared memory",
    "memory=local": "in a thread's own array",
    "memory=kernel": "in a launch",
    "index=thread": "indexed by thread",
    "index=other": "before its first values are set",
    "array=dynamic": "of extern __shared__ memory",
    "stream=default": "in the default stream",
    "stream=other": "between two streams or devices",
    "of=launch": "of a launch",
    "of=call": "of a copy or a fill",
    "value=-1": "which is -1",
    "value=0": "which is 0",
    "pattern=other": "Elements are wrong",
    "got=1000000": "the value from before",
    "given=no_roads": "Wrong for places without a road",
    "why=pending_copy": "before a copy has completed",
    "on=top_row": "Wrong in the top row",
    "on=border": "Wrong at the left or right border",
    "on=last_row": "Wrong in the last row",
    "on=large_energies": "Wrong for large energies",
    "on=inside": "Wrong inside the image",
    "value=-2": "which is -2",
    "expected=0": "The distance of equal vectors is not 0",
    "got=negative": "A distance is negative",
    "expected=nan": "A distance that should be NaN is not",
    "printed=stray": "There are extra lines",
    "printed=missing": "Lines are missing",
    "got=repeated": "the same line several times",
    "got=last_thread": "a different last thread",
    "got=nothing": "no line at all",
    "got=lines": "there are different lines",
    "expected=1": "A 1 is missing",
    "wrong=unused_columns": "Columns of the table are not used",
    "got=nan": "with the value NaN",
    "got=0": "with the value 0",
    "got=-2": "with the value -2",
    "size=3": "of three elements",
    "given=k_is_0": "Wrong for k = 0",
    "given=no_dimensions": "Wrong for vectors without components",
    "given=one_vector": "Wrong for a single vector",
    "given=equally_near": "Wrong if several vectors are equally near",
    "value=1000000": "which is the value from before",
    "array=mean": "The mean is wrong",
    "array=error": "The standard error is wrong",
    "array=nearest": "The index of the nearest centre is wrong",
    "array=sizes": "The size of a cluster is wrong",
    "array=means": "A new centre is wrong",
    "given=no_points": "Wrong if a cluster has no points",
    "given=rounded_down": "Rounded down instead of to the nearest integer",
    "given=edge": "Wrong at the edge of the image",
    "given=waits": "The function waits for the GPU",
}
_EXERCISE = re.compile(r"Exercises? (?P<number>\d+)\b")


def exercise_number(heading: str) -> int | None:
    """The number of the exercise that a section describes; None for other sections."""
    found = _EXERCISE.match(heading)
    return int(found["number"]) if found else None


def fold(hints: Hints, exercise: str) -> str:
    """Markdown with all hints of an exercise. exercise: its name for ./workbook hint."""
    blocks = ['<details class="hints"><summary>Hints, one at a time</summary>', ""]
    command = f"`./workbook check {exercise}` tests your answer and selects the hints that match its errors."
    blocks += [command, "", *_one_by_one("For any answer", hints_under(hints, [ANY]))]
    for words, own in _by_failure(hints):
        blocks += _one_by_one(words, own)
    return "\n".join([*blocks, "</details>"])


def words_of(selector: str) -> str:
    """Raises KeyError for a fact that has no words."""
    kinds = {f"finding={kind}": words for kind, words in KINDS.items()}
    return ", ".join(kinds.get(word) or FACT_WORDS[word] for word in selector.split())


def _by_failure(hints: Hints) -> list[tuple[str, list[str]]]:
    """The exercise's own hints. Failures with the same hints share one heading."""
    grouped: dict[tuple[str, ...], list[str]] = {}
    for selector, own in hints.items():
        if selector != ANY:
            grouped.setdefault(tuple(own), []).append(words_of(selector))
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
