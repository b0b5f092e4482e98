"""Hunts: the bug that a seed plants, the messages of the command, and that a hunt can be won."""

from __future__ import annotations

from exercises.support import HuntTest
from support import ROOT, FolderTest, needs_simulator, simulator_tree

from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.errors import UsageError, WorkbookError
from cli.exercises.course import core_programs, current_step, steps
from cli.exercises.hunts import CHOICES, Pool, candidates, hunt_of, open_hunt
from cli.exercises.progress import Progress
from cli.mistakes.spoiling import spoiled_file
from cli.workbook import PROGRESS, Workbook

CORE, ADVANCED = Pool(), Pool(is_advanced=True)
CHAPTERS = ("ch0_machine", "ch1_saxpy", "ch2_subset_sum", "ch3_transpose", "ch4_reduction", "ch5_dot_product", "ch6_matmul")


class ChapterHuntTest(HuntTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "hunt_ch3_transpose.cu"

    def solve_before(self, exercise: str) -> None:
        """Makes this exercise the current one: all earlier exercises of the core path are solved."""
        names = [step.exercise.target for step in steps(self.workbook)]
        lines = [f"{name},solved,2026-01-02,1,0,,0\n" for name in names[: names.index(exercise)]]
        header = "exercise,state,date,checks,hints,failure,answer\n"
        (self.workbook.root / PROGRESS).write_text("".join([header, *lines]), encoding="utf-8")
        step = current_step(steps(self.workbook), Progress(self.workbook.root))
        self.assertEqual(step.exercise.target, exercise)

    def begun(self, *arguments: str) -> str:
        """The program of a hunt with these arguments; ends the hunt."""
        self.run_hunt(*arguments)
        hunt = open_hunt(self.workbook)
        self.run_hunt("--give-up")
        return hunt.program.source.stem

    def test_every_chapter_has_bugs_to_plant_and_each_applies(self) -> None:
        self.assertEqual(candidates("projects", self.workbook), [])
        for chapter in CHAPTERS:
            found = candidates(chapter, self.workbook)
            self.assertGreaterEqual(len(found), 10, chapter)
            for mistake, program in found:
                self.assertFalse(program.needs_gpu)
                self.assertEqual(program.source.name, mistake.spoiled.rpartition("/")[2])
                self.assertEqual(program.kind, "exercise" if chapter == "ch0_machine" else "stage")

    def test_no_core_bug_is_in_a_bound_that_only_an_advanced_page_explains(self) -> None:
        for chapter in CHAPTERS:
            core = core_programs(self.workbook.catalogue.find_chapter(chapter), self.workbook)
            for mistake, program in candidates(chapter, self.workbook):
                if program in core:
                    planted = "\n".join(edit.new for edit in mistake.edits)
                    self.assertNotRegex(planted, r"\bsum_order\(|error_bound\(", mistake.name)

    def test_a_seed_plants_one_bug(self) -> None:
        one, same = (hunt_of("ch3_transpose", 7, CORE, self.workbook) for _ in range(2))
        self.assertEqual((one.mistake.name, one.choices), (same.mistake.name, same.choices))
        names = {hunt_of("ch3_transpose", seed, CORE, self.workbook).mistake.name for seed in range(20)}
        self.assertGreater(len(names), 8)

    def test_the_answer_is_among_different_choices(self) -> None:
        for seed in range(20):
            hunt = hunt_of("ch4_reduction", seed, CORE, self.workbook)
            self.assertEqual(len(set(hunt.choices)), 4)
            self.assertEqual(hunt.choices[hunt.answer - 1], hunt.mistake.words)

    def test_hunts_are_in_core_stages_and_with_the_option_in_the_others(self) -> None:
        core = {"01_naive", "02_localmem", "03_padded", "04_coalesced"}
        self.assertLessEqual({self.begun("ch3", "--seed", str(seed)) for seed in range(30)}, core)
        advanced = {self.begun("ch3", "--advanced", "--seed", str(seed)) for seed in range(30)}
        self.assertEqual(advanced & core, set())
        self.assertIn("07_turned_blocks", advanced)

    def test_hunts_in_the_chapter_of_the_current_exercise_are_in_stages_before_it(self) -> None:
        all_stages = {"01_partial_sums", "02_static_shared", "03_atomic_finish"}
        for exercise, stages in (("ch5_ex4", {"01_partial_sums"}), ("ch5_ex6", all_stages)):
            self.solve_before(exercise)
            self.assertEqual({self.begun("ch5", "--seed", str(seed)) for seed in range(30)}, stages)
        self.assertIn(self.begun("ch4", "--seed", "1"), {"01_atomic", "02_shared_tree", "03_warp_shuffle"})

    def write_course(self, page: str) -> None:
        docs = self.workbook.root / "docs"
        docs.unlink()
        docs.mkdir()
        (docs / "course.md").write_text(page, encoding="utf-8")

    def test_with_few_bugs_the_other_choices_come_from_the_core_path(self) -> None:
        page = (ROOT / "docs/course.md").read_text(encoding="utf-8")
        self.write_course(page.replace("`02_many_blocks`, `ex1_vector_add`", "`ex1_vector_add`, `02_many_blocks`"))
        hunt = hunt_of("ch1_saxpy", 7, Pool(before="ch1_ex1"), self.workbook)
        self.assertEqual(hunt.program.target, "ch1_saxpy_one_block")  # the catalogue has one bug for it
        core = {one.words for one, program in candidates("ch1_saxpy", self.workbook) if program.source.stem < "04"}
        self.assertEqual(len(core & set(hunt.choices)), CHOICES)

    def test_without_a_stage_before_the_current_exercise_it_says_what_to_read(self) -> None:
        self.solve_before("ch3_ex1")
        page = (ROOT / "docs/course.md").read_text(encoding="utf-8")
        self.write_course(page.replace("`01_naive`, `ex1_matrix_sum`", "`ex1_matrix_sum`, `01_naive`"))
        words = "before your current exercise, ch3_ex1.*First read 01_naive.cu and solve ch3_ex1"
        with self.assertRaisesRegex(UsageError, words):
            self.run_hunt("ch3")

    def test_a_chapter_whose_stages_are_all_advanced(self) -> None:
        for chapter in ("ch9", "ch10"):
            with self.assertRaisesRegex(UsageError, f"are all advanced: './workbook hunt {chapter} --advanced'"):
                self.run_hunt(chapter)
            self.assertEqual(self.run_hunt(chapter, "--advanced", "--seed", "7")[0], 0)
            self.run_hunt("--give-up")

    def test_an_answer_of_chapter_0_is_to_an_exercise_that_is_solved(self) -> None:
        with self.assertRaisesRegex(UsageError, "ch0_ex1, is the first. Solve it, then start a hunt: './workbook next'"):
            self.run_hunt("ch0")
        self.solve_before("ch0_ex3")
        answers = {self.begun("ch0", "--seed", str(seed)) for seed in range(20)}
        self.assertEqual(answers, {"ex1_write_the_launch", "ex2_write_the_copies"})

    def test_an_open_hunt_stays_the_same_when_the_learner_goes_on(self) -> None:
        for before, after, arguments in (
            ("ch5_ex4", "ch3_ex1", ("ch5",)),
            ("ch0_ex3", "ch0_ex5", ("ch0",)),
            ("ch5_ex4", "ch0_ex2", ("ch3",)),
            ("ch3_ex1", "ch5_ex4", ("ch3", "--advanced")),
        ):
            with self.subTest(arguments):
                self.solve_before(before)
                self.run_hunt(*arguments, "--seed", "11")
                hunt = open_hunt(self.workbook)
                self.solve_before(after)
                self.assertEqual(open_hunt(self.workbook), hunt)
                self.run_hunt("--give-up")

    def test_the_first_line_names_the_pool(self) -> None:
        for before, arguments, words in (
            ("ch5_ex4", ("ch5",), "core stages before ch5_ex4"),
            ("ch1_ex1", ("ch5",), "core stages"),
            ("ch1_ex1", ("ch5", "--advanced"), "advanced stages"),
            ("ch0_ex3", ("ch0",), "core exercises before ch0_ex3"),
            ("ch1_ex1", ("ch0",), "core exercises"),
        ):
            with self.subTest(words):
                self.solve_before(before)
                self.run_hunt(*arguments, "--seed", "7")
                hunt = open_hunt(self.workbook)
                line = hunt.file.read_text(encoding="utf-8").splitlines()[0]
                self.assertEqual(line, f"// Hunt in {hunt.mistake.chapter}, seed 7, {words}: one bug was put into")
                self.run_hunt("--give-up")

    def test_a_first_line_without_a_pool_means_the_whole_chapter(self) -> None:
        self.file.write_text("// Hunt in ch3_transpose, seed 7: one mistake is in this file\n", encoding="utf-8")
        self.assertEqual(open_hunt(self.workbook), hunt_of("ch3_transpose", 7, None, self.workbook))
        drawn = {hunt_of("ch3_transpose", seed, None, self.workbook).program.source.stem for seed in range(30)}
        self.assertLessEqual({"01_naive", "07_turned_blocks"}, drawn)

    def test_a_first_line_of_an_impossible_hunt(self) -> None:
        for chapter, words in (
            ("ch3_transpose", "core stages before ch3_ex99"),
            ("ch3_transpose", "core stages before ch4_ex1"),
            ("ch9_embedding", "core stages"),
            ("ch0_machine", "advanced exercises"),
        ):
            file = self.workbook.root / f"hunt_{chapter}.cu"
            file.write_text(f"// Hunt in {chapter}, seed 7, {words}: ...\n", encoding="utf-8")
            with self.subTest(words), self.assertRaisesRegex(WorkbookError, f"seed 7, {words}'.*Remove the file"):
                open_hunt(self.workbook)
            file.unlink()

    def test_from_start_to_end(self) -> None:
        code, words = self.run_hunt("ch3", "--seed", "7")
        hunt = open_hunt(self.workbook)
        self.assertEqual((code, hunt.seed), (0, 7))
        self.assertIn(f"hunt_ch3_transpose.cu: stage {hunt.mistake.spoiled}, with a bug (seed 7).", words)
        self.assertEqual(self.run_hunt(is_fixed=False)[0], 1)
        self.assertEqual(self.run_hunt("--answer", str(hunt.answer), is_fixed=False)[0], 1)
        self.assertTrue(self.file.is_file())
        code, words = self.run_hunt()
        self.assertEqual(code, 0)
        for number in range(1, 5):
            self.assertIn(f"\n{number}. ", words)
        wrong = next(number for number in range(1, 5) if number != hunt.answer)
        self.assertEqual(self.run_hunt("--answer", str(wrong))[0], 1)
        self.assertTrue(self.file.is_file())
        code, words = self.run_hunt("--answer", str(hunt.answer))
        self.assertEqual(code, 0)
        self.assertIn("\n-", words)
        self.assertFalse(self.file.exists())

    def test_where_stages_are_whole_programs_the_bug_is_in_an_answer(self) -> None:
        self.solve_before("ch1_ex1")
        code, words = self.run_hunt("ch0", "--seed", "7")
        hunt = open_hunt(self.workbook)
        name = hunt.program.source.name
        self.assertEqual(code, 0)
        self.assertIn(f"hunt_ch0_machine.cu: the answer to {name}, with a bug (seed 7).", words)
        text = (self.workbook.root / "hunt_ch0_machine.cu").read_text(encoding="utf-8")
        self.assertIn(f"\n// the answer to {name}. Fix it, then: ./workbook hunt\n", text)
        self.assertEqual(self.run_hunt("--answer", str(hunt.answer))[0], 0)

    def test_giving_up_shows_the_bug(self) -> None:
        self.run_hunt("ch3", "--seed", "7")
        mistake = open_hunt(self.workbook).mistake
        code, words = self.run_hunt("--give-up", is_fixed=False)
        self.assertEqual(code, 0)
        self.assertIn(mistake.words.split()[0], words)
        self.assertFalse(self.file.exists())

    def test_invalid_arguments(self) -> None:
        for arguments, words in (
            ((), "No hunt is open"),
            (("--answer", "1"), "No hunt is open"),
            (("--seed", "7"), "To start a hunt, name a chapter: './workbook hunt ch3 --seed 7'"),
            (("--advanced",), "To start a hunt, name a chapter: './workbook hunt ch3 --advanced'"),
            (("ch3", "--seed", "-1"), "from 0 to 999999, not -1"),
            (("ch3", "--seed", "1000000"), "from 0 to 999999, not 1000000"),
            (("ch3", "--give-up"), "leave the chapter out"),
            (("ch99",), "no chapter"),
            (("ch0", "--advanced"), "on the core path. './workbook hunt ch0' starts a hunt"),
            (("last_row", "--seed", "7"), "are for a chapter; last_row is one program"),
            (("last_row", "--advanced"), "are for a chapter; last_row is one program"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(UsageError, words):
                self.run_hunt(*arguments)
        self.run_hunt("ch3", "--seed", "7")
        with self.assertRaisesRegex(UsageError, "from 1 to 4, not 5"):
            self.run_hunt("--answer", "5")

    def test_a_first_line_that_is_not_of_a_hunt(self) -> None:
        for text in ("", "// Mine\n", "// Hunt in ch4_reduction, seed 7: ...\n", "\xff\xfe"):
            self.file.write_text(text, encoding="latin-1")
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, "no longer begins with"):
                open_hunt(self.workbook)


@needs_simulator
class RealHuntTest(FolderTest):
    def test_stages_and_exercises_fail_with_the_bug_and_pass_after_the_fix(self) -> None:
        workbook, tree = Workbook(ROOT), simulator_tree()
        for chapter in ("ch1_saxpy", "ch0_machine"):
            hunt = hunt_of(chapter, 3, CORE, workbook)
            build_parts(hunt.program, tree)
            file = self.folder / f"hunt_{chapter}.cu"
            file.write_text(hunt.text(workbook), encoding="utf-8")
            self.assertFalse(check_exercise(hunt.program, workbook, tree, file).passed)
            file.write_text(spoiled_file(hunt.mistake, workbook.root).read_text(encoding="utf-8"), encoding="utf-8")
            result = check_exercise(hunt.program, workbook, tree, file)
            self.assertEqual((result.passed, bool(result.goals)), (True, True), result)
