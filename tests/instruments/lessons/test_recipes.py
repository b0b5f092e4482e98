"""Replays docs/adding.md in a copy of the workbook: its recipes work, and CMake reports each missing part.

Usage: test_recipes.py, with WORKBOOK_SIMULATOR_TREE set to a built tree: the copy uses the simulator from there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "common"))

from pages import FENCE, read, section

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/adding.md"
CHAPTERS = ("ch0_machine", "ch1_saxpy", "ch3_transpose")  # the chapters of the copy, which the page needs
_SIMULATOR = "common/simulator/libcuda_simulator_traced.a"


def listings(recipe: str) -> list[re.Match[str]]:
    return list(FENCE.finditer(section(read(PAGE), recipe)))


class Scratch:
    """A copy of the workbook with a few chapters."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workbook"
        ignored = shutil.ignore_patterns("build", "build-*", ".git", "__pycache__", "results", *_others(CHAPTERS))
        shutil.copytree(ROOT, self.root, ignore=ignored)
        self.replace("CMakeLists.txt", r"foreach\(chapter [^)]*\)", f"foreach(chapter {' '.join(CHAPTERS)})")
        self.new_files: list[str] = []
        self.changed_lines = 0

    def replace(self, file: str, pattern: str, text: str) -> None:
        path = self.root / file
        changed, count = re.subn(pattern, lambda _: text, path.read_text(encoding="utf-8"))
        assert count == 1, f"{pattern} appears {count} times in {file}"
        path.write_text(changed, encoding="utf-8")

    def follow(self, listing: re.Match[str]) -> None:
        if listing["kind"] == "console":
            for line in listing["text"].splitlines():
                before = set(self.files())
                subprocess.run(line[2:], shell=True, cwd=self.root, check=True, stdout=subprocess.DEVNULL)
                self.new_files += sorted(set(self.files()) - before)
        elif listing["kind"] == "diff":
            old, new = (line[1:] for line in listing["text"].splitlines())
            self.replace(listing["file"], re.escape(old), new)
            self.changed_lines += 1
        elif (self.root / listing["file"]).exists():
            with (self.root / listing["file"]).open("a", encoding="utf-8") as file:
                file.write(listing["text"])
            self.changed_lines += listing["text"].count("\n")
        else:
            path = self.root / listing["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(listing["text"], encoding="utf-8")
            self.new_files.append(listing["file"])

    def files(self) -> list[str]:
        chosen = (folder for name in ("chapters", "solutions", "tests") for folder in (self.root / name).rglob("*"))
        return [str(path.relative_to(self.root)) for path in chosen if path.is_file() and path.suffix != ".pyc"]

    def configure(self) -> tuple[int, str]:
        """The exit code, and CMake's output in one line."""
        options = ["-G", "Ninja", "-DWORKBOOK_BACKEND=simulator"]
        ended = self.run("cmake", "-S", ".", "-B", "build", *options)
        return ended.returncode, " ".join(ended.stdout.split())

    def link(self, program: str, simulator_tree: Path) -> Path:
        """Links with the built tree's simulator, because building one takes a minute; other objects are built here."""
        library = self.root / "build" / _SIMULATOR
        if not library.exists():
            shutil.copy2(simulator_tree / _SIMULATOR, library)
        link = self.run("ninja", "-C", "build", "-t", "commands", program).stdout.splitlines()[-1]
        parts = [word for word in link.split() if word.endswith((".o", ".a")) and word != _SIMULATOR and word[0] != "/"]
        for command in (("ninja", "-j2", *parts), ("sh", "-c", link)):
            ended = self.run(*command, folder="build")
            assert ended.returncode == 0, ended.stdout
        return self.root / "build/bin" / program

    def targets(self) -> set[str]:
        return set(re.findall(r"^(\S+): phony", self.run("cmake", "--build", "build", "--target", "help").stdout, re.MULTILINE))

    def run(self, *command: str, folder: str = ".") -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "GTEST", "CI"))}
        return subprocess.run(
            command,
            cwd=self.root / folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def _others(chapters: tuple[str, ...]) -> list[str]:
    return [folder.name for folder in (ROOT / "chapters").iterdir() if folder.name not in chapters]


@unittest.skipUnless("WORKBOOK_SIMULATOR_TREE" in os.environ, "needs WORKBOOK_SIMULATOR_TREE")
class RecipesTest(unittest.TestCase):
    scratch: Scratch
    tree: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="workbook-")
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = Scratch(Path(folder.name))
        cls.tree = Path(os.environ["WORKBOOK_SIMULATOR_TREE"])

    def setUp(self) -> None:
        self.scratch.new_files, self.scratch.changed_lines = [], 0

    def assert_refused(self, *words: str) -> None:
        exit_code, said = self.scratch.configure()
        self.assertNotEqual(exit_code, 0, "CMake reports no error")
        for word in words:
            self.assertIn(word, said)

    def assert_configures(self) -> None:
        exit_code, said = self.scratch.configure()
        self.assertEqual(exit_code, 0, said)

    def assert_passes(self, program: str, *, fails: str = "") -> None:
        """`fails`: the output of a test that must fail; empty if all must pass."""
        ended = subprocess.run([self.scratch.link(program, self.tree), "--gtest_brief=1"], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1 if fails else 0, ended.stdout)
        self.assertRegex(ended.stdout, fails or r"\[  PASSED  \] [1-9]")

    def without(self, file: str, *words: str) -> None:
        """The configuration without this file must fail."""
        path = self.scratch.root / file
        text = path.read_text(encoding="utf-8")
        path.unlink()
        self.assert_refused(*words)
        path.write_text(text, encoding="utf-8")

    def test_1_a_stage_is_one_file(self) -> None:
        (copy,) = listings("a-stage")
        self.scratch.follow(copy)
        self.assert_configures()
        self.assertEqual((len(self.scratch.new_files), self.scratch.changed_lines), (1, 0))
        names = {f"ch3_transpose_mine{suffix}" for suffix in ("", "_inspect", "_test")}
        self.assertLessEqual(names, self.scratch.targets())
        tests = self.scratch.run("ctest", "--test-dir", "build", "-N", "-R", r"^ch3_transpose\.mine").stdout
        self.assertEqual(len(re.findall(r"ch3_transpose\.mine(?:\.block_order_\w+)?$", tests, re.MULTILINE)), 3, tests)

    def test_a_stage_that_is_not_complete_is_refused(self) -> None:
        chapter = "chapters/ch3_transpose"
        right = (self.scratch.root / chapter / "03_padded.cu").read_text(encoding="utf-8")
        title, rest = right.split("\n", 1)
        for file, text, words in (
            ("14_bare.cu", rest, "14_bare.cu has no title: its first line must be '// Stage 14: "),
            ("14_bare.cu", right, "14_bare.cu: its title has the number 03, but its name has 14"),
            ("03_again.cu", right, "another stage also has the number 03. A variant has a letter"),
            ("bare.cu", right, "bare.cu: the name of a stage is NN_technique.cu"),
            ("baselines/bare.cu", right, "baselines/bare.cu is in no list", ),
            ("14_new.cu", f"{title.replace('03', '14')}\n// Requires: a TPU\n", "14_new.cu requires 'a TPU'"),
            ("more/01_new.cu", f"{title.replace('03', '01')}\n", "more/01_new.cu: nothing in chapters/ch3_transpose/CMakeLists.txt names its folder"),
        ):  # fmt: skip
            with self.subTest(words):
                path = self.scratch.root / chapter / file
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
                self.assert_refused(words)
                path.unlink()

    def test_a_folder_of_stages_without_a_line_in_the_lesson_is_refused(self) -> None:
        chapter = self.scratch.root / "chapters/ch3_transpose"
        lists = (chapter / "CMakeLists.txt").read_text(encoding="utf-8")
        (chapter / "more").mkdir(exist_ok=True)
        text = (chapter / "03_padded.cu").read_text(encoding="utf-8")
        (chapter / "more/40_mine.cu").write_text(text.replace("Stage 03", "Stage 40"), encoding="utf-8")
        self.scratch.replace("chapters/ch3_transpose/CMakeLists.txt", r"add_chapter\(ch3_transpose", "add_chapter(ch3_transpose LADDERS more")
        self.assert_refused("README.md does not mention the folder more/")
        shutil.rmtree(chapter / "more")
        (chapter / "CMakeLists.txt").write_text(lists, encoding="utf-8")

    def test_2_an_exercise_is_five_files_and_one_line(self) -> None:
        for listing in listings("an-exercise"):
            self.scratch.follow(listing)
        self.assertEqual((len(self.scratch.new_files), self.scratch.changed_lines), (5, 1), self.scratch.new_files)
        self.assert_configures()
        self.assert_passes("ch3_ex9_solution_test")
        self.assert_passes("ch3_ex9_test", fails=r"no thread wrote them")
        listed = self.scratch.run("./workbook", "list", "ch3")
        self.assertIn("ch3_ex9", listed.stdout)
        for file, words in (
            ("solutions/ch3_transpose/ex9_scale.cu", "ex9_scale.cu has no solution"),
            ("solutions/ch3_transpose/ex9_scale.md", "solutions/ch3_transpose/ex9_scale.md lacks its first line"),
            ("chapters/ch3_transpose/scale.cpp", "chapters/ch3_transpose/scale.cpp is missing: it describes the operation"),
        ):
            with self.subTest(file):
                self.without(file, words)
        sheet = "solutions/ch3_transpose/ex9_scale.md"
        for heading, words in (
            ("## Goals", "lacks the counts of a solved exercise"),
            ("### steps", "lacks hints that hold for any answer"),
            ("## Rejected by", "lacks the reasons why the tests reject"),
        ):
            with self.subTest(heading):
                self.scratch.replace(sheet, f"(?m)^{re.escape(heading)}", "left out")
                self.assert_refused(words)
                self.scratch.replace(sheet, "(?m)^left out", heading)

    def test_3_a_chapter_is_three_folders_and_a_word(self) -> None:
        word, *files = listings("a-chapter")
        for listing in files:
            self.scratch.follow(listing)
        self.assert_refused("chapters/ch99_negate is in no list")
        self.scratch.follow(word)
        self.assertEqual(self.scratch.changed_lines, 1)
        self.assert_configures()
        self.assert_passes("ch99_negate_naive_test")
        self.scratch.link("ch99_negate_naive_inspect", self.tree)
        ran = self.scratch.run("build/bin/ch99_negate_naive_inspect", "--n", "777")
        self.assertIn("777 elements, all right", ran.stdout)
        with self.subTest("a folder without a list"):
            self.without("chapters/ch99_negate/CMakeLists.txt", "chapters/ch99_negate/CMakeLists.txt is missing")
        with self.subTest("tests of no chapter"):
            shutil.copytree(self.scratch.root / "tests/ch99_negate", self.scratch.root / "tests/ch98_gone")
            self.assert_refused("tests/ch98_gone belongs to no chapter")
            shutil.rmtree(self.scratch.root / "tests/ch98_gone")
        with self.subTest("a test of nothing"):
            stray = self.scratch.root / "tests/ch99_negate/other_test.cpp"
            stray.write_text("int other;\n", encoding="utf-8")
            self.assert_refused("tests/ch99_negate/other_test.cpp is in no test")
            stray.unlink()
        with self.subTest("facts of no stage"):
            facts = self.scratch.root / "chapters/ch99_negate/stage_facts"
            facts.mkdir()
            (facts / "02_gone.cpp").write_text("int gone;\n", encoding="utf-8")
            self.assert_refused("stage_facts/02_gone.cpp belongs to no stage: there is no 02_gone.cu")
            shutil.rmtree(facts)


if __name__ == "__main__":
    sys.exit(unittest.main())
