"""The command's folders and the judge: README.md lists them, and each imports only from folders above it in the list."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from support import ROOT

CLI = ROOT / "common/cli"
JUDGE = ROOT / "common/grading"
_IMPORT = re.compile(r"^ *(?:from|import) (?:cli\.)?((?<=cli\.)\w+|grading)\b", re.MULTILINE)
_OF_THE_JUDGE = re.compile(r"^ *(?:from|import) (grading[\w.]*)", re.MULTILINE)


def folder_of(part: str) -> Path:
    return JUDGE if part == JUDGE.name else CLI / part


class FoldersTest(unittest.TestCase):
    order = re.findall(r"^\| `(?:\.\./)?(\w+)/` \|", (CLI / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    def test_each_folder_is_listed(self) -> None:
        self.assertEqual(sorted(self.order), sorted([JUDGE.name, *(init.parent.name for init in CLI.glob("*/__init__.py"))]))

    def test_imports_come_from_above(self) -> None:
        for number, part in enumerate(self.order):
            for file in folder_of(part).rglob("*.py"):
                imported = set(_IMPORT.findall(file.read_text(encoding="utf-8"))) & set(self.order)
                with self.subTest(file.name):
                    self.assertLessEqual(imported, set(self.order[: number + 1]))

    def test_two_commands_alone_import_the_judge_and_only_its_face(self) -> None:
        entered = {}
        for file in CLI.rglob("*.py"):
            if names := set(_OF_THE_JUDGE.findall(file.read_text(encoding="utf-8"))):
                entered[file.relative_to(CLI).as_posix()] = names
        self.assertEqual(entered, {f"commands/{name}.py": {"grading.judge"} for name in ("class", "grade")})

    def test_faces_fit_on_a_few_screens(self) -> None:
        for face in (JUDGE / "judge.py", ROOT / "common/simulator/include/cuda_simulator.h"):
            self.assertLess(len(face.read_text(encoding="utf-8").splitlines()), 200)

    def test_nobody_includes_past_the_face_of_the_simulator(self) -> None:
        inside = re.compile(r'#include [<"]((?:simulator|trace|runtime|execution|program|libraries|nccl)/[^>"]+)')
        for folder in ("chapters", "solutions", "common/harness", "common/grading", "common/own_programs", "tests"):
            for file in (file for kind in ("*.h", "*.cpp", "*.cu") for file in (ROOT / folder).rglob(kind)):
                if ROOT / "tests/simulator" not in file.parents:
                    with self.subTest(file.name):
                        self.assertEqual(inside.findall(file.read_text(encoding="utf-8")), [])

    def test_the_sandbox_imports_none_of_the_judges_modules(self) -> None:
        for file in (JUDGE / "sandbox").glob("*.py"):
            names = _OF_THE_JUDGE.findall(file.read_text(encoding="utf-8"))
            with self.subTest(file.name):
                self.assertEqual([name for name in names if not name.startswith("grading.sandbox")], [])

    def test_the_judges_page_names_each_of_its_files(self) -> None:
        named = set(re.findall(r"`([\w/.]+)`", (JUDGE / "README.md").read_text(encoding="utf-8")))
        for file in [*JUDGE.rglob("*.py"), *JUDGE.rglob("*.cpp")]:
            if file.name != "__init__.py" and file.parent.name != "adapters":
                self.assertIn(file.name, named)

    def test_files_that_the_readme_names(self) -> None:
        named = re.findall(r"`((?:\.\./)?\w+/\w+\.py)`", (CLI / "README.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 15)
        for name in named:
            self.assertTrue((CLI / name).is_file(), name)
