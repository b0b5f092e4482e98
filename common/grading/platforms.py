"""The result of a grading for a class platform: one student's grades in the platform's own format.

Gradescope: gradescope-autograders.readthedocs.io/en/latest/specs. Classroom 50: github.com/foundation50/classroom50,
its wiki's page on autograders ("classroom50/result/v1").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from cli.errors import UsageError
from cli.terminal.markdown import verdicts_page
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


def gradescope_results(grades: Iterable[Graded], points: int) -> dict[str, object]:
    """results.json: a test case for each exercise, with all of its points or none."""
    grades = list(grades)
    tests = [
        {
            "name": grade["exercise"],
            "score": points if grade["passed"] else 0,
            "max_score": points,
            "status": "passed" if grade["passed"] else "failed",
            "output": grade["text"] if grade["text"].startswith(grade["verdict"]) else f"{grade['verdict']}\n\n{grade['text']}",
            "output_format": "text",
            "visibility": "visible",
        }
        for grade in grades
    ]
    return {
        "execution_time": round(sum(grade["seconds"] for grade in grades)),
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def classroom50_result(grades: Iterable[Graded], points: int, environment: Mapping[str, str]) -> dict[str, object]:
    """result.json. Raises UsageError outside the environment of Classroom 50's runner."""
    missing = [name for name in (*_CLASSROOM50_FIELDS.values(), "USERNAME") if not environment.get(name)]
    if missing:
        raise UsageError(f"{', '.join(missing)} must be set. Run this in Classroom 50's runner, which sets them.")
    tests = [
        {
            "test-name": grade["exercise"],
            "passed": grade["passed"],
            "score": points if grade["passed"] else 0,
            "max-score": points,
        }
        for grade in grades
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


def writer_for(platform: str, environment: Mapping[str, str]) -> Callable[[Path, list[Graded], int], None]:
    """The function that writes one student's grades for a platform. Raises UsageError if it cannot run here."""
    if platform == GRADESCOPE:
        return lambda file, grades, points: _write_json(file, gradescope_results(grades, points))
    classroom50_result([], 0, environment)  # raises before anything is graded
    return lambda file, grades, points: _write_for_classroom50(file, grades, points, environment)


def _write_for_classroom50(file: Path, grades: list[Graded], points: int, environment: Mapping[str, str]) -> None:
    _write_json(file, classroom50_result(grades, points, environment))
    shown = ((grade["exercise"], grade["verdict"], grade["text"]) for grade in grades)
    write_in_one_step(file.with_name("release-body.md"), verdicts_page(shown))


def _write_json(file: Path, content: dict[str, object]) -> None:
    write_in_one_step(file, json.dumps(content, indent=1) + "\n")
