"""The mutants of a chapter that a command line selects."""

from __future__ import annotations

import unittest
from pathlib import Path

import support  # noqa: F401  # puts the modules on the path

from cli.catalogue import Chapter, Program
from cli.chapter_files import ChapterFiles
from cli.errors import UsageError
from mutate.operators import mutants_of
from mutate.runner import Mutants, choose, parse


def program(name: str, constants: int) -> tuple[Program, Mutants]:
    source = Path(f"{name}.cu")
    text = "".join(f"int x{i} = 1;\n" for i in range(constants))  # two mutants each
    made = Program(name, "ch1", source, "stage")
    return made, {made: mutants_of(source.name, text)}


A, MUTANTS_OF_A = program("a", 1)
B, MUTANTS_OF_B = program("b", 10)
ALL = {**MUTANTS_OF_A, **MUTANTS_OF_B}
CHAPTER = Chapter(ChapterFiles(Path(), "ch1"), (A, B))


class ChoiceTest(unittest.TestCase):
    def test_whole_chapter(self) -> None:
        self.assertEqual(choose(parse(["ch1"]), CHAPTER, ALL), ALL)

    def test_one_program(self) -> None:
        self.assertEqual(choose(parse(["a"]), A, ALL), MUTANTS_OF_A)

    def test_program_that_cannot_be_mutated(self) -> None:
        with self.assertRaisesRegex(UsageError, "a cannot be mutated"):
            choose(parse(["a"]), A, MUTANTS_OF_B)

    def test_chapter_that_only_a_gpu_runs(self) -> None:
        with self.assertRaisesRegex(UsageError, "ch1 has no mutants"):
            choose(parse(["ch1", "--sample", "3"]), CHAPTER, {})

    def test_sample_is_of_one_program_that_has_enough(self) -> None:
        for seed in range(1, 6):
            chosen = choose(parse(["ch1", "--sample", "3", "--seed", str(seed)]), CHAPTER, ALL)
            self.assertEqual(list(chosen), [B])
            self.assertEqual(len(chosen[B]), 3)
            self.assertLessEqual(set(chosen[B]), set(ALL[B]))

    def test_sample_is_the_same_each_time(self) -> None:
        first, second = (choose(parse(["ch1", "--sample", "3"]), CHAPTER, ALL) for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, choose(parse(["ch1", "--sample", "3", "--seed", "2"]), CHAPTER, ALL))

    def test_larger_sample_than_there_are_mutants(self) -> None:
        chosen = choose(parse(["ch1", "--sample", "1000"]), CHAPTER, ALL)
        self.assertEqual([ALL[program] for program in chosen], list(chosen.values()))

    def test_table_is_for_a_chapter(self) -> None:
        for arguments, named in ((["a", "--table", "x"], A), (["ch1", "--sample", "3", "--table", "x"], CHAPTER)):
            with self.assertRaisesRegex(UsageError, "--table is for all mutants of a chapter"):
                choose(parse(arguments), named, ALL)


if __name__ == "__main__":
    unittest.main()
