"""The ending of a traced run follows from its exit and its report. The programs are shell scripts."""

from __future__ import annotations

import functools
import json

from support import FINDING, REPORT, FolderTest, leaves

from cli.running.limited_run import run_limited
from cli.tracing.traced_run import Ending, TracedRun, run_traced

LEAVES_REPORT = leaves(REPORT)
LEAVES_FINDING = leaves({**REPORT, "findings": [FINDING]})


class TracedRunTest(FolderTest):
    def run_script(self, script: str, cpu_limit_s: float = 20.0) -> TracedRun:
        program = self.folder / "a_inspect"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        run = functools.partial(run_limited, cpu_limit_s=cpu_limit_s)
        return run_traced(program, ["--rows", "8"], self.folder, run, {})

    def assert_ends(self, script: str, ending: Ending, words: str) -> None:
        traced = self.run_script(script)
        self.assertEqual((traced.ending, traced.passed, traced.words()), (ending, ending is Ending.PASSED, words))

    def test_passes(self) -> None:
        self.assert_ends(f'[ "$*" = "--rows 8" ] || exit 3\n{LEAVES_REPORT}', Ending.PASSED, "")
        traced = self.run_script(LEAVES_REPORT)
        self.assertEqual((traced.report.kernels[0].name, json.loads(traced.json_text)), ("k", REPORT))

    def test_endings_without_a_pass(self) -> None:
        failed = "a_inspect --rows 8 failed (exit code 1)."
        self.assert_ends(f"{LEAVES_FINDING}exit 1", Ending.MISTAKE, failed)
        self.assert_ends(LEAVES_FINDING, Ending.MISTAKE, "")
        self.assert_ends(f"{LEAVES_REPORT}exit 1", Ending.WRONG, failed)
        self.assert_ends("echo all right; exit 0", Ending.CRASHED, "a_inspect --rows 8 left no report.")

    def test_crash_after_the_report(self) -> None:
        traced = self.run_script(f"{LEAVES_REPORT}kill -SEGV $$")
        self.assertEqual(traced.ending, Ending.CRASHED)
        self.assertIn("[SIGSEGV]", traced.words())

    def test_endless(self) -> None:
        traced = self.run_script(f"{LEAVES_REPORT}while :; do :; done", cpu_limit_s=0.2)
        self.assertEqual(traced.ending, Ending.STOPPED)
        self.assertEqual(traced.words(), "a_inspect --rows 8 was stopped: it timed out after 0.2 s of CPU time.")

    def test_unreadable_report(self) -> None:
        for text in ("", "{", "[]", '{"schema": 2}', '{"schema": 1, "kernels": 7, "findings": []}', "[" * 100_000):
            with self.subTest(text[:60]):
                (self.folder / "report").write_text(text)
                traced = self.run_script('cp report "$CUDA_SIMULATOR_REPORT"')
                self.assertEqual((traced.ending, traced.has_report), (Ending.CRASHED, False))

    def test_report_of_an_earlier_run_is_ignored(self) -> None:
        self.assertTrue(self.run_script(LEAVES_REPORT).passed)
        self.assertEqual(self.run_script("exit 0").ending, Ending.CRASHED)
