"""check_course.py, on a course of one chapter."""

import unittest

from check_course import problems, problems_of_lesson
from cli.exercises.course import read_paths

STEMS = {"ch1_a": ["01_one", "01b_variant", "02_two", "ex1_x"]}


class CourseTest(unittest.TestCase):
    def page(self, core: str, further: str, chapter: str = "ch1_a") -> str:
        return f"# Course\n\n| {chapter} | {core} | nothing | {further} |\n"

    def test_all_are_there(self) -> None:
        self.assertEqual(problems(self.page("`01_one`, `ex1_x`", "`02_two`"), STEMS), [])
        self.assertEqual(problems(self.page("", "all stages, all exercises"), STEMS), [])

    def test_what_is_missing(self) -> None:
        self.assertEqual(problems(self.page("`01_one`", "`02_two`"), STEMS), ["ch1_a: ex1_x is on no path."])

    def test_what_is_not_there_or_twice(self) -> None:
        found = problems(self.page("`01_one`, `ex1_x`, `03_three`", "`02_two`, `01_one`"), STEMS)
        self.assertEqual(found, ["ch1_a has no 03_three.", "ch1_a: 01_one is there twice."])

    def test_chapters(self) -> None:
        self.assertEqual(
            problems(self.page("`01_one`", "", "ch2_b"), STEMS), ["ch1_a is in no row of The paths.", "ch2_b is no chapter."]
        )

    def test_where_the_core_path_goes_on(self) -> None:
        row = read_paths(self.page("`01_one`, `ex2_y`, `ex1_x`", "`02_two`"))[0]
        goes_on = "**The core path goes on with [exercises](#exercises) 2 and 1.** The rest is further.\n"
        lesson = "## Stage 01: a\n{}\n## Stage 02: b\n{}"
        self.assertEqual(problems_of_lesson(row, lesson.format(goes_on, "")), [])
        self.assertEqual(problems_of_lesson(row, lesson.format(f"{goes_on}\n## Stage 01b: a variant\n", "")), [])
        self.assertEqual(
            problems_of_lesson(row, lesson.format("", goes_on)),
            ["ch1_a: nothing between stages 1 and 2 says that the core path goes on."],
        )
        self.assertEqual(
            problems_of_lesson(row, lesson.format(goes_on.replace("2 and 1", "1 and 2"), "")),
            ["ch1_a: the core path goes on with exercises 1 and 2, and docs/course.md has [2, 1]."],
        )
        all_core = read_paths(self.page("`01_one`, `02_two`, `ex1_x`", ""))[0]
        self.assertEqual(problems_of_lesson(all_core, lesson.format("", "")), [])


if __name__ == "__main__":
    unittest.main()
