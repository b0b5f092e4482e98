"""The result of a grading for a class platform: one student's grades in the platform's own format.

Gradescope: gradescope-autograders.readthedocs.io/en/latest/specs. Classroom 50: github.com/foundation50/classroom50,
its wiki's page on autograders ("classroom50/result/v1").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from cli.errors import UsageError
from cli.terminal.markdown import verdicts_page
from grading.feedback import part_lines
from grading.marking import Mark
from grading.reports import write_in_one_step

Graded = Mapping[str, Any]  # the grade of one exercise, as in NAME.json
GRADESCOPE, CLASSROOM50 = "gradescope", "classroom50"
# Fields of Classroom 50's result, and the variables of its runner with their values.
_CLASSROOM50_FIELDS = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}


def gradescope_results(grades: Iterable[Graded], marks: Sequence[Mark]) -> dict[str, object]:
    """results.json: a test case for each exercise, with its points. marks: of the exercises, in this order."""
    grades = list(grades)
    tests = [
        {
            "name": grade["exercise"],
            "score": _number(mark.points),
            "max_score": _number(mark.of),
            "status": "passed" if grade["passed"] else "failed",
            "output": _text(grade["verdict"], [*part_lines(mark), grade["text"]]),
            "output_format": "text",
            "visibility": "visible",
        }
        for grade, mark in zip(grades, marks)
    ]
    return {
        "execution_time": round(sum(grade["seconds"] for grade in grades)),
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _text(verdict: str, paragraphs: list[str]) -> str:
    """The paragraphs, after the verdict unless one of them starts with it."""
    is_there = any(paragraph.startswith(verdict) for paragraph in paragraphs)
    return "\n\n".join(paragraphs if is_there else [verdict, *paragraphs])


def classroom50_result(
    grades: Iterable[Graded], marks: Sequence[Mark], environment: Mapping[str, str]
) -> dict[str, object]:
    """result.json. Raises UsageError outside the environment of Classroom 50's runner."""
    missing = [name for name in (*_CLASSROOM50_FIELDS.values(), "USERNAME") if not environment.get(name)]
    if missing:
        raise UsageError(f"{', '.join(missing)} must be set. Run this in Classroom 50's runner, which sets them.")
    tests = [
        {
            "test-name": grade["exercise"],
            "passed": grade["passed"],
            "score": _number(mark.points),
            "max-score": _number(mark.of),
        }
        for grade, mark in zip(grades, marks)
    ]
    return {
        "schema": "classroom50/result/v1",
        **{field: environment[name] for field, name in _CLASSROOM50_FIELDS.items()},
        "usernames": [environment["USERNAME"]],
        "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
        "datetime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _number(points: float) -> float:
    """5 instead of 5.0: not all readers of JSON take both for integers."""
    return int(points) if float(points).is_integer() else round(points, 2)


def writer_for(platform: str, environment: Mapping[str, str]) -> Callable[[Path, list[Graded], list[Mark]], None]:
    """The function that writes one student's grades for a platform. Raises UsageError if it cannot run here."""
    if platform == GRADESCOPE:
        return lambda file, grades, marks: _write_json(file, gradescope_results(grades, marks))
    classroom50_result([], [], environment)  # raises before anything is graded
    return lambda file, grades, marks: _write_for_classroom50(file, grades, marks, environment)


def _write_for_classroom50(
    file: Path, grades: list[Graded], marks: list[Mark], environment: Mapping[str, str]
) -> None:
    _write_json(file, classroom50_result(grades, marks, environment))
    shown = ((grade["exercise"], grade["verdict"], grade["text"]) for grade in grades)
    write_in_one_step(file.with_name("release-body.md"), verdicts_page(shown))


def _write_json(file: Path, content: dict[str, object]) -> None:
    write_in_one_step(file, json.dumps(content, indent=1) + "\n")
