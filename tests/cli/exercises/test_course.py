"""The output of `./workbook next`, and the exercise of `check` and `hint` without a name."""

from __future__ import annotations

import re

from support import FakeWorkbook

COURSE = """# Course

| chapter | core path | it needs | advanced path |
|:---|:---|:---|:---|
| ch3_transpose | `01_naive`, `ex2_second`, `ex1_first` | nothing | `02_localmem`, `ex3_third` |
| ch1_saxpy | all stages, all exercises | ch3 | |
"""
HEADER = "exercise,state,date,checks,hints,failure,answer\n"


class NextTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("docs/course.md", COURSE)
        self.write_chapter("ch3_transpose", ("01_naive", "02_localmem"), ("ex1_first", "ex2_second", "ex3_third"))
        self.write_chapter("ch1_saxpy", ("01_one_block",), ("ex1_add",))
        starters = "file,blob\nex1_first.cu,0\nex2_second.cu,0\nex3_third.cu,0\n"
        self.write("solutions/ch3_transpose/starters.csv", starters)

    def write_chapter(self, chapter: str, stages: tuple[str, ...], exercises: tuple[str, ...]) -> None:
        self.write(f"chapters/{chapter}/CMakeLists.txt", f"add_chapter({chapter} EXERCISES {' '.join(exercises)})\n")
        self.write(f"chapters/{chapter}/README.md", f"# The chapter {chapter}\n")
        for name in (*stages, *exercises):
            self.write(f"chapters/{chapter}/{name}.cu", "// Exercise 2: code (8 minutes)\n")

    def solve(self, *exercises: str) -> None:
        lines = "".join(f"{name},solved,2026-01-02,1,0,,000000000000\n" for name in exercises)
        self.write("progress.csv", HEADER + lines)

    def next(self) -> str:
        result = self.workbook("next")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_starts_with_the_first_exercise_of_the_core_path_and_its_stages(self) -> None:
        words = self.next()
        self.assertIn("The chapter ch3_transpose. Core path: 0 of 3 exercises solved.", words)
        self.assertIn("read   chapters/ch3_transpose/README.md\n         with its stages: 01_naive\n", words)
        self.assertIn("write  chapters/ch3_transpose/ex2_second.cu (8 minutes)\n", words)
        self.assertIn("check  ./workbook check ch3_ex2\n", words)

    def test_goes_in_the_order_of_the_course_and_then_to_the_advanced_path(self) -> None:
        self.solve("ch3_ex2")
        self.assertIn("check ch3_ex1\n", self.next())
        self.assertRegex(self.workbook("progress").stdout, r"ch3_transpose +#\.\. ")  # the bar has the same order
        self.solve("ch3_ex2", "ch3_ex1")
        self.assertIn("check ch1_ex1\n", self.next())
        self.solve("ch3_ex2", "ch3_ex1", "ch1_ex1")
        words = self.next()
        self.assertIn("You have finished the core path. Advanced path: 0 of 1 exercises solved.\n", words)
        self.assertIn("check ch3_ex3\n", words)

    def test_progress_of_a_chapter_names_the_next_exercise_in_the_same_order(self) -> None:
        self.solve("ch3_ex2")
        self.assertIn("Next: chapters/ch3_transpose/ex1_first.cu", self.workbook("progress", "ch3").stdout)
        self.solve("ch3_ex2", "ch3_ex1")
        self.assertIn("Next: chapters/ch3_transpose/ex3_third.cu", self.workbook("progress", "ch3").stdout)

    def test_list_and_progress_of_a_chapter_have_the_same_order(self) -> None:
        for command in ("list", "progress"):
            with self.subTest(command):
                words = self.workbook(command, "ch3").stdout
                self.assertEqual(re.findall(r"^ +(ch3_ex\d)", words, re.MULTILINE), ["ch3_ex2", "ch3_ex1", "ch3_ex3"])

    def test_after_the_core_path_the_pages_with_unsolved_exercises_are_offered(self) -> None:
        self.write("docs/course.md", f"{COURSE}| ch6_matmul | `ex1_core` | ch3 | `ex2_more` |\n")
        self.write_chapter("ch6_matmul", (), ("ex1_core", "ex2_more"))
        self.write("chapters/ch6_matmul/ADVANCED.md", "### Exercise 2: more (`ex2_more.cu`)\n")
        self.solve("ch3_ex2", "ch3_ex1", "ch1_ex1", "ch6_ex1")
        self.assertRegex(self.next(), "closer to the hardware limit +chapters/ch6_matmul/ADVANCED.md\n")
        self.solve("ch3_ex2", "ch3_ex1", "ch1_ex1", "ch6_ex1", "ch6_ex2")
        self.assertNotIn("ch6_matmul", self.next())

    def test_projects(self) -> None:
        self.write("docs/course.md", COURSE + "\n| `project_blur` | ch3_transpose | a tile |\n")
        self.write("chapters/projects/CMakeLists.txt", "add_chapter(projects)\nadd_operation(projects blur EXERCISES blur)\n")
        self.write("chapters/projects/blur.cu", "")
        offer = "Or write a program from a blank file: project_blur. chapters/projects/README.md specifies it."
        self.solve("ch3_ex2")
        self.assertNotIn("blank file", self.next())
        self.solve("ch3_ex2", "ch3_ex1")
        words = self.next()
        self.assertIn("check ch1_ex1\n", words)
        self.assertIn(offer, words)
        self.solve("ch3_ex2", "ch3_ex1", "ch1_ex1")
        words = self.next()
        self.assertRegex(words, "a program from a blank file +chapters/projects/README.md\n")
        self.assertIn("Projects: 0 of 1 exercises solved.", words)
        self.assertIn("check project_blur\n", words)
        self.solve("ch3_ex2", "ch3_ex1", "project_blur")
        self.assertNotIn("blank file", self.next())
        self.solve("ch3_ex2", "ch3_ex1", "project_blur", "ch1_ex1")
        words = self.next()
        self.assertIn("check ch3_ex3\n", words)
        self.assertNotIn("blank file", words)

    def test_names_the_stages_that_come_before_the_exercise(self) -> None:
        order = "`ex2_second`, `02_localmem`, `ex1_first`"
        self.write("docs/course.md", COURSE.replace("`ex2_second`, `ex1_first`", order))
        self.assertIn("with its stages: 01_naive\n", self.next())
        self.solve("ch3_ex2")
        self.assertIn("with its stages: 01_naive, 02_localmem\n", self.next())

    def test_all_are_solved(self) -> None:
        self.solve("ch3_ex1", "ch3_ex2", "ch3_ex3", "ch1_ex1")
        self.assertIn("All exercises are solved.", self.next())
        for command in ("check", "hint"):
            self.assertIn("so name one of them", self.ends(2, command).stderr)

    def test_without_the_page_the_chapters_order_is_used(self) -> None:
        (self.root / "docs/course.md").unlink()
        self.assertIn("check ch1_ex1\n", self.next())

    def test_a_chapter_that_is_not_here_is_left_out(self) -> None:
        self.write("docs/course.md", COURSE.replace("ch1_saxpy", "ch9_embedding"))
        self.solve("ch3_ex2", "ch3_ex1")
        self.assertIn("check ch1_ex1\n", self.next())

    def test_hint_without_a_name_is_for_that_exercise(self) -> None:
        sheet = "# ex2: second\n\n## Hints\n\n### steps\n\n- Look twice.\n"
        self.write("solutions/ch3_transpose/ex2_second.md", sheet)
        self.write("solutions/ch3_transpose/ex2_second.cu", "// solved\n")
        self.assertIn("Look twice.", self.workbook("hint").stdout)
