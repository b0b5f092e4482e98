"""The cells of docs/first_hour.ipynb, run without Jupyter.

Here ./workbook only notes how it is called. With WORKBOOK_NOTEBOOK=1 in the environment the real one runs, in a clone of
the last commit, which takes minutes: what the cells print must be what the notebook shows.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import first_hour_notebook
from first_hour_notebook import NOTEBOOK, PAGE, ROOT

# What a notebook's kernel does with a line that begins with "!".
_SHELL = """
import json, subprocess, sys
_said = []
def _shell(command):
    ended = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    _said.append([command, ended.returncode, ended.stdout])
"""
_STUB = '#!/bin/sh\necho "$*" >> calls\n'
_EXERCISES = ("ch1_saxpy/ex1_vector_add.cu", "ch3_transpose/ex1_matrix_sum.cu", "ch3_transpose/ex3_find_the_race.cu")
_NEVER_THE_SAME = re.compile(r"^(Configuring|Building) .*|solved \d{4}-\d\d-\d\d", re.MULTILINE)


def cells() -> list[dict[str, object]]:
    loaded: list[dict[str, object]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return loaded


def run_cells(folder: Path, environment: dict[str, str]) -> list[tuple[str, int, str]]:
    """Command, exit code and output of each `!` in the code cells, started in `folder`."""
    source = "\n".join("".join(cell["source"]) for cell in cells() if cell["cell_type"] == "code")
    script = re.sub(r"^!(.*)$", lambda line: f"_shell({line[1]!r})", source, flags=re.MULTILINE)
    ended = subprocess.run(
        [sys.executable, "-c", f"{_SHELL}\n{script}\nprint(json.dumps(_said))"],
        cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=True,
    )
    return [tuple(said) for said in json.loads(ended.stdout)]


class NotebookTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="workbook-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "workbook"

    def test_it_is_what_the_page_makes_of_it(self) -> None:
        self.assertEqual(first_hour_notebook.main([]), 0)

    def test_cells_do_what_the_page_says(self) -> None:
        (self.root / "docs").mkdir(parents=True)
        for exercise in _EXERCISES:
            copy = self.root / "chapters" / exercise
            copy.parent.mkdir(exist_ok=True, parents=True)
            shutil.copyfile(ROOT / "chapters" / exercise, copy)
        stub = self.root / "workbook"
        stub.write_text(_STUB, encoding="utf-8")
        stub.chmod(0o755)
        run_cells(self.root / "docs", {})
        calls = (self.root / "calls").read_text(encoding="utf-8").splitlines()
        on_page = re.findall(r"^\$ \./workbook (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(calls, [*on_page, "reset ch1_ex1", "reset ch3_ex1", "reset ch3_ex3"])
        answers = [(self.root / "chapters" / exercise).read_text(encoding="utf-8") for exercise in _EXERCISES]
        self.assertIn("  if (i < n) {\n    z[i] = x[i] + y[i];\n  }\n", answers[0])
        self.assertIn("unsigned row = tile_row + threadIdx.y, col = tile_col + threadIdx.x;", answers[1])
        self.assertIn("__syncthreads();  // the next iteration overwrites elements", answers[2])

    def test_no_cell_needs_more_than_the_standard_library(self) -> None:
        code = "\n".join("".join(cell["source"]) for cell in cells() if cell["cell_type"] == "code")
        imported = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
        self.assertEqual(imported, ["os", "pathlib"])

    @unittest.skipUnless(os.environ.get("WORKBOOK_NOTEBOOK"), "takes minutes; WORKBOOK_NOTEBOOK=1 runs it")
    def test_with_the_real_command(self) -> None:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.root)], check=True)
        said = run_cells(self.root / "docs", {"WORKBOOK_BACKEND": "simulator"})
        shown = {}
        for cell in cells():
            for output in cell.get("outputs", ()):
                shown.setdefault("".join(cell["source"])[1:], []).append("".join(output["text"]))
        for command, _, printed in said:
            if command in shown:
                with self.subTest(command):
                    self.assertEqual(_always_the_same(printed), _always_the_same(shown[command].pop(0)))
        self.assertEqual([code for command, code, _ in said if " reset " in command], [0, 0, 0])


def _always_the_same(output: str) -> str:
    return _NEVER_THE_SAME.sub("", output).strip()


if __name__ == "__main__":
    unittest.main()
