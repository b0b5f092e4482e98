"""Predict questions and hints in the pages of the book are the same as in the command."""

from __future__ import annotations

import html
import json
import re
import unittest
from pathlib import Path

from support import ROOT

from cli.book.hint_folds import exercise_number, fold
from cli.book.markdown import code_blocks
from cli.book.pages import read_page
from cli.book.questions import forms
from cli.checking.sheet import sheet_of
from cli.exercises.hints import STEPS, Topic, own_hints
from cli.exercises.lookup import all_exercises
from cli.exercises.predictions import Choice
from cli.exercises.question_names import name_in_progress
from cli.exercises.question_sheet import QuestionSheet, key_of
from cli.workbook import Workbook

WORKBOOK = Workbook(ROOT)
_QUESTION = re.compile(r'data-key="(?P<key>[^"]+)" data-question="(?P<data>[^"]+)"')


class FormsTest(unittest.TestCase):
    def test_every_question_is_next_to_its_folded_answer(self) -> None:
        for chapter in WORKBOOK.catalogue.chapters:
            sheet = QuestionSheet(chapter, WORKBOOK)
            for file in chapter.files.pages:
                self._assert_asked(file, sheet)

    def _assert_asked(self, file: Path, sheet: QuestionSheet) -> None:
        page = code_blocks().put_aside(read_page(ROOT, WORKBOOK.shown(file)))
        with self.subTest(file):
            found = forms(page, sheet, file)
            asked = [key for _, form in found for key, _ in _QUESTION.findall(form)]
            others = re.findall(r'data-other-keys="([^"]*)"', "".join(form for _, form in found))
            self.assertEqual(len(others), len(asked))
            for key, names in zip(asked, others):
                self.assertTrue(all(name_in_progress(name) == key for name in names.split()), (key, names))
            keys = [key_of(one) for prompt in sheet.of_page(file) for one in prompt.questions]
            self.assertEqual(asked, keys)
            for place, _ in found:
                self.assertTrue(page[place:].lstrip().startswith("<details><summary>Answer</summary>"))

    def test_answers_are_checked_with_the_commands_data(self) -> None:
        chapter = WORKBOOK.catalogue.find_chapter("ch3")
        sheet = QuestionSheet(chapter, WORKBOOK)
        page = code_blocks().put_aside(read_page(ROOT, WORKBOOK.shown(chapter.files.readme)))
        judged = {
            key: json.loads(html.unescape(data))
            for _, form in forms(page, sheet, chapter.files.readme)
            for key, data in _QUESTION.findall(form)
        }
        for prompt in sheet.of_page(chapter.files.readme):
            for question in prompt.questions:
                data = judged[key_of(question)]
                self.assertEqual(data["says"], sheet.right_answer(question))
                if isinstance(question, Choice):
                    self.assertEqual((data["right"], data["usual"]), (question.right, list(question.usual)))
                else:
                    self.assertEqual(data["value"], sheet.value(question.made_of))
                    self.assertEqual((data["share"], data["factor"]), (question.share, question.factor))
                    self.assertEqual(data["usual"], [list(one) for one in question.usual])

    def test_a_block_of_html_has_no_empty_line(self) -> None:
        """Markdown would end the block at an empty line."""
        chapter = WORKBOOK.catalogue.find_chapter("ch6")
        page = code_blocks().put_aside(read_page(ROOT, WORKBOOK.shown(chapter.files.readme)))
        for _, form in forms(page, QuestionSheet(chapter, WORKBOOK), chapter.files.readme):
            self.assertNotRegex(form, r"\n\s*\n")


class HintsTest(unittest.TestCase):
    def test_hints_open_one_inside_the_other(self) -> None:
        shown = fold({"bank_conflicts": Topic(("goal=ways",), ["W1."]), STEPS: Topic((), ["One.", "Two."])}, "ch3_ex2")
        first, second = shown.index("<summary>For any answer: hint 1 of 2</summary>"), shown.index("Hint 2 of 2")
        self.assertLess(first, second)
        between = shown[first:second]
        self.assertIn("One.", between)
        self.assertNotIn("</details>", between)
        self.assertIn("<summary>Bank conflicts: a hint</summary>", shown)
        self.assertEqual(shown.count("<details"), shown.count("</details>"))

    def test_all_hints_of_all_exercises_are_shown(self) -> None:
        for exercise in all_exercises(WORKBOOK):
            hints = own_hints(sheet_of(exercise, WORKBOOK))
            shown = fold(hints, exercise.target)
            for hint in (one for topic in hints.values() for one in topic.hints):
                self.assertIn(hint, shown, exercise.target)

    def test_sections_of_exercises(self) -> None:
        self.assertEqual(exercise_number("Exercise 12: a sum (`ex12_sum.cu`)"), 12)
        self.assertIsNone(exercise_number("Exercises"))
