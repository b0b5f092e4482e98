"""The editor that is opened, and the line."""

from __future__ import annotations

import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.checking.check_result import CheckResult, Outcome, line_to_mend
from cli.errors import UsageError
from cli.terminal.editor import editor_of, opening
from cli.tracing.findings import Mistake

ANSWER = Path("/home/you/ex1_sum.cu")


class EditorTest(unittest.TestCase):
    def test_how_editors_take_a_line(self) -> None:
        for editor, words in (
            (["vi"], ["+7", "/f.cu"]),
            (["/usr/bin/vim.basic", "-u", "NONE"], ["-u", "NONE", "+7", "/f.cu"]),
            (["nvim"], ["+7", "/f.cu"]),
            (["nano", "-l"], ["-l", "+7", "/f.cu"]),
            (["emacs", "-nw"], ["-nw", "+7", "/f.cu"]),
            (["emacsclient", "-n"], ["-n", "+7", "/f.cu"]),
            (["code"], ["--goto", "/f.cu:7"]),
            (["code-insiders", "--wait"], ["--wait", "--goto", "/f.cu:7"]),
            (["hx"], ["/f.cu:7"]),
            (["subl"], ["/f.cu:7"]),
            (["kate"], ["--line", "7", "/f.cu"]),
            (["ed"], ["/f.cu"]),
        ):
            with self.subTest(editor):
                self.assertEqual(opening(editor, Path("/f.cu"), 7), [editor[0], *words])
                self.assertEqual(opening(editor, Path("/f.cu"), None), [*editor, "/f.cu"])

    def test_which_editor(self) -> None:
        path = {"PATH": "/usr/bin:/bin"}
        self.assertEqual(editor_of({**path, "EDITOR": "cat -n"}), ["cat", "-n"])
        self.assertEqual(editor_of({**path, "EDITOR": "ls", "VISUAL": "cat"}), ["cat"])
        self.assertEqual(editor_of({**path, "EDITOR": "'/bin/cat'", "VISUAL": ""}), ["/bin/cat"])
        for editor, words in (("", "Set EDITOR"), ("'a", "not a command line"), ("no_such", "no_such")):
            with self.subTest(editor), self.assertRaisesRegex(UsageError, words):
                editor_of({**path, "EDITOR": editor})


class LineTest(unittest.TestCase):
    def test_of_the_compiler(self) -> None:
        advice = "Fix chapters/ch1_saxpy/ex1_sum.cu, line 27: expected ';'"
        self.assertEqual(line_to_mend(CheckResult(ANSWER, Outcome.NOT_BUILT, advice=advice, words="sum.h:3:1: x")), 27)
        words = "other.h:3:1: note\n/home/you/ex1_sum.cu:29:5: error: x"
        self.assertEqual(line_to_mend(CheckResult(ANSWER, Outcome.NOT_BUILT, advice="Read it.", words=words)), 29)

    def test_of_a_finding(self) -> None:
        text = "k: past the end\n  helper.h:4:1  load by thread\n  ex1_sum.cu:22:13  load by thread"
        found = (Mistake("out_of_bounds", text),)
        self.assertEqual(line_to_mend(CheckResult(ANSWER, Outcome.MISTAKE, mistakes=found)), 22)

    def test_without_a_line(self) -> None:
        self.assertIsNone(line_to_mend(CheckResult(ANSWER, Outcome.WRONG, words="another_ex1.cu:3 is wrong")))
        self.assertIsNone(line_to_mend(CheckResult(ANSWER, Outcome.GOAL_MISSED)))
