"""Predict questions and hints, as pages of the book have them: the same as the command's."""

from __future__ import annotations

import html
import json
import re
import unittest

from support import ROOT

from cli.book.hint_folds import FAILURE_WORDS, exercise_number, fold
from cli.book.markdown import code_blocks
from cli.book.questions import forms
from cli.exercises.hints import ANY, FAILURES, choose_hints, hints_in
from cli.exercises.lookup import all_exercises
from cli.exercises.predictions import Choice
from cli.exercises.question_sheet import QuestionSheet
from cli.exercises.sheet import sheet_of
from cli.tracing.findings import KINDS
from cli.workbook import Workbook

WORKBOOK = Workbook(ROOT)
_QUESTION = re.compile(r'data-key="(?P<key>[^"]+)" data-question="(?P<data>[^"]+)"')


class FormsTest(unittest.TestCase):
    def test_every_question_is_asked_where_its_answer_is_folded(self) -> None:
        for chapter in WORKBOOK.catalogue.chapters:
            sheet = QuestionSheet(chapter, WORKBOOK)
            page = code_blocks().put_aside(chapter.files.readme.read_text(encoding="utf-8"))
            with self.subTest(chapter.name):
                asked = [key for _, form in forms(page, sheet) for key, _ in _QUESTION.findall(form)]
                keys = [sheet.key(prompt, one) for prompt in sheet.prompts for one in prompt.questions]
                self.assertEqual(asked, keys)
                for place, _ in forms(page, sheet):
                    self.assertTrue(page[place:].lstrip().startswith("<details><summary>Answer</summary>"))

    def test_what_judges_them_is_the_commands(self) -> None:
        chapter = WORKBOOK.catalogue.find_chapter("ch3")
        sheet = QuestionSheet(chapter, WORKBOOK)
        page = code_blocks().put_aside(chapter.files.readme.read_text(encoding="utf-8"))
        judged = {
            key: json.loads(html.unescape(data))
            for _, form in forms(page, sheet)
            for key, data in _QUESTION.findall(form)
        }
        for prompt in sheet.prompts:
            for question in prompt.questions:
                data = judged[sheet.key(prompt, question)]
                self.assertEqual(data["says"], sheet.right_answer(question))
                if isinstance(question, Choice):
                    self.assertEqual(data["right"], question.right)
                else:
                    self.assertEqual(data["value"], sheet.value(question.made_of))
                    self.assertEqual((data["share"], data["factor"]), (question.share, question.factor))

    def test_a_block_of_html_has_no_empty_line(self) -> None:
        """Markdown would end it there."""
        chapter = WORKBOOK.catalogue.find_chapter("ch6")
        page = code_blocks().put_aside(chapter.files.readme.read_text(encoding="utf-8"))
        for _, form in forms(page, QuestionSheet(chapter, WORKBOOK)):
            self.assertNotRegex(form, r"\n\s*\n")


class HintsTest(unittest.TestCase):
    def test_each_failure_has_words(self) -> None:
        for failure in FAILURES:
            if failure != ANY:
                self.assertIn(failure, {**KINDS, **FAILURE_WORDS})

    def test_hints_open_one_inside_the_other(self) -> None:
        shown = fold({"ways": ["W1."], "any": ["One.", "Two."]}, "ch3_ex2")
        first, second = shown.index("<summary>For any answer: hint 1 of 2</summary>"), shown.index("Hint 2 of 2")
        self.assertLess(first, second)
        between = shown[first:second]
        self.assertIn("One.", between)
        self.assertNotIn("</details>", between)
        self.assertIn("<summary>Bank conflicts are left: a hint</summary>", shown)
        self.assertEqual(shown.count("<details"), shown.count("</details>"))

    def test_failures_with_the_same_hints_share_them(self) -> None:
        shown = fold({"requests": ["R."], "bytes": ["R."]}, "ch3_ex2")
        words = "The number of requests misses its goal; the shared memory of a block misses its goal: a hint"
        self.assertIn(words, shown)
        self.assertEqual(shown.count("R."), 1)

    def test_all_hints_of_all_exercises_are_there(self) -> None:
        for exercise in all_exercises(WORKBOOK):
            hints = hints_in(sheet_of(exercise, WORKBOOK))
            shown = fold(hints, exercise.target)
            for hint in [*choose_hints(hints, []), *(one for own in hints.values() for one in own)]:
                self.assertIn(hint, shown, exercise.target)

    def test_sections_of_exercises(self) -> None:
        self.assertEqual(exercise_number("Exercise 12: a sum (`ex12_sum.cu`)"), 12)
        self.assertIsNone(exercise_number("Exercises"))


if __name__ == "__main__":
    unittest.main()
