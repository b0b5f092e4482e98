"""check_pages.py, on a chapter of two core stages, an advanced one and two exercises."""

import unittest

from check_pages import MAX_LINES, MAX_WORDS_BEFORE, problems, sections, words_before, words_of
from cli.exercises.course import Row, read_paths

CORE = """# Chapter 1: a

What is computed.

## Stage 01: one

Three words here.

```
## Stage 09: within a listing
```

| a table | of no words |
|---|---|

### Exercise 2: y (`ex2_y.cu`)

**Goal:** a b c.

### On paper

Not counted as core.

## Stage 02: two

Two words.

## Next

All the rest.
"""
ADVANCED = "# Chapter 1, advanced\n\n## Stages 03 and 04: more\n\n### Exercise 1: x (`ex1_x.cu`)\n"


def row(core: str = "`01_one`, `ex2_y`, `02_two`", advanced: str = "`03_three`, `04_four`, `ex1_x`") -> Row:
    return read_paths(f"| ch1_a | {core} | nothing | {advanced} |\n")[0]


class PagesTest(unittest.TestCase):
    def test_pages_in_the_order_of_the_course(self) -> None:
        self.assertEqual(problems(row(), CORE, ADVANCED), [])

    def test_words_without_code_and_tables(self) -> None:
        found = sections(CORE)
        self.assertEqual(words_before(found), len("# Chapter 1: a What is computed.".split()))
        stages = "## Stage 01: one Three words here. ## Stage 02: two Two words."
        self.assertEqual(words_of(found, is_exercise=False), len(stages.split()))
        exercise = "### Exercise 2: y (`ex2_y.cu`) **Goal:** a b c. ### On paper Not counted as core."
        self.assertEqual(words_of(found, is_exercise=True), len(exercise.split()))

    def test_an_exercise_before_its_stage(self) -> None:
        found = problems(row("`01_one`, `02_two`, `ex2_y`"), CORE, ADVANCED)
        self.assertEqual(found, ["README.md has the order 01, ex2, 02, but docs/course.md has 01, 02, ex2."])

    def test_a_stage_on_neither_page(self) -> None:
        found = problems(row(advanced="`03_three`, `05_five`"), CORE, ADVANCED)
        self.assertEqual(found, ["ADVANCED.md has no section of 05, which docs/course.md has on the advanced path."])

    def test_a_core_stage_on_the_advanced_page(self) -> None:
        found = problems(row(), CORE, f"{ADVANCED}\n## Stage 02: again\n")
        self.assertEqual(found, ["ADVANCED.md has a section of 02, which docs/course.md has on the core path."])

    def test_a_table_of_all_stages_on_the_core_page(self) -> None:
        found = problems(row(), f"{CORE}\n<!-- claims:begin -->\n<!-- claims:end -->\n", ADVANCED)
        self.assertEqual(found, ["README.md has the table 'claims' of all stages: it belongs on ADVANCED.md."])

    def test_limits(self) -> None:
        many = "word " * (MAX_WORDS_BEFORE - 7)
        self.assertEqual(problems(row(), CORE.replace("What is", f"{many}What is"), ADVANCED), [])
        found = problems(row(), CORE.replace("What is", f"{many}one What is"), ADVANCED)
        self.assertEqual(found, [f"README.md has {MAX_WORDS_BEFORE + 1} words before the first stage, but at most "
                                 f"{MAX_WORDS_BEFORE} are allowed."])
        found = problems(row(), CORE, ADVANCED + "\n" * MAX_LINES)
        self.assertEqual(found, [f"ADVANCED.md has {MAX_LINES + 5} lines, but at most {MAX_LINES} are allowed."])

    def test_a_chapter_without_a_core_path(self) -> None:
        self.assertEqual(problems(row("", "all stages, all exercises"), f"{CORE}<!-- claims:begin -->", ADVANCED), [])


if __name__ == "__main__":
    unittest.main()
