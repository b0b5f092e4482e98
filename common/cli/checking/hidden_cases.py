"""Seeds and shapes that students do not see: a CSV file with one row per exercise.

    exercise,seed,shapes
    ch3_ex2,918273,97x2051 5x5

An exercise without a seed gets one that depends on the whole file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.checking.plain_files import cut, read_table, table_lines
from cli.errors import UsageError

COLUMNS = ["exercise", "seed", "shapes"]
SEED, SHAPES = "WORKBOOK_SEED", "WORKBOOK_SHAPES"
_SHAPE = re.compile(r"\d+(x\d+)*")
_MAX_NUMBER = 2**31 - 1
_MAX_SEED = 2**64 - 1


@dataclass(frozen=True)
class HiddenCases:
    seed: int | None = None
    shapes: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """The variables that the tests read: common/harness/random.h and tests/support/hidden_shapes.h."""
        settings = {} if self.seed is None else {SEED: str(self.seed)}
        return {**settings, **({SHAPES: " ".join(self.shapes)} if self.shapes else {})}


def read_hidden_cases(file: Path, exercises: list[Program]) -> dict[str, HiddenCases]:
    """The cases of each exercise. Raises UsageError for a file that cannot be read, or a wrong line."""
    known = {exercise.target for exercise in exercises}
    cases: dict[str, HiddenCases] = {}
    for where, (name, seed, shapes) in table_lines(file, read_table(file, COLUMNS)):
        if name not in known:
            shown = f"'{cut(name)}'. './workbook list ch3' shows those of chapter 3."
            raise UsageError(f"{where}: there is no exercise {shown}")
        if name in cases:
            raise UsageError(f"{where}: {name} already has a line.")
        if not seed and not shapes:
            raise UsageError(f"{where}: {name} has neither a seed nor shapes. Add them, or remove the line.")
        cases[name] = HiddenCases(_seed(seed, where), _shapes(shapes, where))
    content = file.read_bytes()
    return {name: _with_seed(cases.get(name, HiddenCases()), content, name) for name in known}


def _with_seed(case: HiddenCases, content: bytes, name: str) -> HiddenCases:
    if case.seed is not None:
        return case
    digest = hashlib.sha256(content + name.encode()).digest()
    return dataclasses.replace(case, seed=int.from_bytes(digest[:4], "big") + 1)


def require_sensible_settings(environment: Mapping[str, str]) -> None:
    """Raises UsageError if the learner's own environment has a seed or shapes that such a file could not have."""
    if environment.get(SEED) == "":
        raise UsageError(f"{SEED} is empty: set it to an integer, or unset it.")
    _seed(environment.get(SEED, ""), SEED)
    _shapes(environment.get(SHAPES, ""), SHAPES)


def refused_shape(words: str) -> str:
    """The line in which tests refuse a shape of WORKBOOK_SHAPES; empty if their output has no such line."""
    match = re.search(rf"^{SHAPES}: .+ is not a shape of these tests\..*", words, re.MULTILINE)
    return match.group() if match else ""


def _seed(text: str, where: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"0*[0-9]{1,20}", text) or int(text[-20:]) > _MAX_SEED:
        raise UsageError(f"{where}: a seed must be an integer from 0 to 2^64 - 1, not '{cut(text)}'.")
    return int(text[-20:])


def _is_extent(digits: str) -> bool:
    return len(digits.lstrip("0")) <= len(str(_MAX_NUMBER)) and int(digits[-20:]) <= _MAX_NUMBER


def _shapes(text: str, where: str) -> tuple[str, ...]:
    for shape in text.split():
        if not _SHAPE.fullmatch(shape) or not all(map(_is_extent, shape.split("x"))):
            raise UsageError(f"{where}: a shape must look like 1000 or 97x2051, not '{cut(shape)}'.")
    return tuple(text.split())
