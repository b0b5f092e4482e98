"""`./workbook predict`: the questions of a page, the typed answers, and the score."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import textwrap
import unittest

from support import ROOT, FakeWorkbook

from cli.exercises.predictions import Number, PredictionError, read_prompts, with_answers_below
from cli.exercises.question_names import name_in_progress
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook

PAGE = """# Transpose

## Stage 01: naive

**Predict:** how many sectors has
a [request](a.md)? Is `tiled` faster?

[Answer](#answer-transpose-store-sectors)

Some words, and **Predict** as a word. **Predict:** how much faster?

[Answer](#answer-transpose-speedup)

## Answers

### Answer: transpose-store-sectors

[Question](#stage-01-naive)

<details><summary>Answer</summary>

32, as each lane is in *another* row. And yes: 4 times.
<!-- figures
  4 = naive 10 median_ms / tiled 10 median_ms
-->
<!-- predict
A store's sectors
  id transpose-store-sectors
  32 sectors = naive global store sectors_per_request
  usual 1024: Those are its bytes.
Which is faster
  id transpose-faster
  [ ] naive
    usual: Its stores move eight times the bytes.
  [x] tiled
-->
</details>

### Answer: transpose-speedup

[Question](#stage-01-naive)

<details><summary>Answer</summary>

About four times.
<!-- predict
By the results
  id transpose-speedup
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
        self.write("chapters/ch3_transpose/ex2_swizzled.cu", "// code\n")
        self.write("chapters/ch3_transpose/lesson/claims.csv", CLAIMS)
        self.write("plots/results/nvidia-h200/ch3_transpose.csv", RESULTS)

    def said(self, typed: str, *options: str, chapter: tuple[str, ...] = ("ch3",)) -> str:
        result = self.workbook("predict", *chapter, *options, typed=typed)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def said_without_a_chapter(self, typed: str) -> str:
        return self.said(typed, chapter=())

    def states(self) -> list[str]:
        lines = (self.root / "progress.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], HEADER)
        return sorted(",".join([line.split(",")[1], *line.split(",")[3:6]]) for line in lines[1:])

    def test_json_keeps_answers_until_they_are_given(self) -> None:
        asked = json.loads(self.said("", "--json"))
        self.assertEqual((asked["schema"], asked["chapter"]), (1, "ch3_transpose"))
        first, second, third = asked["questions"]
        self.assertEqual((first["id"], first["stage"], first["path"]), ("transpose-store-sectors", "01", "core"))
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
        self.assertIn(f"Stage 01: naive (line 5 of chapters/ch3_transpose/README.md)\n\n{question}\n", words)
        self.assertIn("✓ Right: 32 sectors, as the simulator counts.\n", words)
        self.assertIn("  1. naive\n  2. tiled\n", words)
        self.assertIn("Right: tiled.\n", words)
        self.assertIn("\n32, as each lane is in another row. And yes: 4 times.\n", words)
        self.assertIn("By the results, as a factor:\n", words)
        self.assertIn("Right: 4 times, as measured on an NVIDIA H200.\n", words)
        self.assertIn("ch3_transpose: 3 of 3 questions answered right, 3 at the first try. Kept in", words)
        self.assertEqual(self.states(), ["solved,1,0,"] * 3)

    def test_wrong_answers_are_asked_again_the_next_time_and_no_others(self) -> None:
        words = self.said("4\n5\na\ntiled\n9\na\n")
        self.assertIn("✗ No: too low, by a factor of about 6.4. Try again, or type a for the answer.\n", words)
        self.assertIn("> a\nThe answer: 32 sectors, as the simulator counts.\n", words)
        self.assertIn("1 of 3 questions answered right, 1 at the first try; 2 answered wrong.", words)
        words = self.said("32\n4\n")
        self.assertNotIn("Which is faster", words)
        self.assertIn("3 of 3 questions answered right, 1 at the first try.", words)
        self.assertEqual(self.states(), ["solved,1,0,", "solved,3,0,wrong", "solved,4,0,wrong"])

    def test_a_second_try_after_an_explanation_of_the_first(self) -> None:
        words = self.said("1024\n32\n1\n3,000\n4\n")
        self.assertIn("✗ No: too high, by a factor of about 32. Those are its bytes. Try again, or type a for the answer.\n", words)
        self.assertIn("✓ Right: 32 sectors", words)
        self.assertIn("✗ No: Its stores move eight times the bytes.\nThe answer: tiled.\n", words)
        self.assertIn("✗ No: too high, by a factor of about 750. Try again, or type a for the answer.\n", words)
        self.assertIn("2 of 3 questions answered right, 0 at the first try; 1 answered wrong.", words)
        self.assertEqual(self.states(), ["solved,2,0,wrong", "solved,2,0,wrong", "tried,1,0,wrong"])

    def test_a_wrong_answer_is_kept_when_the_second_try_is_skipped(self) -> None:
        words = self.said("4\ns\nq\n")
        self.assertNotIn("each lane is in another row", words)
        self.assertEqual(self.states(), ["tried,1,0,wrong"])

    def test_the_answer_is_hidden_until_it_is_asked_for(self) -> None:
        words = self.said("4\n4\n4\nq\n")
        self.assertNotIn("The answer", words)
        self.assertNotIn("each lane is in another row", words)
        self.assertIn("The answer: 32 sectors", self.said("a\nq\n"))
        self.assertEqual(self.states(), ["tried,4,0,wrong"])

    def test_a_wrong_answer_is_asked_again_after_some_days_until_it_is_right(self) -> None:
        long_ago = "predict_transpose-store-sectors,solved,2026-01-02,2,0,wrong,"
        self.write("progress.csv", f"{HEADER}\n{long_ago}\n")
        self.assertIn("  guess  ./workbook predict  (1 of 3 right, and 1 to repeat)\n", self.workbook("next").stdout)
        words = self.said_without_a_chapter("4\n32\nq\n")
        self.assertIn("You answered these questions wrong some days ago.", words)
        self.assertEqual(self.states(), ["solved,4,0,wrong"])  # a right answer on the day of a wrong one is not enough
        self.assertNotIn("some days ago", self.said_without_a_chapter("q\n"))
        self.write("progress.csv", f"{HEADER}\n{long_ago}\n")
        self.said_without_a_chapter("32\nq\n")
        self.assertEqual(self.states(), ["solved,3,0,repeated"])
        self.assertNotIn("to repeat", self.workbook("next").stdout)

    def test_an_impossible_date_brings_no_question_back(self) -> None:
        self.write("progress.csv", f"{HEADER}\npredict_transpose-faster,tried,2026-13-41,1,0,wrong,\n")
        self.assertNotIn("some days ago", self.said_without_a_chapter("q\n"))

    def test_questions_of_the_advanced_page_are_on_the_advanced_path(self) -> None:
        self.write("docs/course.md", "| ch3_transpose | `01_naive`, `ex2_swizzled` | hours | `02_localmem` |\n")
        asked, section, answers = PAGE.partition("\n## Answers\n")
        core, _, advanced = asked.partition("Some words, and")
        self.write("chapters/ch3_transpose/README.md", core + section + answers)
        self.write("chapters/ch3_transpose/ADVANCED.md", f"# Advanced\n\n{advanced}{section}{answers}")
        self.assertIn("chapters/ch3_transpose/README.md, core path: 0 of 2", self.said("q\n"))
        self.assertIn("chapters/ch3_transpose/ADVANCED.md, advanced path: 0 of 1", self.said("q\n", "--advanced"))
        self.assertIn("chapters/ch3_transpose/README.md, core path: 0 of 2", self.said_without_a_chapter("q\n"))
        files = [one["file"] for one in json.loads(self.said("", "--json"))["questions"]]
        self.assertEqual(files, ["chapters/ch3_transpose/README.md"] * 2 + ["chapters/ch3_transpose/ADVANCED.md"])

    def test_all_answered_and_again(self) -> None:
        self.said("32\n2\n4\n")
        self.assertIn("--again asks the questions again.", self.said(""))
        self.assertIn("The answer: 32 sectors", self.said("3\na\n1\n9\na\n", "--again"))
        self.assertIn("3 of 3 questions answered right, 3 at the first try.", self.said(""))

    def test_explains_when_no_question_is_open(self) -> None:
        self.assertNotIn("each lane is in another row", self.said("32\ns\nq\n"))
        self.assertIn("each lane is in another row", self.said("2\nq\n"))

    def test_text_that_is_not_an_answer_does_not_count(self) -> None:
        words = self.said("\nmany\n10-20\n64 ms\n32 sectors\n7\n\ntile\nq\n")
        self.assertIn("You typed nothing.", words)
        self.assertIn("'many' is not a number.", words)
        self.assertIn("'10-20' is a range.", words)
        self.assertIn("'64 ms': give the answer in sectors.", words)
        self.assertIn("'7' is not one of the options. Type a number from 1 to 2.", words)
        self.assertEqual(self.states(), ["solved,1,0,"] * 2)

    def test_end_of_input_keeps_the_score(self) -> None:
        self.assertIn("1 of 3 questions answered right", self.said("32"))
        self.assertEqual(self.states(), ["solved,1,0,"])

    def test_closed_input(self) -> None:
        command = f"exec '{self.root}/workbook' predict ch3 <&-"
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("0 of 3 questions answered right", result.stdout)

    def test_bytes_that_are_not_text(self) -> None:
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
        words += self._until(terminal, b"Stopped.", pressed=b"\x03")
        self.assertEqual(os.WEXITSTATUS(os.waitpid(pid, 0)[1]), 128 + signal.SIGINT)
        os.close(terminal)
        self.assertIn(b"1 of 3 questions answered right", words)
        self.assertEqual(self.states(), ["solved,1,0,"])

    def _until(self, terminal: int, end: bytes, pressed: bytes = b"") -> bytes:
        """The output up to these words. The keys are pressed again each second: Python misses a Ctrl-C between its last look
        at the signals and its call of read().
        """
        words = b""
        for _ in range(30):
            os.write(terminal, pressed)
            while select.select([terminal], [], [], 1)[0]:
                words += os.read(terminal, 4096)
                if end in words:
                    return words
        self.fail(f"{end!r} is not said in: {words!r}")

    def test_chapters(self) -> None:
        self.write("chapters/ch1_saxpy/CMakeLists.txt", "add_chapter(ch1_saxpy)")
        for chapter, words in (("ch7", "There is no chapter 'ch7'."), ("ch1", "ch1_saxpy has no Predict questions")):
            self.assertIn(words, self.ends(2, "predict", chapter).stderr)
        self.assertIn("Usage: ./workbook predict", self.workbook("predict", "ch3", "--agains").stderr)

    def test_without_a_name_it_asks_about_the_next_chapter(self) -> None:
        self.assertIn("chapters/ch3_transpose/README.md: 0 of 3", self.workbook("predict").stdout)

    def test_a_stage_or_a_path(self) -> None:
        self.write("docs/course.md", "| ch3_transpose | `01_naive`, `ex2_swizzled` | hours | all stages, all exercises |\n")
        page = PAGE.replace("Some words", "## Results\n\nSome words")  # of stage 01
        self.write("chapters/ch3_transpose/README.md", page)
        self.assertIn("README.md: 0 of 3", self.said("q\n"))
        self.write("chapters/ch3_transpose/README.md", page.replace("Results", "Stage 02: tile"))
        self.assertIn("README.md, core path: 0 of 2 questions answered right.", self.said("q\n"))
        self.assertIn("  guess  ./workbook predict  (0 of 2 right)\n", self.workbook("next").stdout)
        self.assertIn("README.md, advanced path: 0 of 1", self.said("q\n", "--advanced"))
        for stage in ("2", "02", "02_localmem"):
            said = self.said("q\n", "--stage", stage)
            self.assertIn("0 of 1 questions answered right", said)
            self.assertIn("how much faster", said)
        words = self.said("32\n2\n")
        self.assertIn("2 of 2 questions answered right, 2 at the first try.", words)
        self.assertIn("The rest of the chapter: ./workbook predict ch3_transpose --advanced", words)
        self.assertNotIn("guess", self.workbook("next").stdout)
        self.assertIn("README.md, advanced path: 0 of 1", self.said("q\n"))
        self.assertIn("core path: 2 of 2", self.said("q\n", "--again"))
        self.assertEqual(len(json.loads(self.said("", "--json"))["questions"]), 3)
        self.assertEqual(len(json.loads(self.said("", "--json", "--stage", "2"))["questions"]), 1)

    def test_stages_that_do_not_exist(self) -> None:
        for options, words in (
            (("ch3", "--stage", "9"), "no questions about a stage '9'. There are questions in the sections of stages 01."),
            (("ch3", "--stage", ""), "about a stage ''"),
            (("ch3", "--advanced"), "no questions on the advanced path"),
            (("--stage", "1"), "Name a chapter"),
            (("ch3", "--stage", "1", "--advanced"), "Name a chapter"),
        ):
            with self.subTest(options):
                self.assertIn(words, self.ends(2, "predict", *options).stderr)

    def test_progress_and_next_show_the_score(self) -> None:
        self.write("solutions/ch3_transpose/starters.csv", "file,blob\nex2_swizzled.cu,0\n")
        self.said("32\n1\nq\n")
        words = self.workbook("progress", "ch3").stdout
        self.assertIn("  predict  1 of 3 questions answered right, 1 at the first try; 1 answered wrong\n", words)
        self.assertIn("0 of 1 exercises solved.", words)
        self.assertIn("  ch3_transpose  .  0 of 1  1 of 3 predictions right\n", self.workbook("progress").stdout)
        self.assertIn("  guess  ./workbook predict  (1 of 3 right)\n", self.workbook("next").stdout)

    def test_progress_of_an_older_version_is_kept(self) -> None:
        old = "ch3_ex2,solved,2026-01-02,3,1,,000000000000"
        self.write("progress.csv", f"{HEADER}\n{old}\n")
        self.said("32\nq\n")
        self.assertIn(old, (self.root / "progress.csv").read_text(encoding="utf-8"))
        self.assertEqual(self.states(), ["solved,1,0,", "solved,3,1,"])

    def test_rewording_or_moving_a_question_keeps_the_answer(self) -> None:
        self.said("32\n2\n4\n")
        first, second = PAGE.split("Some words, and **Predict** as a word. ")
        words = PAGE.replace("By the results", "By these results").replace("how much faster", "how many times as fast")
        moved = f"# Page\n\n{second}\n{first}"
        for page in (words, moved):
            self.write("chapters/ch3_transpose/README.md", page)
            self.assertIn("3 of 3 questions answered right", self.said(""))

    def test_a_new_question_at_the_same_position_is_open(self) -> None:
        self.said("32\n2\n4\n")
        self.write("chapters/ch3_transpose/README.md", PAGE.replace("id transpose-speedup", "id transpose-slowdown"))
        self.assertIn("2 of 3 questions answered right", self.said(""))

    def test_answers_under_other_names_are_kept(self) -> None:
        """Real names of real questions: progress.csv comes from an older workbook."""
        page = PAGE.replace("transpose-store-sectors", "transpose-naive-share").replace("transpose-faster", "machine-threads-in-all")
        self.write("chapters/ch3_transpose/README.md", page)
        old = (
            *("ch3_predict_6afa6b06,solved,2026-01-02,3,0,wrong,", "ch0_predict_8bf108f8,tried,2026-01-03,2,0,wrong,"),
            *("ch3_ex2,solved,2026-01-02,3,1,,000000000000", "ch3_predict_00000000,solved,2026-01-02,1,0,,"),
        )
        self.write("progress.csv", "\n".join([HEADER, *old, ""]))
        words = self.said("2\nq\n")
        self.assertIn("1 of 3 questions answered right; 1 answered wrong.", words.replace(", 0 at the first try", ""))
        lines = (self.root / "progress.csv").read_text(encoding="utf-8").splitlines()
        self.assertIn("predict_transpose-naive-share,solved,2026-01-02,3,0,wrong,", lines)
        self.assertRegex("\n".join(lines), r"\npredict_machine-threads-in-all,solved,\d{4}-\d\d-\d\d,3,0,wrong,\n")
        self.assertEqual([line for line in old[2:] if line not in lines], [])
        self.assertEqual(len(lines), 5)

    def test_a_question_under_two_names_is_joined(self) -> None:
        rows = [
            *("ch3_predict_6afa6b06,tried,2026-01-01,2,0,wrong,", "predict_transpose-naive-share,solved,2026-01-05,1,0,,"),
            *("predict_transpose-faster,solved,2026-01-05,1,0,,", "ch0_ex1,tried,2026-01-01,1,0,,"),
        ]
        for order in (rows, rows[::-1]):
            self.write("progress.csv", "\n".join([HEADER, *order, ""]))
            self.said("4\nq\n")
            text = (self.root / "progress.csv").read_text(encoding="utf-8")
            self.assertIn("\npredict_transpose-naive-share,solved,2026-01-05,3,0,,\n", text)
            self.assertNotIn("ch3_predict", text)

    def test_page_that_cannot_be_read(self) -> None:
        self.write("chapters/ch3_transpose/README.md", PAGE.replace("[x]", "[y]"))
        words = "chapters/ch3_transpose/README.md, line 5: the question 'Which is faster' needs"
        self.assertIn(words, self.ends(1, "predict", "ch3").stderr)

    def test_missing_results(self) -> None:
        (self.root / "plots/results/nvidia-h200/ch3_transpose.csv").unlink()
        self.assertIn("cannot be looked up", self.ends(1, "predict", "ch3", typed="32\n2\n4\n").stderr)
        self.assertEqual(self.states(), ["solved,1,0,"] * 2)


class PromptsTest(unittest.TestCase):
    def test_places_and_words(self) -> None:
        found = [(prompt.line, prompt.heading, prompt.text) for prompt in read_prompts(PAGE)]
        first = "Predict: how many sectors has a request? Is `tiled` faster?"
        second = "Some words, and Predict as a word. Predict: how much faster?"  # with the words before it
        self.assertEqual(found, [(5, "Stage 01: naive", first), (10, "Stage 01: naive", second)])
        self.assertEqual(read_prompts(PAGE.replace("\n", "\r\n")), read_prompts(PAGE))

    def test_comments_of_another_form(self) -> None:
        id_line, comment = "  id transpose-store-sectors\n", "<!-- predict\nAll\n  1 = 1\n-->\n"
        ids = ("", "  id \n", "  id Sectors\n", "  id a_b\n", "  id -a\n", "  id a b\n", "  id a\n  id b\n")
        usual = "can have after its number|needs '12 unit"
        for old, new, words in (
            *((id_line, other, "one line 'id NAME'") for other in ids),
            ("usual 1024:", "usual:", usual),
            ("usual: Its", "usual 2: Its", usual),
            ("usual 1024: Those", "usual 1024 those", usual),
            ("<!-- figures", f"{comment}<!-- figures", "one comment"),
        ):
            with self.subTest(new), self.assertRaisesRegex(PredictionError, words):
                read_prompts(PAGE.replace(old, new))

    def test_stages_by_their_headings(self) -> None:
        page = "".join(f"## {heading}\n\n{PAGE[PAGE.index('**Predict') : PAGE.index('Some words')]}\n"
                       for heading in ("Before", "Stage 01: a", "### Stage 09", "Stages 04b and 5", "Results"))
        found = [(prompt.stage, prompt.stages_before) for prompt in read_prompts(page)]
        after = ("01", "04b")
        self.assertEqual(found, [("", ()), ("01", ("01",)), ("", ("01",)), ("04b", after), ("", after)])

    def test_in_a_list(self) -> None:
        asked, section, answers = PAGE.partition("\n## Answers\n")
        page = f"- Point\n{textwrap.indent(asked[asked.index('**Predict') :], '  ')}{section}{answers}"
        self.assertEqual([len(prompt.questions) for prompt in read_prompts(page)], [2, 1])
        self.assertIn("\n\n  <details><summary>Answer</summary>\n\n  32, as each", with_answers_below(page))


KILOBYTES = Number("a", "A", "64", "KB", "64", usual=((16.0, "That is one buffer."),))
HOW_WRONG = (
    ((80.0,), "too high."),
    ((63.0,), "too low."),
    ((640.0,), "too high, by a factor of about 10."),
    ((24.0,), "too low, by a factor of about 2.7."),
    ((16.1,), "too low, by a factor of about 4. That is one buffer."),
    ((76_800.0, 75.0), "too high."),
    ((16_000.0, 16.0), "too low, by a factor of about 4. That is one buffer."),
    ((1e5,), "too high, by a factor of about 1,600."),
    ((1e300,), "too high, by a factor of a million or more."),
    ((0.0,), "too low."),
    ((-64.0,), "too low."),
)


class NumberTest(unittest.TestCase):
    def judged(self, line: str, value: float) -> list[float]:
        """The right ones of these answers."""
        answer = f"<details><summary>Answer</summary>\n\na\n<!-- predict\nA\n  id a\n  {line}\n-->\n</details>"
        page = f"**Predict:** a?\n\n[Answer](#answer-a)\n\n### Answer: a\n\n{answer}"
        question = read_prompts(page)[0].questions[0]
        return [typed for typed in (11.0, 12.0, 12.4, 13.0, 24.0, 25.0) if question.is_right(typed, value)]

    def test_tolerances(self) -> None:
        for line, value, right in (
            ("12 = 12", 12.0, [12.0]),
            ("12 = 12.1", 12.1, [12.0, 12.4]),  # as the number is rounded
            ("12 ms within 9 % = 12", 12.0, [11.0, 12.0, 12.4, 13.0]),
            ("12 ms within a factor of 2 = 12", 12.0, [11.0, 12.0, 12.4, 13.0, 24.0]),
        ):
            with self.subTest(line):
                self.assertEqual(self.judged(line, value), right)

    def test_how_wrong(self) -> None:
        for readings, words in HOW_WRONG:
            with self.subTest(readings):
                self.assertEqual(KILOBYTES.how_wrong(readings, 64.0), words)


class NamesTest(unittest.TestCase):
    def test_each_old_name_belongs_to_a_question(self) -> None:
        workbook = Workbook(ROOT)
        asked = {
            question.id
            for chapter in workbook.catalogue.chapters
            for prompt in QuestionSheet(chapter, workbook).prompts
            for question in prompt.questions
        }
        rows = (ROOT / "common/cli/exercises/question_names.csv").read_text(encoding="utf-8").splitlines()[1:]
        names, ids = zip(*(row.split(",") for row in rows))
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(set(ids) - asked, set())
        self.assertEqual(name_in_progress(names[0]), f"predict_{ids[0]}")
        self.assertEqual(name_in_progress("ch3_ex2"), "ch3_ex2")
