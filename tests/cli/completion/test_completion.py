"""Completion with the Tab key, tested in the shells that are installed."""

from __future__ import annotations

import functools
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

import support

from cli.application import described_commands
from cli.completion.scripts import SCRIPTS
from cli.completion.usage_words import completion_of

WORKBOOK = str(support.ROOT / "workbook")


@functools.lru_cache(maxsize=None)
def script(shell: str) -> str:
    return subprocess.run([WORKBOOK, "completion", shell], stdout=subprocess.PIPE, text=True, check=True).stdout


def asked(shell: str, program: str, folder: str) -> list[str]:
    """The output lines of a shell script that runs in a folder."""
    command = [shell, "-f", "-c", program] if shell == "zsh" else [shell, "--norc", "-c", program]
    if shell == "fish":
        command = [shell, "--no-config", "-c", program]
    outcome = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return outcome.stdout.splitlines()


class UsageWords(unittest.TestCase):
    def test_reads_arguments_and_options(self) -> None:
        for command, usage, arguments, options in (
            ("check", "[EXERCISE|CHAPTER] [--file FILE.cu]", ("EXERCISE", "CHAPTER"), (("--file", "FILE.cu"),)),
            (
                "grade",
                "FOLDER EXERCISE... [--hidden FILE.csv] [--seconds N] [--diff]",
                ("FOLDER", "EXERCISE"),
                (("--hidden", "FILE.csv"), ("--seconds", "N"), ("--diff", "")),
            ),
            ("run", "TARGET|FILE.cu... [--diff] [-- program options]", ("TARGET", "FILE.cu"), (("--diff", ""),)),
        ):
            with self.subTest(command):
                found = completion_of(command, "", f"{command} {usage}")
                self.assertEqual((found.arguments, found.options), (arguments, options))

    def test_every_command_that_help_lists_is_there(self) -> None:
        for shell in SCRIPTS:
            text = script(shell)
            for name, _, _ in described_commands():
                self.assertIn(name, text, shell)


class OfAShell(unittest.TestCase):
    """The same tests for each shell; subclasses define how to ask it."""

    shell = ""

    def answers(self, words: list[str]) -> list[str]:
        raise NotImplementedError

    def setUp(self) -> None:
        if type(self) is OfAShell:
            self.skipTest("each shell has a class of its own")
        if not shutil.which(self.shell):
            self.skipTest(f"{self.shell} is not installed")
        self.folder = support.folder_of(self)
        Path(self.folder, "mine one.cu").write_text("", encoding="utf-8")
        Path(self.folder, "handed_in").mkdir()
        Path(self.folder, "completion").write_text(script(self.shell), encoding="utf-8")

    def test_all_answers(self) -> None:
        for words, answers in (
            (["che"], ["check"]),
            (["check", "ch3_ex2"], ["ch3_ex2"]),
            (["inspect", "--js"], ["--json"]),
            (["nothing", "ch"], []),
        ):
            with self.subTest(words):
                self.assertEqual(self.answers(words), answers)

    def test_one_of_the_answers(self) -> None:
        for words, answer in (
            (["run", "ch3_transpose_p"], "ch3_transpose_padded"),
            (["run", "mine"], "mine one.cu"),
            (["grade", "handed"], "handed_in"),
        ):
            with self.subTest(words):
                self.assertIn(answer, [found.replace("\\", "").rstrip("/") for found in self.answers(words)])


class Bash(OfAShell):
    shell = "bash"

    def answers(self, words: list[str]) -> list[str]:
        line = shlex.join(["./workbook", *words])
        program = (
            f"source ./completion; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _workbook; "
            "((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        return asked(self.shell, program, self.folder)


class Fish(OfAShell):
    shell = "fish"

    def answers(self, words: list[str]) -> list[str]:
        line = shlex.join(["./workbook", *words])
        lines = asked(self.shell, f"source ./completion; complete -C {shlex.quote(line)}", self.folder)
        return [answer.split("\t")[0] for answer in lines]


class Zsh(OfAShell):
    """zsh completes only interactively: its functions are replaced by functions that print their arguments."""

    shell = "zsh"

    def answers(self, words: list[str]) -> list[str]:
        line = shlex.join(["./workbook", *words])
        program = (
            "compdef() { :; }; compadd() { print -l -- ${@:#--}; }; _files() { print -l -- *(N); }; "
            "_describe() { print -l -- ${${(P)2}%%:*}; }; "
            f"source ./completion; words=({line}); CURRENT={len(words) + 1}; _workbook"
        )
        return [answer for answer in asked(self.shell, program, self.folder) if answer.startswith(words[-1])]


class BadUsage(unittest.TestCase):
    def test_an_unknown_shell(self) -> None:
        outcome = subprocess.run([WORKBOOK, "completion", "tcsh"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("'tcsh' is not one of the supported shells: bash, zsh, fish.", outcome.stderr)
