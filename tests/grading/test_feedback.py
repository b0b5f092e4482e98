"""The page of feedback: what it says, and that nothing in it is interpreted. No answer is built."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from support import EXERCISE, ROOT, FolderTest

from cli.checking.check_result import PARTS, Outcome
from grading import judging
from grading.feedback import VERDICT_WORDS, feedback_page
from grading.judging import Grade
from grading.marking import Mark, Marking
from grading.reports import as_json, write_feedback
from grading.submissions import Submission

HOSTILE = "<script>alert(1)</script>\x1b[2J\"'&\0"


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, _: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += [data.strip()] if data.strip() and self.tags[-1] != "style" else []


def read(page: str) -> Words:
    words = Words()
    words.feed(page)
    return words


def report(verdict: str = "goal missed", text: str = "ex2.cu: goal missed.") -> dict[str, object]:
    return as_json("Ada", [Grade(Submission("Ada", EXERCISE, Path("Ada/ex2 (1).cu")), verdict, text)])


class FeedbackTest(FolderTest):
    def test_the_verdict_in_words_is_first_and_then_the_points_by_part_the_comment_and_the_text(self) -> None:
        parts = (("compiles", 0.5, 0.5), ("right", 3.0, 3.0), ("goals", 0.0, 1.5))
        page = feedback_page(report(), [Mark(3, 5, parts, 1, 0.5, comment="Use a tile.\nSee me.")])
        self.assertEqual(
            read(page).words,
            [
                *("Ada: 3 of 5 points", "Ada", "ch3_ex2: goal missed"),
                *("The result is correct, but a performance goal is missed.", "3 of 5 points"),
                *("It compiles", "0.5 of 0.5 points", "The result is correct", "3 of 3 points"),
                *("The performance goals are reached", "0 of 1.5 points", "Late: 1 day", "-0.5 points"),
                *("Comment:", "Use a tile.\nSee me.", "ex2.cu: goal missed.", "Graded file: ex2 (1).cu"),
            ],
        )

    def test_the_sum_of_several_exercises_is_first(self) -> None:
        two = {"student": "Ada", "exercises": [*report()["exercises"], *report("passed", "")["exercises"]]}
        words = read(feedback_page(two, [Mark(0.5, 2.5), Mark(2.5, 2.5)])).words
        self.assertEqual(words[1:4], ["Ada", "3 of 5 points", "ch3_ex2: goal missed"])

    def test_points_of_the_teacher_replace_the_parts(self) -> None:
        words = read(feedback_page(report(), [Mark(4, 5, (("right", 0, 5),), 2, 1, True, "Good.")])).words
        self.assertIn("Your teacher gave these points.", words)
        self.assertNotIn("The result is correct", words)
        self.assertFalse([word for word in words if "Late" in word])

    def test_everything_is_escaped(self) -> None:
        graded = Grade(Submission(HOSTILE, EXERCISE, Path(HOSTILE.replace("/", ""))), "wrong result", HOSTILE)
        page = feedback_page(as_json(HOSTILE, [graded]), [Mark(0, 5, comment=HOSTILE)])
        harmless = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "section", "pre"}
        self.assertEqual(set(read(page).tags), harmless)
        self.assertFalse(re.search("[\0\x1b]", page))
        self.assertEqual(page.count("&lt;script&gt;alert(1)&lt;/script&gt;?[2J&quot;&#x27;&amp;?"), 4)

    def test_needs_no_other_file(self) -> None:
        page = feedback_page(report(), [Mark(0, 5)])
        self.assertIsNone(re.search("https?:|src=|href=|url\\(|@import", page))
        self.assertIn('<meta name="viewport"', page)

    def test_each_verdict_has_a_sentence(self) -> None:
        own = {judging.TAMPERED, judging.NOT_HANDED_IN, judging.NOT_GRADED, judging.UNCHANGED}
        self.assertEqual(set(VERDICT_WORDS), {outcome.value for outcome in Outcome} | own)
        page = (ROOT / "docs/for_teachers.md").read_text(encoding="utf-8")
        self.assertEqual([verdict for verdict in VERDICT_WORDS if f"`{verdict}`" not in page], [])
        self.assertEqual([part for part in PARTS if f"| `{part}` |" not in page], [])

    def test_each_student_has_a_page_without_other_students(self) -> None:
        reports = [as_json(name, [Grade(Submission(name, EXERCISE), "passed", "")]) for name in ("Ada", "n" * 250)]
        write_feedback(self.folder, reports, Marking(5))
        pages = {file.name[:3]: file.read_text(encoding="utf-8") for file in self.folder.iterdir()}
        self.assertEqual(set(pages), {"Ada", "nnn"})
        self.assertNotIn("Ada", pages["nnn"])
