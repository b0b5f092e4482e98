"""`./workbook predict`: the questions of a page, what is typed for an answer, and the score."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import unittest

from support import FakeWorkbook

from cli.exercises.predictions import PredictionError, read_prompts
from cli.exercises.typed_answers import TypedError, typed_choice, typed_number

PAGE = """# Transpose

## Stage 01: naive

**Predict:** how many sectors has
a [request](a.md)? Is `tiled` faster?

<details><summary>Answer</summary>

32, as each lane is in *another* row. And yes: 4 times.
<!-- figures
  4 = naive 10 median_ms / tiled 10 median_ms
-->
<!-- predict
A store's sectors
  32 sectors = naive global store sectors_per_request
Which is faster
  [ ] naive
  [x] tiled
-->
</details>

Some words, and **Predict** as a word. **Predict:** how much faster?

<details><summary>Answer</summary>

About four times.
<!-- predict
By the results
  4 times within 20 % = naive 10 median_ms / tiled 10 median_ms
-->
</details>
"""
CLAIMS = "stage,memory,operation,measure,value,tolerance\nnaive,global,store,sectors_per_request,32,0\n"
RESULTS = "program,n,median_ms\nch3_transpose_naive,10,8.0\nch3_transpose_tiled,10,2.0\n"
HEADER = "exercise,state,date,checks,hints,failure,answer"


class PredictTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("chapters/ch3_transpose/README.md", PAGE)
        self.write("chapters/ch3_transpose/lesson/claims.csv", CLAIMS)
        self.write("plots/results/nvidia-h200/ch3_transpose.csv", RESULTS)

    def predict(self, typed: str, *options: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "WORKBOOK_NO_INSTALL": "1"}
        command = [str(self.root / "workbook"), "predict", "ch3", *options]
        return subprocess.run(command, env=environment, input=typed, capture_output=True, text=True, check=False)

    def said(self, typed: str, *options: str) -> str:
        result = self.predict(typed, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def states(self) -> list[str]:
        lines = (self.root / "progress.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], HEADER)
        return sorted(",".join([line.split(",")[1], *line.split(",")[3:6]]) for line in lines[1:])

    def test_json_keeps_answers_until_they_are_given(self) -> None:
        asked = json.loads(self.said("", "--json"))
        self.assertEqual((asked["schema"], asked["chapter"]), (1, "ch3_transpose"))
        first, second, third = asked["questions"]
        self.assertEqual((first["question"], first["unit"], first["options"]), ("A store's sectors", "sectors", None))
        self.assertEqual((second["options"], second["unit"]), (["naive", "tiled"], None))
        self.assertEqual((first["heading"], first["line"], third["heading"]), ("Stage 01: naive", 5, "Stage 01: naive"))
        self.assertIn("how many sectors has a request? Is `tiled` faster?", first["text"])
        for one in asked["questions"]:
            self.assertEqual((one["answered_right"], one["answer"], one["explanation"]), (False, None, None))
        self.said("32\nq\n")
        first, second, _ = json.loads(self.said("", "--json"))["questions"]
        self.assertEqual((first["answered_right"], first["answer"]), (True, "32 sectors, as the simulator counts."))
        self.assertEqual((first["explanation"], second["answer"]), (None, None))
        self.said("2\nq\n")
        first, second, third = json.loads(self.said("", "--json"))["questions"]
        self.assertEqual(second["answer"], "tiled.")
        self.assertTrue(first["explanation"].startswith("32, as each lane is in another row."))
        self.assertIsNone(third["explanation"])

    def test_all_right(self) -> None:
        words = self.said("32\n2\n4.5\n")
        question = "Predict: how many sectors has a request? Is `tiled` faster?"
        self.assertIn(f"Stage 01: naive (line 5)\n\n{question}\n", words)
        self.assertIn("✓ Right: 32 sectors, as the simulator counts.\n", words)
        self.assertIn("  1. naive\n  2. tiled\n", words)
        self.assertIn("Right: tiled.\n", words)
        self.assertIn("\n32, as each lane is in another row. And yes: 4 times.\n", words)
        self.assertIn("By the results, as a factor:\n", words)
        self.assertIn("Right: 4 times, as measured on an NVIDIA H200.\n", words)
        self.assertIn("ch3_transpose: 3 of 3 questions answered right, 3 at the first try. Kept in", words)
        self.assertEqual(self.states(), ["solved,1,0,"] * 3)

    def test_wrong_answers_are_asked_again_the_next_time_and_no_others(self) -> None:
        words = self.said("4\ntiled\n9\n")
        self.assertIn("✗ No: 32 sectors, as the simulator counts.\n", words)
        self.assertIn("1 of 3 questions answered right, 1 at the first try; 2 answered wrong.", words)
        words = self.said("32\n4\n")
        self.assertNotIn("Which is faster", words)
        self.assertIn("3 of 3 questions answered right, 1 at the first try.", words)
        self.assertEqual(self.states(), ["solved,1,0,", "solved,2,0,wrong", "solved,2,0,wrong"])

    def test_all_answered_and_again(self) -> None:
        self.said("32\n2\n4\n")
        self.assertIn("--again asks them again.", self.said(""))
        self.assertIn("No: 32 sectors", self.said("3\n1\n9\n", "--again"))
        self.assertIn("3 of 3 questions answered right, 3 at the first try.", self.said(""))

    def test_explains_when_no_question_is_open(self) -> None:
        self.assertNotIn("each lane is in another row", self.said("32\ns\nq\n"))
        self.assertIn("each lane is in another row", self.said("2\nq\n"))

    def test_what_is_no_answer_is_asked_again_and_not_counted(self) -> None:
        words = self.said("\nmany\n10-20\n64K\n32 sectors\n7\n\ntile\nq\n")
        self.assertIn("Nothing was typed.", words)
        self.assertIn("'many' is no number.", words)
        self.assertIn("'10-20' is a range.", words)
        self.assertIn("'64K': K may be", words)
        self.assertIn("'7' is none of the options. Type a number from 1 to 2.", words)
        self.assertEqual(self.states(), ["solved,1,0,"] * 2)

    def test_end_of_input_keeps_the_score(self) -> None:
        self.assertIn("1 of 3 questions answered right", self.said("32"))
        self.assertEqual(self.states(), ["solved,1,0,"])

    def test_closed_input(self) -> None:
        command = f"exec '{self.root}/workbook' predict ch3 <&-"
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("0 of 3 questions answered right", result.stdout)

    def test_bytes_that_are_no_text(self) -> None:
        command = [str(self.root / "workbook"), "predict", "ch3"]
        typed = b"\xff\xfe\0\n" + b"9" * 5000 + b"\n32\n"
        result = subprocess.run(command, input=typed, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn(b"Right: 32 sectors", result.stdout)

    def test_ctrl_c_on_a_terminal_keeps_the_score(self) -> None:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(str(self.root / "workbook"), ["workbook", "predict", "ch3"])
        words = self._until(terminal, b"> ")
        os.write(terminal, b"32\n")
        words += self._until(terminal, b"> ")
        os.write(terminal, b"\x03")
        words += self._until(terminal, b"Stopped.")
        self.assertEqual(os.WEXITSTATUS(os.waitpid(pid, 0)[1]), 128 + signal.SIGINT)
        os.close(terminal)
        self.assertIn(b"1 of 3 questions answered right", words)
        self.assertEqual(self.states(), ["solved,1,0,"])

    def _until(self, terminal: int, end: bytes) -> bytes:
        words = b""
        while end not in words:
            words += os.read(terminal, 4096)
        return words

    def test_chapters(self) -> None:
        self.write("chapters/ch1_saxpy/CMakeLists.txt", "add_chapter(ch1_saxpy STAGES 01_one)")
        for chapter, words in (("ch7", "There is no chapter 'ch7'."), ("ch1", "ch1_saxpy has no questions to predict")):
            result = self.workbook("predict", chapter)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)
        self.assertIn("Usage: ./workbook predict", self.workbook("predict", "ch3", "--agains").stderr)

    def test_without_a_name_it_takes_the_chapter_that_is_next(self) -> None:
        self.write("chapters/ch3_transpose/ex2_swizzled.cu", "// code\n")
        result = self.workbook("predict")
        self.assertIn("chapters/ch3_transpose/README.md: 0 of 3", result.stdout)

    def test_progress_and_next_tell_the_score(self) -> None:
        self.write("chapters/ch3_transpose/ex2_swizzled.cu", "// code\n")
        self.write("solutions/ch3_transpose/starters.csv", "file,blob\nex2_swizzled.cu,0\n")
        self.said("32\n1\nq\n")
        words = self.workbook("progress", "ch3").stdout
        self.assertIn("  predict  1 of 3 questions answered right, 1 at the first try; 1 answered wrong\n", words)
        self.assertIn("0 of 1 exercises solved.", words)
        self.assertIn("  ch3_transpose  .  0 of 1  1 of 3 predictions right\n", self.workbook("progress").stdout)
        self.assertIn("  guess  ./workbook predict ch3_transpose  (1 of 3 right)\n", self.workbook("next").stdout)

    def test_progress_of_an_older_version_is_kept(self) -> None:
        old = "ch3_ex2,solved,2026-01-02,3,1,,000000000000"
        self.write("progress.csv", f"{HEADER}\n{old}\n")
        self.said("32\nq\n")
        self.assertIn(old, (self.root / "progress.csv").read_text(encoding="utf-8"))
        self.assertEqual(self.states(), ["solved,1,0,", "solved,3,1,"])

    def test_another_question_in_its_place_is_open(self) -> None:
        self.said("32\n2\n4\n")
        self.write("chapters/ch3_transpose/README.md", PAGE.replace("By the results", "By these results"))
        self.assertIn("2 of 3 questions answered right", self.said(""))

    def test_page_that_cannot_be_read(self) -> None:
        self.write("chapters/ch3_transpose/README.md", PAGE.replace("[x]", "[y]"))
        result = self.predict("")
        self.assertEqual(result.returncode, 1)
        self.assertIn("chapters/ch3_transpose/README.md, line 5: the question 'Which is faster' needs", result.stderr)

    def test_results_that_are_gone(self) -> None:
        (self.root / "plots/results/nvidia-h200/ch3_transpose.csv").unlink()
        result = self.predict("32\n2\n4\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be looked up", result.stderr)
        self.assertEqual(self.states(), ["solved,1,0,"] * 2)


class PromptsTest(unittest.TestCase):
    def test_places(self) -> None:
        places = [(prompt.line, prompt.heading) for prompt in read_prompts(PAGE)]
        self.assertEqual(places, [(5, "Stage 01: naive"), (23, "Stage 01: naive")])

    def test_names_stay_when_the_page_is_wrapped_otherwise(self) -> None:
        before, after = (read_prompts(page)[0] for page in (PAGE, PAGE.replace("has\na", "has a")))
        self.assertEqual(before.name_of(before.questions[0]), after.name_of(after.questions[0]))

    def test_a_question_within_a_paragraph_comes_with_what_stands_before_it(self) -> None:
        texts = [prompt.text for prompt in read_prompts(PAGE)]
        self.assertEqual(texts[0], "Predict: how many sectors has a request? Is `tiled` faster?")
        self.assertEqual(texts[1], "Some words, and Predict as a word. Predict: how much faster?")

    def test_windows_line_ends(self) -> None:
        self.assertEqual(read_prompts(PAGE.replace("\n", "\r\n")), read_prompts(PAGE))

    def test_in_a_list(self) -> None:
        page = re.sub("^", "  ", PAGE[PAGE.index("**Predict") :], flags=re.MULTILINE)
        self.assertEqual([len(prompt.questions) for prompt in read_prompts("- Point\n" + page)], [2, 1])

    def test_two_comments(self) -> None:
        comment = "<!-- predict\nAll\n  1 = 1\n-->\n"
        with self.assertRaisesRegex(PredictionError, "one comment"):
            read_prompts(PAGE.replace("<!-- figures", comment + "<!-- figures"))


class TypedNumberTest(unittest.TestCase):
    RIGHT = (
        *(("12", "", 12.0), (" 12.50 ", "", 12.5), ("1,056", "", 1056.0), ("270,336 threads", "threads", 270336.0)),
        *((".5", "", 0.5), ("3.", "", 3.0), ("1e6", "", 1e6), ("10^8", "", 1e8), ("132 * 2048", "threads", 270336.0)),
        *(("3/4", "", 0.75), ("2 * 10^3", "", 2000.0), ("~7", "", 7.0), ("about 7", "", 7.0), ("-3", "", -3.0)),
        *(("64 sectors", "sectors", 64.0), ("1 sector", "sectors", 1.0), ("2x", "times", 2.0)),
        *(("2 times", "times", 2.0), ("90%", "%", 90.0), ("5 MS", "ms", 5.0)),
    )
    WRONG = (
        *(("", "", "no number"), ("many", "", "no number"), ("0x10", "", "a unit"), ("\u0663", "", "no number")),
        *(("10-20", "", "range"), ("10 - 20", "", "range"), ("10 to 20", "ms", "range"), ("1..2", "", "range")),
        *(("5 or 6", "", "range"), ("1, 2", "", "range"), ("<5", "", "range"), ("between 1 and 2", "", "range")),
        *(("1,5", "", "in place of the comma"), ("64K", "", "power of 1000"), ("64 KiB", "bytes", "power of 1000")),
        *(("2x", "", "without a unit"), ("5 us", "ms", "asked in ms"), ("90%", "", "without a unit")),
        *(("1e999", "", "computed"), ("1/0", "", "computed"), ("9^9999", "", "computed"), ("nan", "", "no number")),
    )

    def test_numbers(self) -> None:
        for typed, unit, value in self.RIGHT:
            with self.subTest(typed):
                self.assertEqual(typed_number(typed, unit), value)

    def test_what_is_no_number(self) -> None:
        for typed, unit, words in self.WRONG:
            with self.subTest(typed), self.assertRaisesRegex(TypedError, words):
                typed_number(typed, unit)

    def test_long_lines_are_cut(self) -> None:
        with self.assertRaises(TypedError) as caught:
            typed_number("a" * 100_000, "")
        self.assertLess(len(str(caught.exception)), 120)


class TypedChoiceTest(unittest.TestCase):
    OPTIONS = ("stage 02", "stage 03", "Neither")

    def test_number_and_words(self) -> None:
        typed = ("2", "3.", "stage 03", "neither", "NEI")
        self.assertEqual([typed_choice(one, self.OPTIONS) for one in typed], [1, 2, 1, 2, 2])

    def test_what_is_no_option(self) -> None:
        for typed in ("", "0", "4", "stage", "-1", "2-3", "1.5", "9" * 5000):
            with self.subTest(typed), self.assertRaisesRegex(TypedError, "from 1 to 3"):
                typed_choice(typed, self.OPTIONS)


class NumberTest(unittest.TestCase):
    def judged(self, line: str, value: float) -> list[float]:
        """Of these answers, the right ones."""
        answer = f"<details><summary>Answer</summary>\n\na\n<!-- predict\nA\n  {line}\n-->\n</details>"
        question = read_prompts(f"**Predict:** a?\n\n{answer}")[0].questions[0]
        return [typed for typed in (11.0, 12.0, 12.4, 13.0, 24.0, 25.0) if question.is_right(typed, value)]

    def test_a_count_is_exact(self) -> None:
        self.assertEqual(self.judged("12 = 12", 12.0), [12.0])

    def test_a_rounded_number_may_be_as_rounded(self) -> None:
        self.assertEqual(self.judged("12 = 12.1", 12.1), [12.0, 12.4])

    def test_within_a_share(self) -> None:
        self.assertEqual(self.judged("12 ms within 9 % = 12", 12.0), [11.0, 12.0, 12.4, 13.0])

    def test_within_a_factor(self) -> None:
        self.assertEqual(self.judged("12 ms within a factor of 2 = 12", 12.0), [11.0, 12.0, 12.4, 13.0, 24.0])
