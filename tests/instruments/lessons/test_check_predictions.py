import contextlib
import io
import re
import tempfile
import unittest
from pathlib import Path

import check_predictions

PROMPT = "# Sort\n\n**Predict:** how many?\n"
LINES = "\n" * check_predictions.MIN_LINES
RESULTS = "program,n,median_ms,gb_per_s\nch9_sort_naive,10,8.0,100\nch9_sort_tiled,10,2.0,400\n"
CLAIMS = "stage,n,memory,operation,measure,value,tolerance\nnaive,64,global,load,requests,16,0\n"


class CheckPredictions(unittest.TestCase):
    def problems(self, page: str) -> str:
        """The output for a workbook whose chapter has this page."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            files = {
                "chapters/ch9_sort/CMakeLists.txt": "add_chapter(ch9_sort)\n",
                "chapters/ch9_sort/01_naive.cu": "",
                "chapters/ch9_sort/02_tiled.cu": "",
                "chapters/ch9_sort/README.md": page,
                "chapters/ch9_sort/lesson/claims.csv": CLAIMS,
                "plots/results/nvidia-h200/ch9_sort.csv": RESULTS,
            }
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                code = check_predictions.main([folder])
            self.assertEqual(code == 0, printed.getvalue().startswith("Each prompt of 1 chapters"))
            return "" if code == 0 else printed.getvalue()

    def answer(self, text: str, asked: str) -> str:
        fold = f"<details><summary>Answer</summary>\n\n{text}\n<!-- predict\n{self.with_ids(asked)}\n-->\n</details>\n"
        return check_predictions.with_answers_at_end(f"{PROMPT}\n{fold}{LINES}The end.\n")

    def with_ids(self, asked: str) -> str:
        """Adds an id to each question that has none."""
        return re.sub(r"^(\w.*)$(?!\n  id )", lambda words: f"{words[0]}\n  id q{words.start()}", asked, flags=re.MULTILINE)

    def test_accepts_arithmetic(self) -> None:
        self.assertEqual(self.problems(self.answer("They are 12.", "All\n  12 threads = 3 * 4")), "")

    def test_accepts_a_small_number_as_a_word(self) -> None:
        self.assertEqual(self.problems(self.answer("Two.", "All\n  2 = 1 + 1")), "")

    def test_accepts_a_count_and_a_result(self) -> None:
        asked = "Requests\n  16 = naive global load requests\nFactor\n  4.0 = naive 10 median_ms / tiled 10 median_ms"
        self.assertEqual(self.problems(self.answer("16, and 4.0 times.", asked)), "")

    def test_accepts_options_that_agree_with_the_results(self) -> None:
        asked = "Faster\n  [ ] naive\n  [x] tiled\n  where tiled 10 median_ms < naive 10 median_ms"
        self.assertEqual(self.problems(self.answer("It is tiled.", asked)), "")

    def test_rejects_options_that_the_results_contradict(self) -> None:
        asked = "Faster\n  [x] naive\n  [ ] tiled\n  where naive 10 median_ms < tiled 10 median_ms"
        self.assertIn("is not less than", self.problems(self.answer("It is naive.", asked)))

    def test_rejects_a_number_that_the_counts_contradict(self) -> None:
        asked = "Requests\n  17 = naive global load requests"
        self.assertIn("17 is shown, but naive global", self.problems(self.answer("17", asked)))

    def test_rejects_a_number_that_the_text_lacks(self) -> None:
        self.assertIn("12 does not appear", self.problems(self.answer("They are 112 or 12.5.", "All\n  12 = 3 * 4")))

    def test_rejects_a_prompt_without_an_answer(self) -> None:
        words = self.problems(PROMPT)
        self.assertIn("README.md, line 3: it has no folded answer", words)

    def test_rejects_an_answer_below_its_question(self) -> None:
        page = check_predictions.with_answers_below(self.answer("They are 12.", "All\n  12 threads = 3 * 4"))
        self.assertIn("README.md: answers are not at the end of the page", self.problems(page))

    def test_rejects_an_answer_that_an_editor_shows_with_its_question(self) -> None:
        page = self.answer("They are 12.", "All\n  12 threads = 3 * 4").replace(LINES, "\n")
        self.assertIn("lines below its question", self.problems(page))

    def test_links_in_both_directions(self) -> None:
        page = self.answer("They are 12.", "All\n  id sort-all\n  12 threads = 3 * 4")
        self.assertIn("how many?\n\n[Answer](#answer-sort-all)\n", page)
        self.assertIn("\n### Answer: sort-all\n\n[Question](#sort)\n\n<details>", page)

    def test_rejects_an_answer_without_questions(self) -> None:
        page = re.sub("<!-- predict.*?-->\n", "", self.answer("It is 12.", "All\n  12 = 12"), flags=re.DOTALL)
        self.assertIn("ends without a comment", self.problems(page))

    def test_rejects_questions_of_no_prompt(self) -> None:
        page = self.answer("They are 12.", "All\n  12 threads = 3 * 4").replace("**Predict:**", "**Predicted:**")
        self.assertIn("ch9_sort/README.md: 1 comment(s) '<!-- predict' belong to no prompt", self.problems(page))

    def test_rejects_two_right_options(self) -> None:
        self.assertIn("one of them marked as right", self.problems(self.answer("a", "Which\n  [x] a\n  [x] b")))

    def test_rejects_a_line_of_a_different_form(self) -> None:
        words = self.problems(self.answer("12", "All\n  about 12"))
        self.assertIn("README.md, line 3: the question 'All' needs '12 unit = expression'", words)

    def test_rejects_an_answer_before_its_question(self) -> None:
        self.assertIn("has no words", self.problems(self.answer("12", "  12 = 12\nAll\n  12 = 12")))

    def test_rejects_an_unknown_program(self) -> None:
        words = self.problems(self.answer("12", "All\n  12 = quick 10 median_ms"))
        self.assertIn("no results of a program quick", words)

    def test_rejects_an_unknown_count(self) -> None:
        words = self.problems(self.answer("12", "All\n  12 = tiled global load requests"))
        self.assertIn("no row of claims.csv is about 'tiled global load requests'", words)

    def test_rejects_the_same_question_twice(self) -> None:
        words = self.problems(self.answer("12", "All\n  12 = 12\nAll\n  12 = 12"))
        self.assertIn("the same", words)

    def test_rejects_an_id_that_is_used_twice(self) -> None:
        words = self.problems(self.answer("12", "All\n  id a\n  12 = 12\nMore\n  id a\n  12 = 12"))
        self.assertIn("ch9_sort/README.md, line 3 and ch9_sort/README.md, line 3: two questions have the id a.", words)

    def test_rejects_a_usual_wrong_answer_that_is_right(self) -> None:
        words = self.problems(self.answer("12", "All\n  12 within 20 % = 12\n  usual 13: that is one more."))
        self.assertIn("13 is listed as a usual wrong answer, but it is right", words)
        words = self.problems(self.answer("a", "Which\n  [x] a\n    usual: it is slow.\n  [ ] b"))
        self.assertIn("the right option is listed as a usual wrong answer", words)

    def test_accepts_usual_wrong_answers(self) -> None:
        asked = "All\n  12 = 12\n  usual 3: those are blocks.\nWhich\n  [x] a\n  [ ] b\n    usual: it is slow."
        self.assertEqual(self.problems(self.answer("12", asked)), "")


if __name__ == "__main__":
    unittest.main()
