"""The --json output of list, progress, doctor and check, and its fields in docs/json.md."""

from __future__ import annotations

import json
import re
from typing import Any

from exercises.support import EXERCISE, UNWRITTEN, ExerciseTest, tests_that
from support import ROOT


def documented(command: str) -> set[str]:
    """The names of fields in a section of the page."""
    page = (ROOT / "docs/json.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {command}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    paths = [path for cell in cells for path in re.findall(r"`([^`]+)`", cell)]
    return {name for path in paths for name in path.replace("[]", "").split(".") if name}


def fields_of(value: Any) -> set[str]:
    """The names in objects and lists of objects, except those in goals and tests."""
    if isinstance(value, list):
        return {name for one in value for name in fields_of(one)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {
        name for key in ("chapters", "programs", "exercises", "predictions", "checks") for name in fields_of(value.get(key))
    }


class JsonTest(ExerciseTest):
    def printed(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        result = self.ends(code, *arguments, "--json")
        self.errors = result.stderr
        found: dict[str, Any] = json.loads(result.stdout)
        self.assertEqual(found["schema"], 1)
        self.assertEqual(fields_of(found) - {"schema"}, documented(arguments[0]))
        return found

    def test_list(self) -> None:
        (chapter,) = self.printed("list")["chapters"]
        self.assertEqual(chapter["name"], "ch3_transpose")
        programs = {program["target"]: program for program in chapter["programs"]}
        self.assertEqual(programs["ch3_transpose_cublas"]["needs_gpu"], True)
        self.assertEqual((programs["ch3_ex2"]["kind"], programs["ch3_ex2"]["file"]), ("exercise", EXERCISE))

    def test_progress_before_and_after_a_pass(self) -> None:
        (before,) = self.printed("progress")["exercises"]
        self.assertEqual((before["solved"], before["checks"], before["date"]), (False, 0, None))
        self.check()
        (after,) = self.printed("progress", "ch3")["exercises"]
        self.assertEqual((after["exercise"], after["solved"], after["checks"]), ("ch3_ex2", True, 1))
        self.assertRegex(after["date"], r"^\d{4}-\d\d-\d\d$")

    def test_check_that_passes(self) -> None:
        (checked,) = self.printed("check", "ch3_ex2")["exercises"]
        self.assertEqual((checked["passed"], checked["verdict"], checked["file"]), (True, "passed", EXERCISE))
        self.assertEqual(checked["passed_tests"], ["Suite.right"])
        self.assertEqual((checked["goals"][0]["counted"], checked["goals"][0]["is_met"]), (1, True))
        self.assertIn(f"Checking {EXERCISE}", self.errors)

    def test_check_that_fails(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        (checked,) = self.printed("check", "ch3_ex2", code=1)["exercises"]
        self.assertEqual((checked["passed"], checked["verdict"]), (False, "wrong result"))
        self.assertTrue(checked["text"].startswith(f"{EXERCISE}: wrong result.\n"))  # without a mark
        self.assertEqual(checked["failed_tests"][0]["name"], "Suite.b")
        self.assertIn("9 of 9 elements are wrong", checked["text"])

    def test_check_that_only_nvcc_refuses(self) -> None:
        refuse = f'case "$*" in *ex2_swizzled.cu*) echo "{self.answer}(3): error: no GPU has it"; exit 1; esac'
        self.write_tool("nvcc", refuse)
        (checked,) = self.printed("check", "ch3_ex2", code=4)["exercises"]
        self.assertEqual((checked["passed"], checked["verdict"]), (False, "does not compile"))
        self.assertIn(f"Fix {EXERCISE}, line 3: no GPU has it\n", checked["text"])

    def test_check_of_a_chapter_without_its_file(self) -> None:
        self.answer.unlink()
        self.assertEqual(json.loads(self.workbook("check", "ch3", "--json").stdout)["exercises"], [])

    def test_doctor(self) -> None:
        found = self.printed("doctor")
        self.assertTrue(found["can_build"])
        self.assertIn({"name": "Python", "state": "ok"}, [{k: c[k] for k in ("name", "state")} for c in found["checks"]])
