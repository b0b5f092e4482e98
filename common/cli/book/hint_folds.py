"""An exercise's hints in its section of a page: one inside the other, so that they open one by one without a script."""

from __future__ import annotations

import html
import re

from cli.exercises.hints import ANY, Hints, hints_under
from cli.tracing.findings import KINDS

# How a learner sees each fact that hints may be for; findings have their words in KINDS.
FACT_WORDS = {
    "ended=crash": "The program crashes",
    "ended=stopped": "The program does not end",
    "result=varies": "The numbers differ from run to run",
    "result=block_order": "Wrong when the blocks run in reverse",
    "result=wrong": "The numbers are wrong",
    "finding": "The simulator names a mistake",
    "goal": "The numbers are right, and a goal is missed",
    "goal=bytes": "The shared memory of a block misses its goal",
    "goal=threads": "The number of threads misses its goal",
    "goal=wavefronts": "The wavefronts miss their goal",
    "goal=sectors": "Too many sectors per request",
    "goal=ways": "Bank conflicts are left",
    "goal=requests": "The number of requests misses its goal",
    "launch=none": "No kernel was launched",
    "launch=unchecked": "Nothing looks at a launch's error",
    "launch=block_size": "Blocks of another size than asked for",
    "launch=refused": "A launch is refused",
    "threads=1": "with one thread each",
    "launch=block_count": "Too few blocks, or too many",
    "why=no_blocks": "A launch of no blocks",
    "why=no_threads": "A launch of blocks without threads",
    "why=large_block": "A block of more than 1024 threads",
    "threw": "A call throws an exception",
    "call=cudaMemcpy": "of cudaMemcpy",
    "leak=device": "Device memory is not freed",
    "overwritten": "Something beside the array is overwritten",
    "pattern=exchanged": "Rows and columns are exchanged",
    "pattern=border": "Wrong at the border",
    "pattern=first_part": "Right up to an element, and wrong from there on",
    "pattern=last_element": "Only the last element is wrong",
    "pattern=first_element": "Only the first element is wrong",
    "pattern=last_part": "Wrong up to an element, and right from there on",
    "pattern=repeated": "Done several times",
    "pattern=factor": "Too large by a whole factor",
    "pattern=nearly": "Nearly right: some digits are wrong",
    "pattern=constant": "Elements have one value",
    "pattern=unwritten": "None of the elements was written",
    "access=copy": "on copying",
    "access=load": "on reading",
    "access=store": "on writing",
    "access=atomic": "with an atomic function",
    "between=blocks": "between blocks",
    "between=threads": "between threads of a block",
    "memory=global": "in global memory",
    "memory=shared": "in shared memory",
    "memory=local": "in an array of the thread's own",
    "index=thread": "indexed by threads",
    "index=other": "before its first values are set",
    "array=dynamic": "of extern __shared__ memory",
    "stream=default": "in the default stream",
    "stream=other": "between two streams, or devices",
    "of=launch": "of a launch",
    "of=call": "of a copy or a fill",
    "value=-1": "which is -1",
    "value=0": "which is 0",
    "pattern=other": "Elements are wrong",
    "got=1000000": "what was there before",
    "given=no_roads": "Wrong where no road leads",
    "why=pending_copy": "before a copy has completed",
    "on=top_row": "Wrong in the top row",
    "on=border": "Wrong at the left or right border",
    "on=last_row": "Wrong in the last row",
    "on=large_energies": "Wrong for large energies",
    "on=inside": "Wrong inside the image",
    "value=-2": "which is -2",
    "expected=0": "The distance of equal vectors is not 0",
    "got=negative": "A distance is negative",
    "expected=nan": "A distance that should be NaN is a number",
    "printed=stray": "Lines that should not be there",
    "printed=missing": "Lines are missing",
    "got=repeated": "the same line several times",
    "got=last_thread": "another last thread",
    "got=nothing": "no line at all",
    "got=lines": "other lines are there",
    "expected=1": "A 1 is missing",
    "wrong=unused_columns": "Columns of the table are not used",
    "got=nan": "with the value NaN",
    "got=0": "with the value 0",
    "got=-2": "with the value -2",
    "size=3": "of three elements",
    "given=k_is_0": "Wrong for k = 0",
    "given=no_dimensions": "Wrong for vectors without components",
    "given=one_vector": "Wrong for a single vector",
    "given=equally_near": "Wrong where several vectors are equally near",
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
    blocks += [command, "", *_one_by_one("For any answer", hints_under(hints, [ANY]))]
    for words, own in _by_failure(hints):
        blocks += _one_by_one(words, own)
    return "\n".join([*blocks, "</details>"])


def words_of(selector: str) -> str:
    """Raises KeyError for a fact that has no words."""
    kinds = {f"finding={kind}": words for kind, words in KINDS.items()}
    return ", ".join(kinds.get(word) or FACT_WORDS[word] for word in selector.split())


def _by_failure(hints: Hints) -> list[tuple[str, list[str]]]:
    """Hints of the exercise's own, below the words of all failures that have the same ones."""
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
