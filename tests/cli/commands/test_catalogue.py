from __future__ import annotations

import os
import tempfile
from pathlib import Path

import support

from cli.catalogue import Chapter, read_catalogue
from cli.errors import UsageError, WorkbookError


class CatalogueTest(support.FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.add_chapter("ch3_transpose", support.CHAPTER_LISTS)
        for stage, text in support.CHAPTER_STAGES.items():
            (self.folder / "chapters/ch3_transpose" / stage).write_text(text, encoding="utf-8")
        self.catalogue = read_catalogue(self.folder)

    def add_chapter(self, name: str, lists: str, **stages: str) -> None:
        """`stages`: the text of each, by its name with _NN before: _01_naive, or _blocked__01_naive in a folder."""
        texts = {f"{stage[1:].replace('__', '/')}.cu": text for stage, text in stages.items()}
        for file, text in {"CMakeLists.txt": lists, **texts}.items():
            path = self.folder / "chapters" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def target(self, name: str) -> str:
        found = self.catalogue.find(name)
        return found.name if isinstance(found, Chapter) else found.target

    def programs(self, chapter: str) -> list[str]:
        """Each program of a chapter that is read again: `stage naive`, and what else is true of it."""
        programs = read_catalogue(self.folder).find_chapter(chapter).programs
        return [
            f"{one.kind} {one.target.replace(f'{chapter}_', '')}{' gpu' * one.needs_gpu}{' whole' * one.is_whole}"
            for one in programs
        ]

    def refusal(self, name: str) -> str:
        with self.assertRaises(UsageError) as caught:
            self.catalogue.find(name)
        return str(caught.exception)

    def test_exercises_are_in_the_order_of_their_numbers(self) -> None:
        self.add_chapter(
            "ch1_saxpy",
            "add_chapter(ch1_saxpy EXERCISES ex10_c ex2_b)\nadd_operation(ch1_saxpy add EXERCISES ex1_a)",
        )
        exercises = ["exercise ch1_ex1", "exercise ch1_ex2", "exercise ch1_ex10"]
        self.assertEqual(self.programs("ch1_saxpy")[:3], exercises)

    def test_projects_are_named_after_their_files(self) -> None:
        self.add_chapter("projects", "add_chapter(projects)\nadd_operation(projects blur EXERCISES blur)", _blur="")
        self.catalogue = read_catalogue(self.folder)
        expected = ["exercise project_blur", "solution project_blur_solution", "solution project_blur_second"]
        self.assertEqual(self.programs("projects"), expected)
        files = [program.source.name for program in self.catalogue.chapters[-1].programs]
        self.assertEqual(files, ["blur.cu", "blur.cu", "blur_second.cu"])
        for name in ("project_blur", "blur", "blur.cu", "chapters/projects/blur.cu"):
            self.assertEqual(self.target(name), "project_blur")
        self.assertEqual(self.target("projects"), "projects")
        self.assertIn("Did you mean project_blur?", self.refusal("project_blurr"))

    def test_chapters_are_in_the_order_of_their_numbers(self) -> None:
        for name in ("ch10_many_gpus", "ch1_saxpy"):
            self.add_chapter(name, f"add_chapter({name})", _01_one="")
        chapters = [chapter.name for chapter in read_catalogue(self.folder).chapters]
        self.assertEqual(chapters, ["ch1_saxpy", "ch3_transpose", "ch10_many_gpus"])

    def test_an_operation_whose_name_no_file_can_have(self) -> None:
        self.add_chapter("ch1_saxpy", f"add_chapter(ch1_saxpy)\nadd_operation(ch1_saxpy {'9' * 300})", _01_one="")
        (one,) = read_catalogue(self.folder).find_chapter("ch1").programs
        self.assertEqual(one.target, "ch1_saxpy_one")

    def test_the_stage_that_an_operation_calls(self) -> None:
        lists = "add_chapter(ch1_saxpy)\nadd_operation(ch1_saxpy host CALLS 01_one)"
        self.add_chapter("ch1_saxpy", lists, _01_one="", _host__01_pinned="")
        one, pinned = read_catalogue(self.folder).find_chapter("ch1").programs
        self.assertEqual((one.calls, pinned.calls), (None, one.source))

    def test_a_stage_is_at_the_root_or_a_baseline_or_shared(self) -> None:
        self.add_chapter("ch4_reduction", "add_chapter(ch4_reduction BASELINES copy read_probe cpu_one_core not_yet_written)")
        chapter = self.folder / "chapters/ch4_reduction"
        baselines, shared = chapter / "baselines", self.folder / "common/harness"
        baselines.mkdir()
        (shared / "baselines").mkdir(parents=True)
        one_core = shared / "baselines/cpu_one_core.cpp"
        files = [chapter / "01_own.cu", baselines / "copy.cu", shared / "read_probe.cu", one_core]
        for file in (*files, shared / "01_own.cu"):
            file.write_text("// a kernel, or none\n", encoding="utf-8")
        programs = read_catalogue(self.folder).find("ch4_reduction").programs
        self.assertEqual([program.source for program in programs], [*files, chapter / "not_yet_written.cu"])

    def test_a_whole_program_is_a_stage_in_the_order_of_its_number(self) -> None:
        main = "// A title\n\nint main() {}\n"
        self.add_chapter("ch0_machine", "add_chapter(ch0_machine)", _02_with_main="", _01_one=main, _03_three=main)
        self.assertEqual(self.programs("ch0_machine"), ["stage one whole", "stage with_main", "stage three whole"])

    def test_programs_are_in_the_order_of_the_lesson(self) -> None:
        stages = ["stage naive", "stage naive_1024x1", "stage localmem", "stage cublas gpu"]
        others = ["operation copy_simple", "exercise ch3_ex2", "solution ch3_ex2_solution"]
        self.assertEqual(self.programs("ch3_transpose"), stages + others)

    def test_stages_are_in_the_order_of_their_numbers_whatever_they_need(self) -> None:
        gpu, newer = ("// Title\n//\n// Requires: {}\n\nint x;\n".format(words) for words in ("cuFFT, CUDA 12.0", "compute capability 9.0a"))
        stages = {"_01_a": "", "_04_d": "", "_05_e": gpu, "_02b_b": newer, "_02_c": newer}
        self.add_chapter("ch1_ladder", "add_chapter(ch1_ladder)", **stages)
        # b has a letter after the number: a variant of stage c
        expected = ["stage a", "stage c gpu", "stage b gpu", "stage d", "stage e gpu"]
        self.assertEqual(self.programs("ch1_ladder"), expected)

    def test_a_folder_is_an_operation_or_a_ladder(self) -> None:
        lists = "add_chapter(ch1_ladder LADDERS more)\nadd_operation(ch1_ladder ring)\nadd_operation(ch1_ladder mpi)"
        files = {"_01_a": "", "_more__02_b": "", "_ring__01_c": "", "_ring__02_d": "", "_mpi__01_e": "// T\n// Requires: MPI\n"}
        self.add_chapter("ch1_ladder", lists, **files)
        expected = ["stage a", "stage more_b", "operation ring_c", "operation ring_d"]
        self.assertEqual(self.programs("ch1_ladder"), expected)  # what mpirun starts is in no list
        programs = read_catalogue(self.folder).chapters[0].programs
        self.assertEqual([one.file for one in programs], ["01_a.cu", "more/02_b.cu", "ring/01_c.cu", "ring/02_d.cu"])

    def test_names_that_mean_the_same(self) -> None:
        localmem = self.folder / "chapters/ch3_transpose/02_localmem.cu"
        for target, names in {
            "ch3_transpose": ("ch3_transpose", "ch3", "transpose", "chapters/ch3_transpose", "chapters/ch3_transpose/"),
            "ch3_transpose_localmem": (
                *("ch3_transpose_localmem", "localmem", "02_localmem", "02_localmem.cu", str(localmem)),
                *("chapters/ch3_transpose/02_localmem.cu", os.path.relpath(localmem)),
            ),
            "ch3_ex2": ("ex2", "ex2_swizzled.cu"),
            "ch3_ex2_solution": ("solutions/ch3_transpose/ex2_swizzled.cu",),
        }.items():
            for name in names:
                with self.subTest(name):
                    self.assertEqual(self.target(name), target)
        solution = self.catalogue.find_program("ch3_ex2_solution")
        self.assertEqual(solution.source, self.folder / "solutions/ch3_transpose/ex2_swizzled.cu")

    def test_unknown_names_get_the_nearest_one(self) -> None:
        for name, words in (
            ("ch3_transpose_localmen", "Did you mean ch3_transpose_localmem?"),
            ("nave", "Did you mean ch3_transpose_naive?"),
            ("chapters/ch3_transpose/02_localmen.cu", "Did you mean ch3_transpose_localmem?"),
            ("CH3_EX2", "Did you mean ch3_ex2?"),
            ("ch3_transpose_Naive", "Did you mean ch3_transpose_naive?"),
            ("CH3", "Did you mean ch3?"),
            ("Naive", "Did you mean naive?"),
            ("Ch3_transpose_Nave", "Did you mean ch3_transpose_naive?"),
            ("ch3_ex2_swizzled", "Did you mean ch3_ex2?"),
            ("ex2_swizled.cu", "Did you mean ch3_ex2?"),
            ("ch3_transpose_check", "./workbook test ch3_transpose"),
            ("ch3_transpose_bench", "./workbook bench ch3_transpose"),
        ):
            with self.subTest(name):
                self.assertIn(words, self.refusal(name))
        self.assertEqual(self.refusal("zzz"), "There is no target 'zzz'. './workbook list' shows the chapters.")

    def test_unknown_exercise_gets_those_of_its_chapter(self) -> None:
        self.add_chapter("ch1_saxpy", "add_chapter(ch1_saxpy EXERCISES ex1_a ex2_b ex3_c)")
        self.add_chapter("ch8_tsne", "add_chapter(ch8_tsne EXERCISES ex1_a ex3_c)")
        self.catalogue = read_catalogue(self.folder)
        for name in ("ch1_ex01", "ch1_ex9", "CH1_EX9", "ch1_exercise1", "ch1ex1"):
            with self.subTest(name):
                self.assertIn(f"'{name}'. Chapter 1 has ch1_ex1, ch1_ex2 and ch1_ex3. ", self.refusal(name))
        self.assertIn("'ch3_ex1'. Chapter 3 has ch3_ex2. ", self.refusal("ch3_ex1"))
        self.assertIn("Did you mean ch1_ex2_solution?", self.refusal("ch1_ex2_soluton"))
        self.assertIn("Did you mean ch8_ex1?", self.refusal("ch81_ex1"))

    def test_short_name_in_two_chapters_is_refused(self) -> None:
        self.add_chapter("ch6_matmul", "add_chapter(ch6_matmul)", _01_naive="")
        self.catalogue = read_catalogue(self.folder)
        self.assertEqual(self.refusal("naive"), "'naive' could be: ch3_transpose_naive, ch6_matmul_naive.")
        self.assertEqual(self.target("ch6_matmul_naive"), "ch6_matmul_naive")

    def test_a_whole_chapter_is_not_a_program(self) -> None:
        with self.assertRaisesRegex(UsageError, "whole chapter(.|\n)*ch3_transpose_naive\n"):
            self.catalogue.find_program("ch3_transpose")

    def test_description_is_the_first_comment(self) -> None:
        source = self.folder / "chapters/ch3_transpose/02_localmem.cu"
        source.write_text("// Stage 02: tile in shared memory\n#include <x>\n", encoding="utf-8")
        self.assertEqual(self.catalogue.find_program("localmem").description(), "Stage 02: tile in shared memory")
        self.assertEqual(self.catalogue.find_program("naive_1024x1").description(), "")

    def test_errors_in_the_lists_are_reported(self) -> None:
        self.add_chapter("ch9_wrong", "add_chapter(ch9_wrong EXERCISES swizzled)")
        with self.assertRaisesRegex(WorkbookError, "'swizzled' is not named exN_something"):
            read_catalogue(self.folder)

    def test_no_chapters(self) -> None:
        with tempfile.TemporaryDirectory() as empty, self.assertRaisesRegex(WorkbookError, "no chapters"):
            read_catalogue(Path(empty))
