"""check_course.py, on a course of one chapter."""

import unittest

from check_course import first_hour_problems, names_of, problems, project_problems, shape_table, with_weeks

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

    def test_names_of_exercises(self) -> None:
        self.assertEqual(names_of(["ch0_ex1", "ch0_ex2", "ch0_ex3", "ch0_ex5", "ch0_ex6", "project_a"]), "ch0_ex1 to 3, ch0_ex5, ch0_ex6, project_a")

    def test_shapes(self) -> None:
        shapes = {"ch0_ex1": "rows", "ch0_ex2": "rows", "ch1_ex7": "", "project_a": "n"}
        self.assertEqual(
            shape_table(shapes),
            "| exercises | a shape |\n|---|---|\n| ch0_ex1, ch0_ex2 | rows |\n| project_a | n |\n| ch1_ex7 | none: leave it empty |\n",
        )

    def test_exercises_of_a_week(self) -> None:
        page = "| 1 | ch0 | | ch9_ex9 |\n| 2 | ch1 | ch1_ex1, or a stage | |\n| later | ch9_a | | |\n| later | ch10_b | | |\n"
        weeks = {"ch0_ex1": "1", "ch0_ex2": "1", "ch1_ex4": "2", "ch3_ex1": "", "ch9_ex1": "later", "ch10_ex1": "later"}
        answers = {"ch0_ex2": "one.cu", "ch1_ex1": "docs/first_hour.md", "ch1_ex3": "docs/first_hour.md"}
        self.assertEqual(
            with_weeks(page, weeks, answers),
            "| 1 | ch0 | ch0_ex1 | ch0_ex2 |\n| 2 | ch1 | ch1_ex4, or a stage | |\n| later | ch9_a | ch9_ex1 | |\n"
            "| later | ch10_b | ch10_ex1 | |\n",
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
