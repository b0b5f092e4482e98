"""`./workbook grade --platform` and `--export`: the results and the files for class platforms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import unittest
import zipfile
from pathlib import Path

from support import EXERCISE, OTHER, ROOT, FolderTest

from cli.errors import UsageError
from cli.terminal.markdown import fenced, verdicts_page
from cli.workbook import Workbook
from grading.export import Asked, export, tracked_files
from grading.judging import Grade
from grading.marking import Mark, Marking, Weights
from grading.platforms import classroom50_result, gradescope_results, writer_for
from grading.reports import as_json
from grading.submissions import Submission

GRADES = as_json(
    "ada",
    [
        Grade(Submission("ada", EXERCISE), "passed", "All is well.", duration_s=2.4),
        Grade(Submission("ada", OTHER), "wrong result", "row 3 is `wrong`", duration_s=1.2),
    ],
)["exercises"]


def marks(points: float, weights: Weights | None = None) -> list[Mark]:
    return [Marking(points, weights or {}).mark("ada", one) for one in GRADES]


RUNNER = {
    "CLASSROOM": "gpu",
    "ASSIGNMENT": "week3",
    "SUBMISSION_TAG": "submit/2026-11-22T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/1",
    "RELEASE_URL": "https://example.org/release/1",
    "USERNAME": "ada",
}


class GradescopeTest(unittest.TestCase):
    def test_an_exercise_gives_all_of_its_points_or_none(self) -> None:
        results = gradescope_results(GRADES, marks(5))
        self.assertEqual([(test["score"], test["max_score"]) for test in results["tests"]], [(5, 5), (0, 5)])
        self.assertEqual([test["status"] for test in results["tests"]], ["passed", "failed"])
        self.assertEqual(results["execution_time"], 4)

    def test_points_in_parts_are_in_the_score_and_in_the_text(self) -> None:
        graded = {**GRADES[1], "parts": {"compiles": True}}
        mark = Marking(2.5, {"all": {"compiles": 20, "right": 80}}).mark("ada", graded)
        (test,) = gradescope_results([graded], [mark])["tests"]
        self.assertEqual((test["score"], test["max_score"]), (0.5, 2.5))
        parts = "It compiles: 0.5 of 0.5 points\nThe result is correct: 0 of 2 points"
        self.assertEqual(test["output"], f"wrong result\n\n{parts}\n\nrow 3 is `wrong`")

    def test_students_read_the_verdict_and_the_text_of_the_check(self) -> None:
        test = gradescope_results(GRADES, marks(5))["tests"][1]
        self.assertEqual(test["name"], "ch3_ex3")
        self.assertEqual(test["output"], "wrong result\n\nrow 3 is `wrong`")
        self.assertEqual((test["visibility"], test["output_format"]), ("visible", "text"))

    def test_a_text_that_starts_with_the_verdict_does_not_have_it_twice(self) -> None:
        absent = Grade(Submission("ada", EXERCISE), "not handed in", "not handed in: there are no files")
        results = gradescope_results(as_json("ada", [absent])["exercises"], [Mark(0, 5)])
        self.assertEqual(results["tests"][0]["output"], "not handed in: there are no files")

    def test_the_graders_output_is_hidden_from_students(self) -> None:
        self.assertEqual(gradescope_results([], [])["stdout_visibility"], "hidden")


class Classroom50Test(FolderTest):
    def test_has_the_fields_of_its_contract(self) -> None:
        result = classroom50_result(GRADES, marks(10), RUNNER)
        named = ("schema", "classroom", "assignment", "usernames", "submission", "commit", "release", "review")
        self.assertEqual(set(result), {*named, "datetime", "score", "max-score", "tests"})
        self.assertEqual(result["schema"], "classroom50/result/v1")
        self.assertEqual((result["classroom"], result["assignment"]), ("gpu", "week3"))
        self.assertEqual(result["usernames"], ["ada"])
        self.assertRegex(result["datetime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual((result["score"], result["max-score"]), (10, 20))
        self.assertEqual(
            result["tests"][1], {"test-name": "ch3_ex3", "passed": False, "score": 0, "max-score": 10}
        )

    def test_the_review_is_the_commit_if_there_is_no_history(self) -> None:
        self.assertEqual(classroom50_result([], [], RUNNER)["review"], RUNNER["COMMIT_URL"])
        with_history = {**RUNNER, "REVIEW_URL": "https://example.org/compare"}
        self.assertEqual(classroom50_result([], [], with_history)["review"], "https://example.org/compare")

    def test_names_missing_variables_before_anything_is_graded(self) -> None:
        with self.assertRaisesRegex(UsageError, "^USERNAME must be set"):
            writer_for("classroom50", {**RUNNER, "USERNAME": ""})

    def test_writes_the_result_and_a_page_for_the_release(self) -> None:
        writer_for("classroom50", RUNNER)(self.folder / "result.json", GRADES, marks(10))
        self.assertEqual(json.loads((self.folder / "result.json").read_text())["score"], 10)
        page = (self.folder / "release-body.md").read_text()
        self.assertIn("| ch3_ex3 | wrong result |", page)
        self.assertIn("row 3 is `wrong`", page)


class MarkdownTest(unittest.TestCase):
    def test_a_fence_is_longer_than_any_in_the_text(self) -> None:
        self.assertEqual(fenced("a\n````\nb\n"), "`````text\na\n````\nb\n`````")

    def test_lists_verdicts_before_texts(self) -> None:
        page = verdicts_page([("ch1_ex1", "passed", "well")])
        self.assertEqual(page, "| exercise | verdict |\n|---|---|\n| ch1_ex1 | passed |\n\n## ch1_ex1: passed\n\n```text\nwell\n```\n")


class ExportTest(FolderTest):
    def export(self, kind: str, hidden: Path | None = None) -> Path:
        asked = Asked((EXERCISE, OTHER), ("--points", "5"), {"hidden": hidden, "weights": hidden})
        export(kind, self.folder / kind, asked, Workbook(ROOT))
        return self.folder / kind

    @unittest.skipUnless((ROOT / ".git").exists(), "only git can list the workbook's files")
    def test_gradescope_gets_a_zip_with_its_two_scripts_at_the_root(self) -> None:
        hidden = self.folder / "mine.csv"
        hidden.write_text("exercise,seed,shapes\nch3_ex2,7,\n")
        folder = self.export("gradescope", hidden)
        with zipfile.ZipFile(folder / "autograder.zip") as archive:
            names = archive.namelist()
            rights = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
            asked = json.loads(archive.read("grading.json"))
        expected = ["grade.py", "grading.json", "hidden.csv", "run_autograder", "setup.sh", "weights.csv", "workbook.tar.gz"]
        self.assertEqual(sorted(names), expected)
        self.assertTrue(rights["run_autograder"] & 0o100)
        self.assertEqual(asked, {"exercises": ["ch3_ex2", "ch3_ex3"], "options": ["--points", "5"]})

    @unittest.skipUnless((ROOT / ".git").exists(), "only git can list the workbook's files")
    def test_the_workbook_is_packed_as_in_git_and_owned_by_root(self) -> None:
        with tarfile.open(self.export("classroom50") / "workbook.tar.gz") as archive:
            entries = {entry.name: entry for entry in archive.getmembers()}
        self.assertEqual(sorted(entries), tracked_files(Workbook(ROOT)))
        self.assertIn("solutions/ch3_transpose/ex2_swizzled.cu", entries)
        self.assertEqual({(entry.uid, entry.uname) for entry in entries.values()}, {(0, "root")})

    def test_a_class_repository_gets_only_a_workflow(self) -> None:
        folder = self.export("github")
        files = [str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()]
        self.assertEqual(files, [".github/workflows/exercises.yml"])

    def test_a_folder_with_files_stays_unchanged(self) -> None:
        (self.folder / "github").mkdir()
        (self.folder / "github/mine").write_text("kept")
        with self.assertRaisesRegex(UsageError, "is not an empty folder"):
            self.export("github")
        self.assertEqual(os.listdir(self.folder / "github"), ["mine"])


class AdapterTest(FolderTest):
    """The adapters, with a program instead of ./workbook that records its arguments."""

    def put_workbook(self, file: Path, says: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"#!{sys.executable}\nimport pathlib, sys\n"
            "arguments = sys.argv[1:]\n"
            f"pathlib.Path({str(self.folder / 'called')!r}).write_text(' '.join(arguments))\n"
            f"says = {says!r}\n"
            "if says:\n"
            "    result = pathlib.Path(arguments[arguments.index('--result') + 1])\n"
            "    result.write_text(says)\n"
            "    result.with_name('release-body.md').write_text('verdicts')\n"
            "sys.exit(0 if says else 3)\n"
        )
        file.chmod(0o755)

    def gradescope(self, says: str) -> subprocess.CompletedProcess[str]:
        asked = {"exercises": ["ch3_ex2"], "options": ["--points", "5"]}
        source = self.folder / "source"
        source.mkdir()
        (source / "grading.json").write_text(json.dumps(asked))
        for name in ("hidden.csv", "weights.csv"):
            (source / name).write_text("")
        (source / "grade.py").write_text((ROOT / "common/grading/adapters/gradescope_grade.py").read_text())
        self.put_workbook(self.folder / "workbook/workbook", says)
        command = [sys.executable, str(source / "grade.py"), "submission", str(self.folder / "results.json")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_gradescope_s_asks_for_its_exercises_with_the_hidden_cases_and_weights(self) -> None:
        self.assertEqual(self.gradescope('{"tests": []}').returncode, 0)
        called, source = (self.folder / "called").read_text(), self.folder / "source"
        self.assertTrue(called.startswith("grade submission ch3_ex2 --points 5 --platform gradescope --result "))
        self.assertTrue(called.endswith(f"--contained --hidden {source}/hidden.csv --weights {source}/weights.csv"))
        self.assertEqual((self.folder / "results.json").read_text(), '{"tests": []}')

    def test_gradescope_s_informs_the_student_when_the_grader_fails(self) -> None:
        (self.folder / "results.json").write_text("of the last submission")
        self.assertEqual(self.gradescope("").returncode, 3)
        results = json.loads((self.folder / "results.json").read_text())
        self.assertEqual(results["score"], 0)
        self.assertIn("not your fault", results["output"])

    def test_gradescope_s_reports_a_truncated_file(self) -> None:
        self.gradescope("{}")
        (self.folder / "source/grading.json").write_text('{"exercises": ["ch3')
        results = self.folder / "results.json"
        command = [sys.executable, str(self.folder / "source/grade.py"), "submission", str(results)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("grading.json has changed since its export", ended.stderr)
        self.assertIn("not your fault", json.loads(results.read_text())["output"])

    @unittest.skipIf(os.geteuid() != 0, "another user's grader asks sudo")
    def test_classroom50_s_reports_a_truncated_file(self) -> None:
        self.classroom50("{}")
        for name, bytes_kept in (("grading.json", 5), ("workbook.tar.gz", 60)):
            with self.subTest(name):
                (self.folder / "submission/result.json").write_text('{"score": 100}')
                file = self.folder / "bundle" / name
                whole = file.read_bytes()
                file.write_bytes(whole[:bytes_kept])
                script = [sys.executable, str(self.folder / "bundle/autograder.py")]
                ended = subprocess.run(
                    script, cwd=self.folder / "submission", capture_output=True, text=True, check=False
                )
                file.write_bytes(whole)
                self.assertEqual(ended.returncode, 1)
                self.assertRegex(ended.stderr, r"\Agrading.json or workbook.tar.gz has changed since its export")
                self.assertFalse((self.folder / "submission/result.json").exists())

    def classroom50(self, says: str) -> subprocess.CompletedProcess[str]:
        bundle, submission = self.folder / "bundle", self.folder / "submission"
        bundle.mkdir()
        submission.mkdir(exist_ok=True)
        (bundle / "grading.json").write_text(json.dumps({"exercises": ["ch3_ex2"], "options": []}))
        script = bundle / "autograder.py"
        script.write_text((ROOT / "common/grading/adapters/classroom50_autograder.py").read_text())
        self.put_workbook(self.folder / "packed/workbook", says)
        with tarfile.open(bundle / "workbook.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "packed/workbook", "workbook")
        return subprocess.run([sys.executable, str(script)], cwd=submission, capture_output=True, text=True, check=False)

    @unittest.skipIf(os.geteuid() != 0, "another user's grader asks sudo")
    def test_classroom50_s_writes_the_result_into_the_submission(self) -> None:
        ended = self.classroom50("{}")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual((self.folder / "submission/result.json").read_text(), "{}")
        self.assertEqual((self.folder / "submission/release-body.md").read_text(), "verdicts")
        self.assertIn("--platform classroom50", (self.folder / "called").read_text())

    @unittest.skipIf(os.geteuid() != 0, "another user's grader asks sudo")
    def test_classroom50_s_fails_if_there_is_no_grade(self) -> None:
        self.assertEqual(self.classroom50("").returncode, 3)

    @unittest.skipIf(os.geteuid() != 0, "another user's grader asks sudo")
    def test_classroom50_s_ignores_a_grade_that_was_handed_in(self) -> None:
        (self.folder / "submission").mkdir()
        forged = self.folder / "submission/result.json"
        forged.write_text('{"score": 100}')
        self.assertEqual(self.classroom50("").returncode, 3)
        self.assertFalse(forged.exists())

    @unittest.skipIf(os.geteuid() != 0, "another user's grader asks sudo")
    def test_classroom50_s_writes_through_no_link_that_was_handed_in(self) -> None:
        (self.folder / "submission").mkdir()
        (self.folder / "target").write_text("unchanged")
        (self.folder / "submission/result.json").symlink_to(self.folder / "target")
        self.assertEqual(self.classroom50("{}").returncode, 0)
        self.assertEqual((self.folder / "target").read_text(), "unchanged")
        self.assertEqual((self.folder / "submission/result.json").read_text(), "{}")
