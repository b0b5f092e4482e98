"""check_course.py, on a course of one chapter."""

import unittest

from check_course import problems
from cli.exercises.course import read_paths

STEMS = {"ch1_a": ["01_one", "01b_variant", "02_two", "ex1_x"]}


class CourseTest(unittest.TestCase):
    def page(self, core: str, advanced: str, chapter: str = "ch1_a") -> str:
        return f"# Course\n\n| {chapter} | {core} | nothing | {advanced} |\n"

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


if __name__ == "__main__":
    unittest.main()
