"""Random texts of failed tests: the text of the check, and the selected hints."""

from __future__ import annotations

import random
from pathlib import Path

from cli.checking.check_result import CheckResult, FailedTest, Outcome
from cli.checking.check_text import explain, plain_words
from cli.checking.facts import facts_of
from cli.checking.hidden_cases import refused_shape
from cli.exercises.failing_case import draw
from cli.exercises.hints import choose_hints, general_hints
from cli.tracing.findings import mistakes_of
from cli.tracing.report import parse_findings
from cli.verdicts.googletest import Recorded
from fuzz.edits import edited_code

_TEXTS = (
    "5 of 9 elements are wrong. The first is out[4]: expected 1, got nan. Pattern: none of them was written.",
    "1 of 33 elements are wrong. The first is out[32]: expected 1.5, got -1. Pattern: each of them is -1",
    "9 of 9 elements are wrong. The first is out[0]: expected 1, got 2. Pattern: rows and columns are exchanged.",
    "elements 0 to 31 are right, and all from 32 on are wrong",
    "4 elements after out were overwritten; they are all at the border",
    "no kernel was launched",
    "a launch failed (invalid argument), but the error was not checked",
    "CUDA simulator: race: k: race on element 0 of 1024 of an allocation of 4096 bytes in global memory: two blocks of one "
    "launch use the same element, and one of them writes it.\n  a.cu:3:5  load by thread (1,0,0) of block (0,0,0)\n",
    "out_of_bounds: past_the_end: at byte 400 of an allocation of 400 bytes, which is element 100 of an array of 100.",
    "WORKBOOK_SHAPES: '7x' is not a shape of these tests. A shape is 2 integer(s), with an x between.",
    "Value of: cudaGetLastError()\n  Actual: 1\nExpected: cudaSuccess\nWhich is: 0",
    "z 3 2;2 expected 1.5 got NaN wrong by -;3 expected 2 got 2 right by thread 0:1 block 7",
    "finding=race access=store thread=0 block=0 memory=shared array=tile at=8 end=400 width=4",
    '[{"kind":"race","kernel":"k","message":"race on a","count":1,"facts":"finding=race","places":'
    '[{"file":"a.cu","line":3,"column":5,"operation":"load","thread":[1,0,0],"block":[0,0,0]}]}]',
    "finding=out_of_bounds access=load thread=5 block=0 memory=global where=before at=-4 end=400 width=4",
    "Expected equality of these values:\n  a\n    Which is: 1\n  b\n    Which is: 2\n",
)
_NAMES = ("Suite.right", "Operation.MatchesReference/5x7", "A/B.C/n33_threads32", "x", "", "/", "a.b/99999x1")


class FailureTexts:
    name = "failure_texts"
    is_isolated = True

    def __init__(self, root: Path) -> None:
        self._file = root / "chapters/ch3_transpose/ex2_swizzled.cu"

    def run(self, chance: random.Random, folder: Path) -> str:
        text = self._text(chance)
        (folder / "text.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
        tests = tuple(
            FailedTest(
                chance.choice(_NAMES),
                tuple(self._text(chance) for _ in range(chance.randint(0, 2))),
                Recorded(
                    tuple(self._text(chance) for _ in range(chance.randint(0, 2))),
                    self._text(chance),
                    parse_findings(self._text(chance)),
                    self._text(chance),
                ),
            )
            for _ in range(chance.randint(1, 4))
        )
        mistakes = mistakes_of(parse_findings(self._text(chance)))
        outcome = chance.choice(list(Outcome))
        passed = tuple(chance.sample(_NAMES, chance.randint(0, 3)))
        result = CheckResult(self._file, outcome, tests, passed, mistakes, varies=chance.random() < 0.5, words=text, advice=text)
        choose_hints(general_hints(), facts_of(result))
        refused_shape(text)
        plain_words(text)
        draw(result, 60)
        said = explain(result, "ex2_swizzled.cu", "ch3_ex2")
        return "" if said.strip() else "the text of the check is empty"

    def _text(self, chance: random.Random) -> str:
        text = chance.choice(_TEXTS)
        if chance.random() < 0.03:
            return text * 20_000
        return edited_code(text, chance, chance.choice(_TEXTS))


