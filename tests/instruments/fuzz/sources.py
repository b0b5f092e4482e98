"""CUDA sources with edited tokens, for the rewriter, the screening of answers and, sometimes, the compiler."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import unittest.mock
from pathlib import Path

import rewrite_cuda

from cli.building.compiler_output import explain_failure
from cli.checking.screening.source import Answer, check_source, with_marks
from cli.errors import Refused, WorkbookError
from cli.running.limited_run import Limits, run_within
from cli.terminal.console import printable
from fuzz.area import wrong_output
from fuzz.edits import edited_code, edited_data

_SHARE_THAT_IS_COMPILED = 0.1
_SHARE_OF_SPOILED_BYTES = 0.15
_LIMITS = Limits(cpu_s=25.0)


class Sources:
    name = "sources"
    is_isolated = True

    def __init__(self, root: Path) -> None:
        self._root = root
        files = sorted([*root.glob("chapters/ch*/**/*.cu"), *root.glob("solutions/*/*.cu"), *root.glob("tests/simulator/*.cu")])
        self._files = [(file.parent, file.read_text(encoding="utf-8")) for file in files]

    def run(self, chance: random.Random, folder: Path) -> str:
        headers, text = chance.choice(self._files)
        if chance.random() < _SHARE_OF_SPOILED_BYTES:
            content = edited_data(text, chance)
        else:
            content = edited_code(text, chance, chance.choice(self._files)[1]).encode("utf-8", "surrogatepass")
        source, rewritten = folder / "edited.cu", folder / "edited.cpp"
        source.write_bytes(content)
        words = self._rewrite(source, rewritten, headers)
        if words is None:
            return self._screen(source, rewritten, headers) or self._compile(source, rewritten, headers, chance)
        return wrong_output(words) or ("" if words.strip() else "the rewriter fails without a message")

    def _rewrite(self, source: Path, rewritten: Path, headers: Path) -> str | None:
        """The message with which the rewriter refuses the source; None if it wrote a file."""
        said = io.StringIO()
        arguments = ["rewrite_cuda.py", str(source), str(rewritten), str(headers)]
        with unittest.mock.patch.object(sys, "argv", arguments), contextlib.redirect_stderr(said):
            code = rewrite_cuda.main()
        if code == 0:
            assert rewritten.is_file() and not said.getvalue()
            return None
        return said.getvalue()

    def _screen(self, source: Path, rewritten: Path, headers: Path) -> str:
        text = rewritten.read_text(encoding="utf-8", errors="replace")
        name = "includes.cpp"
        answer = Answer(source, rewritten, self._root, (headers,))
        try:
            check_source(
                with_marks(f'# 1 "{rewritten}"\n{text}', answer, "own"), answer, lambda text: (text, name), "own"
            )
        except (Refused, WorkbookError) as error:
            return "" if str(error) else "it is refused without a message"
        return ""

    def _compile(self, source: Path, rewritten: Path, headers: Path, chance: random.Random) -> str:
        """For every output of g++, the advice is about the learner's file, not about the system's files or ours."""
        if chance.random() >= _SHARE_THAT_IS_COMPILED:
            return ""
        include = self._root / "common/simulator/include"
        command = ["g++", "-std=c++17", "-fsyntax-only", "-w", f"-I{include}", f"-I{self._root}", f"-I{headers}"]
        ended = run_within(_LIMITS, [*command, "-include", "cuda_runtime.h", str(rewritten)], source.parent)
        if ended.returncode == 0 or ended.stopped:
            return ""
        advice = explain_failure(ended.output, self._root, "edited.cu", source, simulated=True).advice
        if not advice.strip():
            return "it does not compile, but there is no advice"
        for folder in ("/usr/", "common/simulator/"):
            if f"Fix {folder}" in advice:
                return f"advice to fix a file that is not the learner's: {advice}"
        return wrong_output(printable(advice))
