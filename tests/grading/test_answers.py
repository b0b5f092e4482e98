"""Grades answers to one exercise, also wrong and hostile ones, as `./workbook grade` does. test_class_of_sixty.py
grades more of them: starters, races, endless loops, ...

They need WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests.
"""

from __future__ import annotations

import re
import struct
import unittest
import unittest.mock
from pathlib import Path

from class_of_twenty import LAUNCH, SOLUTION, with_code
from support import CASES, LIMITS, FolderTest, built_tree, needs_tree, require_room

from cli.errors import WorkbookError
from cli.running.limited_run import Limits
from grading import judging
from grading.check_result import CheckResult
from grading.hidden_cases import HiddenCases
from grading.judging import Examiner, Grade, nvcc_in_room, try_references
from grading.sandbox import Sandbox
from grading.screening import screening
from grading.submissions import Submission

FORGED_RESULTS = """
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
static void tamper() {
  const char* const output = std::getenv("GTEST_OUTPUT");
  if (!output) return;
  std::ofstream(output + 5) << R"({"testsuites": [)"
      R"({"name": "T", "testsuite": [{"name": "t", "result": "COMPLETED"}]}]})";
  if (FORGES_TRANSCRIPT) std::ofstream(std::getenv("WORKBOOK_TRANSCRIPT")) << std::string(1000, '1');
  _exit(0);
}
"""
PRINTS_PASSED = """
#include <cstdio>
#include <unistd.h>
static void tamper() {
  std::puts("[  PASSED  ] 42 tests.");
  std::fflush(stdout);
  _exit(0);
}
"""


@needs_tree
class AnswersTest(FolderTest):
    """One exercise, with a hidden seed and shape. Each answer is the reference answer with a change."""

    examiner: Examiner

    @classmethod
    def setUpClass(cls) -> None:
        require_room()
        cls.tree = built_tree()
        cls.exercise = cls.tree.workbook.catalogue.find_program("ch3_ex2")
        cls.examiner = Examiner(cls.exercise, cls.tree.workbook, cls.tree, CASES, LIMITS)
        try_references([cls.examiner], 1, 0)

    def grade(self, text: str) -> Grade:
        file = self.put("ex2_swizzled.cu", text)
        return self.examiner.grade(Submission("ada", self.exercise, file))

    def grade_with(self, in_transpose: str, before: str = "") -> Grade:
        self.assertEqual(SOLUTION.count(LAUNCH), 1)
        return self.grade(with_code(in_transpose, before))

    def grade_unscreened(self, before: str) -> Grade:
        """Grades it without the screening."""
        overlooked = {"check_source": lambda *_: None, "check_object": lambda *_: None}
        with unittest.mock.patch.multiple(screening, **overlooked):
            return self.grade_with("tamper();", before)

    def test_the_reference_answer_passes_with_the_hidden_shape_and_windows_line_ends(self) -> None:
        grade = self.grade("\ufeff" + SOLUTION.replace("\n", "\r\n"))
        self.assertEqual(grade.verdict, "passed", grade.text)
        self.assertIn("Operation.MatchesReference/97x131", grade.result.passed_tests)
        self.assertTrue(grade.result.goals and all(goal.is_met for goal in grade.result.goals))

    def test_nvcc_refuses_an_answer_in_its_room(self) -> None:
        nvcc = nvcc_in_room(self.tree.workbook, self.tree, Sandbox, LIMITS)
        if not nvcc:
            self.skipTest("needs an nvcc")
        examiner = Examiner(self.exercise, self.tree.workbook, self.tree, CASES, LIMITS, nvcc=nvcc)
        examiner.reference = self.examiner.reference
        for before, verdict in (("__device__ int kept;", "does not compile"), ("int kept;", "passed")):
            file = self.put("ex2_swizzled.cu", with_code("if (kept == 7) return;", before))
            grade = examiner.grade(Submission("ada", self.exercise, file))
            self.assertEqual(grade.verdict, verdict, grade.text)
            self.assertEqual("Fix ex2_swizzled.cu, line " in grade.text, not grade.passed, grade.text)

    def test_the_room_to_build_contains_no_program_and_no_other_answer(self) -> None:
        room = self.examiner._room_to_build(self.folder)
        folders = (str(self.tree.folder), str(self.tree.workbook.root))
        found = room.run(["find", *folders], self.folder, {}).output.splitlines()
        self.assertIn(str(self.tree.folder / "common/simulator/libcuda_simulator_traced.a"), found)
        others = re.compile(rf"solution|_second|_mistakes|{re.escape(str(self.tree.folder))}/(?:bin|.*_kernels)")
        self.assertEqual([path for path in found if others.search(path)], [])

    def test_an_answer_that_prints_passes(self) -> None:
        grade = self.grade_with('std::cout << "rows: " << rows << std::endl;', "#include <iostream>")
        self.assertEqual(grade.verdict, "passed", grade.text)

    def test_the_host_computes_and_a_kernel_only_one_tile(self) -> None:
        text = SOLUTION.replace("_kernel<<<grid,", "_kernel<<<1,").replace(
            "  const dim3 block(",
            """  std::vector<float> h_in(std::size_t(rows) * cols), h_out(h_in.size());
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaMemcpy(h_in.data(), d_in, h_in.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) h_out[std::size_t(c) * rows + r] = h_in[std::size_t(r) * cols + c];
  CUDA_CHECK(cudaMemcpy(d_out, h_out.data(), h_out.size() * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 block(""",
        )
        text = text.replace("  const dim3 grid(ceil_div(cols, kTileDim) * ceil_div(rows, kTileDim));\n", "")
        grade = self.grade(text.replace('#include "transpose.h"', '#include "transpose.h"\n\n#include <vector>'))
        self.assertEqual(grade.verdict, "computed elsewhere", grade.text)
        # A tile of 32 x 32 floats, loaded and stored, of 1024 x 512.
        self.assertIn("used 8192 bytes of global memory. The reference answer's kernels used 4194304.", grade.text)

    def test_an_answer_without_the_function_does_not_compile(self) -> None:
        grade = self.grade(SOLUTION.replace("void transpose(", "void transposed("))
        self.assertEqual(grade.verdict, "does not compile")
        self.assertIn("it does not define transpose(float const*, float*, int, int,", grade.text)

    def test_an_answer_that_allocates_everything_is_stopped(self) -> None:
        grade = self.grade_with(
            "std::vector<std::vector<char>> all; for (;;) all.emplace_back(1 << 24, 1);", "#include <vector>"
        )
        self.assertEqual(grade.verdict, "stopped at a limit", grade.text)
        self.assertIn("used more than 1 GiB of memory", grade.text)

    def test_an_answer_that_ends_the_program_is_refused(self) -> None:
        at_start = f"{PRINTS_PASSED}static const int started = (tamper(), 0);"
        self.assert_refused(self.grade_with("", at_start), "code that runs before main")
        self.assert_refused(self.grade_with("tamper();", PRINTS_PASSED), r"It calls _exit\(\)")

    def test_an_answer_that_writes_a_file_is_refused(self) -> None:
        target = self.folder / "stolen"
        grade = self.grade_with(f'std::ofstream("{target}") << 1;', "#include <fstream>")
        self.assert_refused(grade, "filebuf|fstream|basic_file")
        self.assertFalse(target.exists())

    def test_a_race_is_found_in_spite_of_inline_functions(self) -> None:
        self.assertEqual(SOLUTION.count("__syncthreads();"), 1)
        # The test's own TearDown() reads the simulator's findings.
        text = SOLUTION.replace("__syncthreads();", "").replace(
            '#include "transpose.h"\n',
            '#include "transpose.h"\nstruct DeviceTest { void TearDown(); };\nvolatile int calls;\n'
            "__attribute__((noinline)) inline void DeviceTest::TearDown() { calls = 1; }\n"
            "void use_it() { DeviceTest().TearDown(); }\n",
        )
        grade = self.grade(text)
        self.assertEqual(grade.verdict, "error found", grade.text)
        self.assertTrue(grade.result.failed_tests, "the race was found while the goals were counted, not by the tests")

    def test_an_answer_that_prints_passed_and_exits_does_not_pass_even_unscreened(self) -> None:
        grade = self.grade_unscreened(PRINTS_PASSED)
        self.assertEqual(grade.verdict, "crashed", grade.text)

    def test_an_answer_that_starts_a_program_does_not_pass_even_unscreened(self) -> None:
        """The program is its own, which is in every room. As another program it would pass."""
        grade = self.grade_unscreened(
            "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
            'static void tamper() { execl("/proc/self/exe", "again", "--gtest_list_tests", nullptr); '
            'std::perror("execl"); std::abort(); }'
        )
        self.assertEqual(grade.verdict, "crashed", grade.text)
        self.assertIn("execl: Operation not permitted", grade.text)

    def test_forged_results_do_not_pass_even_unscreened(self) -> None:
        grade = self.grade_unscreened(FORGED_RESULTS.replace("FORGES_TRANSCRIPT", "false"))
        self.assertEqual(grade.verdict, judging.TAMPERED, grade.text)
        self.assertIn("left no transcript", grade.text)

    def test_a_forged_transcript_does_not_pass_even_unscreened(self) -> None:
        grade = self.grade_unscreened(FORGED_RESULTS.replace("FORGES_TRANSCRIPT", "true"))
        self.assertEqual(grade.verdict, judging.TAMPERED, grade.text)
        self.assertIn("The transcript does not fit the tests", grade.teachers_text)

    def test_the_judge_finds_a_wrong_number(self) -> None:
        judge = self.examiner._judge

        def judge_after_a_change(file: Path, transcripts: list[Path], own: CheckResult) -> str:
            content = bytearray(transcripts[0].read_bytes())
            content[first_array(content)] ^= 1
            transcripts[0].write_bytes(content)
            return judge(file, transcripts, own)

        with unittest.mock.patch.object(self.examiner, "_judge", judge_after_a_change):
            grade = self.grade(SOLUTION)
        self.assertEqual(grade.verdict, judging.TAMPERED, grade.text)
        self.assertIn("fail in the judge's", grade.text)

    def examine_with(self, target: str, shapes: tuple[str, ...]) -> None:
        exercise = self.tree.workbook.catalogue.find_program(target)
        examiner = Examiner(exercise, self.tree.workbook, self.tree, HiddenCases(None, shapes), Limits())
        try_references([examiner], 1, 0)

    def test_the_reference_answer_must_pass_first(self) -> None:
        failed = judging.Grade(Submission("the reference answer", self.exercise, self.folder), judging.REFUSED, "a reason")
        with unittest.mock.patch.object(Examiner, "_grade", return_value=failed):
            with self.assertRaisesRegex(WorkbookError, "(?s)fails with the hidden seed and shapes.*a reason"):
                self.examine_with("ch3_ex2", ("777x3",))

    def test_shapes_that_the_tests_refuse_are_an_error_before_any_answer_is_tried(self) -> None:
        for target, shape, why in (
            ("ch3_ex2", "777", "'777' is not a shape of these tests. A shape is 2 integer"),
            ("project_k_means", "100x0", "'100x0' is not .* k is 0, and must be from 1 to 256."),
            ("project_blur", "9x9x17", "'9x9x17' is not .* radius is 17, and must be from 0 to 16."),
            ("project_monte_carlo", "1", "'1' is not .* n is 1, and must be from 2 to 1000000000."),
        ):
            with unittest.mock.patch.object(Examiner, "_grade") as grade:
                with self.assertRaisesRegex(WorkbookError, f"{target} cannot be graded with these hidden shapes.*{why}"):
                    self.examine_with(target, (shape,))
                grade.assert_not_called()

    def test_shapes_that_no_test_uses_are_an_error(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "The hidden shapes of ch3_ex2 add no test"):
            self.examine_with("ch3_ex2", ("1x1",))

    def assert_refused(self, grade: Grade, reason: str) -> None:
        self.assertEqual(grade.verdict, judging.REFUSED, grade.text)
        self.assertRegex(grade.text, reason)


def first_array(transcript: bytes) -> int:
    """The offset of the first allocated array, the input (transcript_file.h)."""
    head = struct.Struct("<IIIIQQ")
    _, _, _, text_bytes, _, _ = head.unpack_from(transcript)
    return head.size + text_bytes + 8


@needs_tree
class HiddenShapeTest(FolderTest):
    """A hidden shape that is large enough to count goals there."""

    @classmethod
    def setUpClass(cls) -> None:
        require_room()
        tree = built_tree()
        cls.exercise = tree.workbook.catalogue.find_program("ch3_ex2")
        cls.examiner = Examiner(cls.exercise, tree.workbook, tree, HiddenCases(7, ("97x2051",)), LIMITS)
        try_references([cls.examiner], 1, 0)

    def grade(self, text: str) -> Grade:
        return self.examiner.grade(Submission("ada", self.exercise, self.put("ex2_swizzled.cu", text)))

    def test_the_asked_kernel_only_at_the_public_shape_misses_a_goal(self) -> None:
        naive = """
#include "common/ceil_div.h"
#include "common/cuda_check.h"
__global__ void naive_kernel(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row < rows && col < cols) out[std::size_t(col) * rows + row] = in[std::size_t(row) * cols + col];
}"""
        launch = """if (rows != 1024) {
    naive_kernel<<<dim3(ceil_div(cols, 32), ceil_div(rows, 32)), dim3(32, 32), 0, stream>>>(d_in, d_out, rows, cols);
    CUDA_CHECK(cudaGetLastError());
    return;
  }"""
        grade = self.grade(with_code(launch, naive))
        self.assertEqual(grade.verdict, "goal missed", grade.text)
        self.assertTrue(all(goal.is_met for goal in grade.result.goals))
        self.assertIn("global-memory stores: sectors per request: 31.5", grade.teachers_text)
        self.assertNotIn("2051", grade.text)
        self.assertIn("goal missed in a hidden case", grade.text)

    def test_an_answer_that_depends_on_the_data_passes_and_is_flagged(self) -> None:
        store = "tile[r][c ^ r] = in[static_cast<std::size_t>(in_row + i) * cols + in_col];"
        self.assertEqual(SOLUTION.count(store), 1)
        more = "if (__any_sync(__activemask(), tile[r][c ^ r] > 0.99f)) *(volatile float*)&tile[r][c ^ r] = tile[r][c ^ r];"
        grade = self.grade(SOLUTION.replace(store, f"{store}\n      {more}"))
        self.assertEqual(grade.verdict, "passed", grade.text)
        self.assertIn("differ when the blocks run in reverse order or when the data change", grade.teachers_text)
        self.assertNotIn("differ", grade.text)
