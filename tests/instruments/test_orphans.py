"""Tests of orphans.py, on a repository of a few files."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

from orphans import orphans


class OrphansTest(unittest.TestCase):
    def orphans_among(self, files: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            subprocess.run(["git", "-C", folder, "init", "--quiet"], check=True)
            subprocess.run(["git", "-C", folder, "add", "--all"], check=True)
            return sorted(map(str, orphans(Path(folder))))

    def test_a_picture_that_no_page_shows(self) -> None:
        files = {"index": "README.md index", "README.md": "![All](docs/shown.png)", "docs/shown.png": "", "docs/shown.svg": ""}
        self.assertEqual(self.orphans_among(files), ["docs/shown.svg", "index"])

    def test_a_module_is_named_by_its_import(self) -> None:
        files = {"main.py": "from cli.tables import table", "cli/tables.py": "", "Makefile": "run: main.py"}
        self.assertEqual(self.orphans_among(files), ["Makefile"])

    def test_a_file_does_not_name_itself(self) -> None:
        self.assertEqual(self.orphans_among({"notes.md": "These are notes.md."}), ["notes.md"])

    def test_a_stage_is_named_without_its_number(self) -> None:
        files = {"chapters/ch1/02_naive.cu": "", "docs.md": "`ch1_naive` and naive: docs"}
        self.assertEqual(self.orphans_among(files), ["docs.md"])

    def test_files_found_by_a_pattern_are_left_out(self) -> None:
        files = {"tests/a/test_b.py": "", "chapters/ch1/harness/main.cpp": "", "plots/results/gpu/ch1_saxpy.csv": ""}
        self.assertEqual(self.orphans_among(files), [])


if __name__ == "__main__":
    unittest.main()
