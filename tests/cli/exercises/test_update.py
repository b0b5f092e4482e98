"""`./workbook update` in the clones of students: what stays, what moves, and what an interruption leaves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from unittest import mock

from support import FolderTest

from cli.errors import WorkbookError
from cli.exercises import new_version
from cli.exercises.clone import Clone
from cli.exercises.new_version import Updated, target_of, update

STARTER = "chapters/ch3_transpose/ex2_swizzled.cu"
LESSON = "chapters/ch3_transpose/README.md"
ANYONE = {
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"},
}


class UpdateTest(FolderTest):
    """A class's repository with a starter and a lesson, and a student's clone of it."""

    def setUp(self) -> None:
        super().setUp()
        self.course, self.student = self.folder / "the course", self.folder / "student"
        environment = mock.patch.dict(os.environ, ANYONE)
        environment.start()
        self.addCleanup(environment.stop)
        self.git(self.folder, "init", "-q", "-b", "main", str(self.course))
        self.publish({STARTER: "// starter\n", LESSON: "".join(f"line {n}\n" for n in range(9)), "run": "old\n"})
        self.git(self.folder, "clone", "-q", str(self.course), str(self.student))

    @staticmethod
    def git(folder: Path, *arguments: str) -> str:
        return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout

    def publish(self, files: dict[str, str | None]) -> None:
        for path, text in files.items():
            self.write(self.course, path, text)
        self.commit(self.course, "week 2")

    def commit(self, folder: Path, message: str) -> None:
        self.git(folder, "add", "-A")
        self.git(folder, "commit", "-q", "-m", message)

    @staticmethod
    def write(folder: Path, path: str, text: str | None) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            (folder / path).unlink()
        else:
            (folder / path).write_text(text)

    def mine(self, path: str, text: str) -> None:
        self.write(self.student, path, text)

    def read(self, path: str) -> str:
        return (self.student / path).read_text()

    def status(self) -> list[str]:
        return self.git(self.student, "status", "--short").splitlines()

    def update(self, repository: str = "") -> Updated:
        clone = Clone(self.student)
        return update(clone, clone.fetch(repository))

    def test_an_unchanged_copy_becomes_the_new_version(self) -> None:
        self.publish({STARTER: "// better\n", "docs/new.md": "new\n", "run": None})
        done = self.update()
        self.assertEqual((done.new, done.changed, done.removed), (["docs/new.md"], [STARTER], ["run"]))
        self.assertEqual(done.subjects, ["week 2"])
        self.assertEqual(self.status(), [])
        self.assertEqual(self.git(self.student, "rev-parse", "HEAD"), self.git(self.course, "rev-parse", "HEAD"))

    def test_a_changed_exercise_stays_with_the_new_starter_next_to_it(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        self.publish({STARTER: "// better\n"})
        self.assertEqual(self.update().kept, [(STARTER, f"{STARTER}.starter-1")])
        self.assertEqual((self.read(STARTER), self.read(f"{STARTER}.starter-1")), ("// my kernel\n", "// better\n"))
        self.assertEqual(self.status(), [f" M {STARTER}", f"?? {STARTER}.starter-1"])

    def test_a_committed_answer_stays_committed(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        self.commit(self.student, "my answer")
        self.publish({STARTER: "// better\n"})
        self.update()
        self.assertEqual(self.git(self.student, "show", f"HEAD:{STARTER}"), "// my kernel\n")
        self.assertEqual(self.status(), [f"?? {STARTER}.starter-1"])
        self.assertEqual(self.update(), Updated())  # the course's version is part of the history now

    def test_without_a_name_for_git_the_versions_are_joined(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        self.commit(self.student, "my answer")
        self.publish({"run": "new\n"})
        unnamed = {name: value for name, value in os.environ.items() if name not in ANYONE or "CONFIG" in name}
        with mock.patch.dict(os.environ, {**unnamed, "EMAIL": "", "GIT_CONFIG_COUNT": "1"}, clear=True):
            os.environ.update(GIT_CONFIG_KEY_0="user.useConfigOnly", GIT_CONFIG_VALUE_0="true")
            self.update()
        self.assertEqual(self.read("run"), "new\n")

    def test_a_renamed_exercise_takes_the_answer_with_it(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        renamed = "chapters/ch3_transpose/ex2_xor.cu"
        self.publish({STARTER: None, renamed: "// starter\n"})
        done = self.update()
        self.assertEqual((done.moved, done.kept), ([(STARTER, renamed)], []))
        self.assertEqual(self.read(renamed), "// my kernel\n")
        self.assertFalse((self.student / STARTER).exists())

    def test_the_table_of_old_names_moves_a_file(self) -> None:
        old, new = "chapters/ch6_matmul/05_fast.cu", "chapters/ch6_matmul/06_tiled.cu"
        self.publish({old: "// one\n// two\n"})
        self.update()
        self.mine(old, "// one\n// mine\n")
        table = "old,new\nch6_matmul_fast,ch6_matmul_tiled\n"
        self.publish({old: None, new: "// 1\n// two\n", "chapters/old_names.csv": table})
        self.assertEqual(self.update().moved, [(old, new)])
        self.assertEqual((self.read(new), self.read(f"{new}.backup-1")), ("// 1\n// two\n", "// one\n// mine\n"))

    def test_notes_in_a_lesson_are_joined_with_the_new_lines(self) -> None:
        text = self.read(LESSON)
        self.mine(LESSON, text + "my note\n")
        self.publish({LESSON: "a new title\n" + text})
        self.update()
        self.assertEqual(self.read(LESSON), "a new title\n" + text + "my note\n")

    def test_a_file_that_both_changed_is_backed_up(self) -> None:
        self.mine(LESSON, "mine\n")
        self.publish({LESSON: "theirs\n"})
        self.assertEqual(self.update().replaced, [(LESSON, f"{LESSON}.backup-1")])
        self.assertEqual((self.read(LESSON), self.read(f"{LESSON}.backup-1")), ("theirs\n", "mine\n"))

    def test_an_answer_to_an_exercise_that_is_gone_is_a_backup(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        self.commit(self.student, "my answer")
        self.publish({STARTER: None})
        self.assertEqual(self.update().obsolete, [(STARTER, f"{STARTER}.backup-1")])
        self.assertEqual(self.read(f"{STARTER}.backup-1"), "// my kernel\n")
        self.assertEqual(self.status(), [f"?? {STARTER}.backup-1"])

    def test_a_shallow_clone(self) -> None:
        self.git(self.course.parent, "clone", "-q", "--depth", "1", f"file://{self.course}", str(self.student) + "2")
        self.student = Path(f"{self.student}2")
        self.mine(STARTER, "// my kernel\n")
        self.publish({STARTER: "// better\n", "run": "new\n"})
        self.assertEqual(self.update().changed, ["run"])
        self.assertEqual(self.read(STARTER), "// my kernel\n")

    def test_progress_of_the_teacher_does_not_arrive(self) -> None:
        self.mine("progress.csv", "mine\n")
        self.publish({"progress.csv": "theirs\n", "run": "new\n"})
        self.update()
        self.assertEqual((self.read("progress.csv"), self.read("run")), ("mine\n", "new\n"))

    def test_an_interrupted_update_continues(self) -> None:
        self.mine(STARTER, "// my kernel\n")
        lesson = self.read(LESSON)
        self.mine(LESSON, lesson + "my note\n")
        self.publish({STARTER: "// better\n", LESSON: "title\n" + lesson, "run": "new\n"})
        with mock.patch.object(Clone, "join", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.update()
        self.update()
        self.assertEqual((self.read("run"), self.read(STARTER)), ("new\n", "// my kernel\n"))
        self.assertEqual(self.read(LESSON).splitlines()[::9], ["title", "line 8"])
        self.assertEqual(self.status(), [f" M {LESSON}", f" M {STARTER}", f"?? {STARTER}.starter-1"])

    def test_a_replaced_history_does_not_look_like_the_students_work(self) -> None:
        self.write(self.course, STARTER, "// amended\n")
        self.git(self.course, "commit", "-q", "-a", "--amend", "-m", "again")
        self.assertEqual(self.update().changed, [STARTER])

    def test_a_template_with_a_history_of_its_own_is_updated_from_a_named_repository(self) -> None:
        self.git(self.student, "remote", "remove", "origin")
        self.git(self.student, "checkout", "-q", "--orphan", "mine")
        self.commit(self.student, "from the template")
        self.mine(STARTER, "// my kernel\n")
        self.publish({STARTER: "// better\n", "run": "new\n"})
        with self.assertRaisesRegex(WorkbookError, "does not know the repository"):
            self.update()
        self.assertEqual(self.update(str(self.course)).changed, ["run"])
        self.assertEqual(self.read(STARTER), "// my kernel\n")
        self.assertEqual(self.update(), Updated())

    def test_without_a_network_nothing_changes_and_a_wrong_address_is_forgotten(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "(?s)nowhere.git cannot be reached: .*Nothing was changed"):
            self.update("/nowhere.git")
        self.assertEqual(self.git(self.student, "remote"), "origin\n")

    def test_an_unfinished_merge_is_named(self) -> None:
        (self.student / ".git/MERGE_HEAD").write_text(self.git(self.student, "rev-parse", "HEAD"))
        with self.assertRaisesRegex(WorkbookError, "A git merge is unfinished .*'git merge --abort'"):
            Clone(self.student).require_nothing_unfinished()

    def test_targets_of_files(self) -> None:
        names = {
            "chapters/projects/blur.cu": "project_blur",
            "chapters/ch10_many_gpus/all_reduce/01_ring.cu": "ch10_many_gpus_all_reduce_ring",
            "chapters/ch6_matmul/baselines/cublas.cu": "ch6_matmul_cublas",
            "docs/setup.md": "",
        }
        self.assertEqual({path: target_of(path) for path in names}, names)
        self.assertTrue(new_version.is_exercise(STARTER))
