"""check_course.py, on a course of one chapter."""

import unittest

from check_course import first_hour_problems, problems, project_problems, shape_problems, week_problems

STEMS = {"ch1_a": ["01_one", "01b_variant", "02_two", "ex1_x"]}


class CourseTest(unittest.TestCase):
    def page(self, core: str, advanced: str, chapter: str = "ch1_a") -> str:
        return f"# Course\n\n| {chapter} | {core} | nothing | {advanced} |\n"

    def test_a_complete_course(self) -> None:
        self.assertEqual(problems(self.page("`01_one`, `ex1_x`", "`02_two`"), STEMS), [])
        self.assertEqual(problems(self.page("", "all stages, all exercises"), STEMS), [])

    def test_a_missing_exercise(self) -> None:
        self.assertEqual(problems(self.page("`01_one`", "`02_two`"), STEMS), ["ch1_a: ex1_x is on no path."])

    def test_a_name_that_does_not_exist_or_appears_twice(self) -> None:
        found = problems(self.page("`01_one`, `ex1_x`, `03_three`", "`02_two`, `01_one`"), STEMS)
        self.assertEqual(found, ["ch1_a has no 03_three.", "ch1_a: 01_one appears twice."])

    def test_chapters(self) -> None:
        self.assertEqual(
            problems(self.page("`01_one`", "", "ch2_b"), STEMS),
            [
                "ch1_a is in no row of The paths. Add a row at its place in the order of the course, such as: "
                "| ch1_a | `01_one`, `01b_variant`, `02_two`, `ex1_x` | | |",
                "ch2_b is not a chapter.",
            ],
        )

    def test_shapes(self) -> None:
        page = "| exercises | a shape |\n|---|---|\n| ch0_ex1 to 3, ch1_ex7 | rows |\n| project_a | n |\n\nch1_ex1\n"
        found = shape_problems(page, {"ch0_ex1", "ch0_ex2", "ch1_ex1", "ch1_ex7", "project_a"})
        self.assertEqual(
            found,
            [
                "ch0_ex3, in the table of shapes, is not an exercise.",
                "ch1_ex1 is in no row of the table of shapes. If its tests use no shapes, add it to the last row.",
            ],
        )

    def test_exercises_for_practice(self) -> None:
        page = "| 1 | ch0 | ch0_ex1 to 3 | |\n| 2 | ch1 | the stages | ch1_ex1, ch1_ex2 |\n"
        answers = {"ch0_ex2": "one.cu", "ch1_ex1": "docs/first_hour.md", "ch1_ex3": "docs/first_hour.md"}
        self.assertEqual(
            week_problems(page, {"ch0_ex1", "ch0_ex2", "ch1_ex1", "ch1_ex2"}, answers),
            [
                "Week 1: there is no ch0_ex3.",
                "Week 1: ch0_ex2 is for practice: one.cu.",
                "Week 2 has no exercise to hand in.",
                "ch0_ex2 is for practice, and is in no week.",
                "ch1_ex3 is for practice, and is in no week.",
                "ch1_ex2 is not for practice (its sheet has no section Practice).",
            ],
        )
        self.assertEqual(
            first_hour_problems("$ ./workbook check ch1_ex1\n$ ./workbook check ch3_ex1\n", answers),
            [
                "ch3_ex1 must have docs/first_hour.md under Practice in its sheet.",
                "ch1_ex3 is not solved there, but its sheet says so.",
            ],
        )

    def test_projects(self) -> None:
        page = self.page("`01_one`", "") + "\n| `project_a` | ch1_a | nothing |\n| `project_b` | ch2_b | nothing |\n"
        self.assertEqual(
            project_problems(page, {"project_a", "project_c"}),
            ["project_c is in no row of Projects.", "project_b is not a project.", "project_b is after ch2_b, which is not a chapter."],
        )


if __name__ == "__main__":
    unittest.main()
