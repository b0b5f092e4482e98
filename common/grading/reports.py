"""The files of a grading: NAME.json, NAME.xml (JUnit) and NAME.html for each student, summary.csv and marks.csv."""

from __future__ import annotations

import hashlib
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cli.checking.check_result import findings_as_json
from cli.checking.plain_files import table_text
from grading.feedback import feedback_page
from grading.judging import Grade
from grading.marking import Marking, plain_points

SCHEMA = 1
_MAX_NAME_BYTES = 200
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_reports(folder: Path, student: str, grades: Iterable[Grade], room: str = "") -> None:
    """room: the sandbox, in words. Raises OSError if the folder cannot be written."""
    grades = list(grades)
    name = _file_name(student)
    write_in_one_step(folder / f"{name}.json", json.dumps(as_json(student, grades, room), indent=1) + "\n")
    suites = as_junit(student, grades)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    write_in_one_step(folder / f"{name}.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def read_report(folder: Path, student: str) -> dict[str, Any] | None:
    """A student's NAME.json; None if there is none, or if it cannot be read."""
    try:
        report = json.loads((folder / f"{_file_name(student)}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if report.get("schema") == SCHEMA and report.get("student") == student else None


def remove_report(folder: Path, student: str) -> None:
    for ending in ("json", "xml", "html"):
        (folder / f"{_file_name(student)}.{ending}").unlink(missing_ok=True)


def write_summary(folder: Path, reports: Iterable[dict[str, Any]]) -> None:
    """summary.csv of students' reports in the form of as_json and read_report."""
    rows = [["student", "exercise", "passed", "verdict", "tests_passed", "tests_failed", "seconds", "sha256", "flag"]]
    for report in reports:
        for graded in report["exercises"]:
            counts = [len(graded.get(tests, ())) for tests in ("passed_tests", "failed_tests")]
            names, verdict = (report["student"], graded["exercise"]), (int(graded["passed"]), graded["verdict"])
            flag = "counts differ" if graded["passed"] and graded.get("differences") else ""
            rows.append([*names, *verdict, *counts, f"{graded['seconds']:.1f}", graded["sha256"], flag])
    write_in_one_step(folder / "summary.csv", table_text(rows))


def write_marks(folder: Path, reports: Iterable[dict[str, Any]], marking: Marking) -> None:
    """marks.csv: a line for each student, with the points of each exercise and their sum."""
    reports = list(reports)
    exercises = list(dict.fromkeys(graded["exercise"] for report in reports for graded in report["exercises"]))
    rows = [["student", *exercises, "sum", "of"]]
    for report in reports:
        marks = {graded["exercise"]: marking.mark(report["student"], graded).points for graded in report["exercises"]}
        given = [marks.get(exercise, 0) for exercise in exercises]
        shown = map(plain_points, [*given, sum(given), marking.points * len(exercises)])
        rows.append([report["student"], *shown])
    write_in_one_step(folder / "marks.csv", table_text(rows))


def write_feedback(folder: Path, reports: Iterable[dict[str, Any]], marking: Marking) -> None:
    """NAME.html for each student."""
    for report in reports:
        marks = [marking.mark(report["student"], graded) for graded in report["exercises"]]
        write_in_one_step(folder / f"{_file_name(report['student'])}.html", feedback_page(report, marks))


def as_json(student: str, grades: Iterable[Grade], room: str = "") -> dict[str, Any]:
    exercises = [_exercise_as_json(grade) for grade in grades]
    return {"schema": SCHEMA, "student": student, "sandbox": room, "exercises": exercises}


def _exercise_as_json(grade: Grade) -> dict[str, object]:
    result = grade.result
    report: dict[str, object] = {
        "exercise": grade.submission.exercise.target,
        "passed": grade.passed,
        "verdict": grade.verdict,
        "parts": grade.parts,
        "text": grade.text,
        **({"teachers_text": grade.teachers_text} if grade.teachers_text else {}),
        "file": grade.submission.file.name if grade.submission.file else None,
        "sha256": grade.sha256,
        "seconds": round(grade.duration_s, 1),
    }
    if result:
        report.update(findings_as_json(result))
    return report


def as_junit(student: str, grades: Iterable[Grade]) -> ElementTree.Element:
    """A test suite for each exercise: the verdict as a test case, then the tests and the goals."""
    suites = ElementTree.Element("testsuites", name=_clean(student))
    for grade in grades:
        name = grade.submission.exercise.target
        cases: list[tuple[str, str]] = [("verdict", "" if grade.passed else f"{grade.verdict}\n{grade.teachers_text or grade.text}")]
        if grade.result:
            cases += [(test, "") for test in grade.result.passed_tests]
            cases += [(test.name, "\n".join(test.messages)) for test in grade.result.failed_tests]
            cases += [
                (f"goal {number}", "" if goal.is_met else goal.words())
                for number, goal in enumerate(grade.result.goals, start=1)
            ]
        failures = sum(bool(message) for _, message in cases)
        counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
        suite = ElementTree.SubElement(suites, "testsuite", name=name, time=f"{grade.duration_s:.1f}", **counts)
        for case_name, message in cases:
            case = ElementTree.SubElement(suite, "testcase", classname=_clean(f"{student}.{name}"), name=_clean(case_name))
            if message:
                first = _clean(message.splitlines()[0])
                ElementTree.SubElement(case, "failure", message=first).text = _clean(message)
    return suites


def _file_name(student: str) -> str:
    """The student's name; a long name is cut and gets a hash."""
    name = os.fsencode(student)
    if len(name) <= _MAX_NAME_BYTES:
        return student
    return name[:_MAX_NAME_BYTES].decode(errors="ignore") + "~" + hashlib.sha256(name).hexdigest()[:8]


def _clean(text: str) -> str:
    """The text without characters that XML cannot hold: an answer can print anything."""
    return _NOT_XML.sub("?", text)


def write_in_one_step(file: Path, text: str) -> None:
    """Writes a file in one step, so that an interrupted grading leaves no incomplete report."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8", errors="replace")
    os.replace(new, file)
