"""check_starters.py, on wrong and correct starters."""

from __future__ import annotations

import contextlib
import io
import unittest

import check_starters

SOLUTION = """\
// Solution: why it is right

#include "topic.h"

void kernel() {
  load();

  barrier();  // a reason
  store();
}
"""
STARTER = """\
// Exercise 1: what to do (5 minutes)

#include "topic.h"

void kernel() {
  load();
  // TODO: wait, and then store.
  // (about 2 lines)
}
"""
REWRITE = SOLUTION.replace("// Solution: why it is right", "// Exercise 2: what to do (5 minutes)\n// Rewrite\n// TODO: rewrite it.")
BUG_HUNT = SOLUTION.replace("// Solution: why it is right", "// Exercise 2: what to do (5 minutes)\n// Bug hunt\n// TODO: find it.")


class InStep(unittest.TestCase):
    def assert_found(self, words: str, starter: str, solution: str = SOLUTION) -> None:
        self.assertIn(words, check_starters.problem(starter, solution) or "nothing is wrong")

    def test_removed_lines(self) -> None:
        self.assertIsNone(check_starters.problem(STARTER, SOLUTION))

    def test_commands_in_one_line(self) -> None:
        for text in ("A goal. Check:   ./workbook check ch1_ex1", "Check:   ./workbook check ch1_ex1 Look: ./workbook"):
            self.assert_found(f"// {text}", STARTER.replace("// Exercise 1: what to do", f"// Exercise 1: what to do (5 minutes)\n// {text}"))

    def test_changed_line(self) -> None:
        self.assert_found("  load(1);", STARTER.replace("load()", "load(1)"))

    def test_head_without_minutes(self) -> None:
        self.assert_found("The first line is not such as", STARTER.replace(" (5 minutes)", ""))

    def test_line_that_the_solution_lacks(self) -> None:
        self.assert_found("  reload();", STARTER.replace("  load();\n", "  load();\n  reload();\n"))

    def test_other_order(self) -> None:
        starter = STARTER.replace("  load();\n", "  store();\n  load();\n")
        self.assert_found("  load();", starter)

    def test_comment_that_belongs_to_no_todo(self) -> None:
        self.assert_found("  // Old.", STARTER.replace("  load();\n", "  // Old.\n  load();\n"))

    def test_comment_below_code_ends_the_todo(self) -> None:
        self.assert_found("  // Old.", STARTER.replace("2 lines)\n", "2 lines)\n  store();\n  // Old.\n"))

    def test_starter_without_a_todo(self) -> None:
        self.assert_found("no '// TODO' line", STARTER.replace("// TODO: ", "// "))

    def test_solved_starter_with_a_todo(self) -> None:
        solved = STARTER.replace("2 lines)\n", "2 lines)\n  barrier();  // a reason\n  store();\n")
        self.assert_found("already solved", solved)

    def test_unfinished_solution(self) -> None:
        self.assert_found("The solution has a TODO", STARTER, SOLUTION.replace("// a reason", "// TODO: a reason"))


class BugHunt(unittest.TestCase):
    def test_missing_line(self) -> None:
        self.assertIsNone(check_starters.problem(BUG_HUNT.replace("  barrier();  // a reason\n", ""), SOLUTION))

    def test_changed_line(self) -> None:
        self.assertIsNone(check_starters.problem(BUG_HUNT.replace("load()", "load(1)"), SOLUTION))

    def test_no_bug(self) -> None:
        self.assertIn("already solved", check_starters.problem(BUG_HUNT, SOLUTION) or "")

    def test_too_many_differences(self) -> None:
        starter = BUG_HUNT.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n")
        self.assertIn("differs in 4 lines; at most 3", check_starters.problem(starter, SOLUTION) or "")

    def test_no_todo(self) -> None:
        starter = BUG_HUNT.replace("// TODO: find it.\n", "").replace("load()", "load(1)")
        self.assertIn("no '// TODO' line", check_starters.problem(starter, SOLUTION) or "")

    def test_the_line_counts_in_the_opening_comment_only(self) -> None:
        starter = STARTER.replace("load()", "load(1)").replace("  // TODO", "  // Bug hunt\n  // TODO")
        self.assertIn("not in the solution", check_starters.problem(starter, SOLUTION) or "")


class Rewrite(unittest.TestCase):
    def test_any_number_of_lines(self) -> None:
        starter = REWRITE.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n")
        self.assertIsNone(check_starters.problem(starter, SOLUTION))

    def test_rewritten_already(self) -> None:
        self.assertIn("already solved", check_starters.problem(REWRITE, SOLUTION) or "")

    def test_solution_with_the_line_for_starters(self) -> None:
        solution = SOLUTION.replace("// Solution: why it is right", "// Rewrite")
        self.assertIn("'// Rewrite', which only a starter", check_starters.problem(REWRITE.replace("load()", "load(1)"), solution) or "")


class Usage(unittest.TestCase):
    def test_wrong_usage(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(check_starters.main(["in-step", "one.cu"]), 2)


if __name__ == "__main__":
    unittest.main()
