"""check_core.py, on small stages that break one rule each."""

import tempfile
import unittest
from pathlib import Path

from check_core import MAX_HEADERS, core_stages, index_problems, problems, project_headers, rule_problems, wide_indices

_PLAIN = """\
// Not code: static_cast<int>(blockIdx.x), template, auto [a, b].
#include "topic.h"

constexpr std::size_t kThreads = 256;

__global__ void plain_kernel(const float* in, float* out, std::size_t size) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) out[i] = in[i];
}

void plain(const float* d_in, float* d_out, std::size_t size, void* d_workspace) {
  float* const d_sums = static_cast<float*>(d_workspace);
  const unsigned blocks = ceil_div(size, kThreads);
  plain_kernel<<<blocks, kThreads, kThreads * sizeof(double)>>>(d_in, d_out, size);
}
"""


class RulesTest(unittest.TestCase):
    def assert_found(self, line: str, problem: str, chapter: int = 3) -> None:
        found = rule_problems(chapter, _PLAIN + line)
        self.assertEqual(len(found), 1, found)
        self.assertIn(problem, found[0])

    def test_a_plain_stage(self) -> None:
        self.assertEqual(rule_problems(1, _PLAIN), [])
        self.assertEqual(rule_problems(1, "if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];"), [])

    def test_casts(self) -> None:
        for line, problem in (
            ("out[static_cast<std::size_t>(row) * cols + col] = 0;", "has a cast: static_cast<std::size_t>"),
            ("const int i = static_cast<int>(blockIdx.x * kThreads);", "has a cast: static_cast<int>"),
            ("f(static_cast<unsigned long long>(i));", "has a cast: static_cast<unsigned long long>"),
            ("const std::size_t i = std::size_t{blockIdx.x} * kThreads;", "has a cast by a constructor: std::size_t{"),
            ("out[std::size_t(row) * cols] = 0;", "has a cast by a constructor: std::size_t("),
            ("out[(size_t)row * cols] = 0;", "has a C cast: (size_t)"),
            ("out[(unsigned long long)row * cols] = 0;", "has a C cast: (unsigned long long)"),
            ("out[1LL * row * cols] = 0;", "has a factor that is a cast: 1LL *"),
            ("out[1ull*row * cols] = 0;", "has a factor that is a cast: 1ull*"),
        ):
            with self.subTest(line=line):
                self.assert_found(line, problem)

    def test_a_structured_binding(self) -> None:
        self.assert_found("const auto [m, n, k] = product_shape(a, b, c);", "has a structured binding")

    def test_a_flat_grid(self) -> None:
        self.assert_found("const int col = blockIdx.x % tiles_across * kTileDim;", "divides blockIdx.x %")
        self.assert_found("const int row = blockIdx.x / tiles_across * kTileDim;", "divides blockIdx.x /")

    def test_a_template_before_chapter_6(self) -> None:
        self.assert_found("template <typename T>", "has a template", chapter=5)
        self.assertEqual(rule_problems(6, _PLAIN + "template <typename T>"), [])


class IndexTest(unittest.TestCase):
    def test_block_sizes_of_64_bits(self) -> None:
        self.assertEqual(wide_indices(_PLAIN), ["blockIdx.x * kThreads + threadIdx.x"])
        self.assertEqual(index_problems(_PLAIN), [])

    def test_an_index_that_wraps(self) -> None:
        for constant, line in (
            ("constexpr int kThreads = 256;", "const long long index = blockIdx.x * kThreads + threadIdx.x;"),
            ("constexpr unsigned kThreads = 256;", "const std::size_t i = blockIdx.x * kThreads + threadIdx.x;"),
            ("", "const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;"),
            (
                "constexpr std::size_t kThreads = 256;\nconstexpr int kElements = 1024;",
                "const std::size_t i = blockIdx.x * kElements * kThreads;",
            ),
            (
                "constexpr int kThreads = 256;",
                "for (std::size_t i = threadIdx.x + 0 * gridDim.x; i < size; i += gridDim.x * kThreads) {",
            ),
        ):
            with self.subTest(line=line):
                self.assertEqual(len(index_problems(f"{constant}\n{line}\n")), 1)
                self.assertIn("wraps at 2^32", index_problems(f"{constant}\n{line}\n")[0])

    def test_a_loop_whose_step_is_wide(self) -> None:
        loop = "for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {"
        text = f"constexpr std::size_t kThreads = 256;\n{loop}\n"
        self.assertEqual(wide_indices(text), ["blockIdx.x * kThreads + threadIdx.x", "gridDim.x * kThreads"])
        self.assertEqual(index_problems(text), [])

    def test_an_index_of_32_bits_is_not_tried(self) -> None:
        self.assertEqual(index_problems("const unsigned col = blockIdx.x * kBlockCols + threadIdx.x;\n"), [])

    def test_an_index_that_uses_a_kernel_parameter(self) -> None:
        found = index_problems("const std::size_t i = blockIdx.x * chunk + threadIdx.x;\n")
        self.assertIn("cannot be compiled separately", found[0])


class HeadersTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.chapter = Path(folder.name) / "ch3_a"
        self.chapter.mkdir()
        for number in range(MAX_HEADERS):
            (self.chapter / f"h{number}.h").write_text(f'#include "h{number + 1}.h"\n#include <vector>\n', encoding="utf-8")
        (self.chapter / f"h{MAX_HEADERS}.h").write_text("", encoding="utf-8")

    def test_headers_of_headers_count(self) -> None:
        self.assertEqual(len(project_headers(self.chapter, '#include "h1.h"\n#include "h2.h"\n')), MAX_HEADERS)
        self.assertEqual(problems(self.chapter, '#include "h1.h"\n'), [])
        found = problems(self.chapter, '#include "h0.h"\n')
        self.assertEqual(len(found), 1)
        self.assertIn(f"includes {MAX_HEADERS + 1} headers of the workbook", found[0])

    def test_headers_of_the_root(self) -> None:
        found = project_headers(self.chapter, '#include "common/ceil_div.h"\n')
        self.assertEqual([header.name for header in found], ["ceil_div.h"])


class StagesTest(unittest.TestCase):
    def test_core_stages_of_chapters_1_to_7(self) -> None:
        page = (
            "| ch0_machine | `01_one_program` | C++ | |\n"
            "| ch3_transpose | `01_naive`, `ex1_matrix_sum` | ch1 | `05_swizzled` |\n"
            "| ch8_tsne | | ch6 | all stages, all exercises |\n"
        )
        self.assertEqual([stage.name for stage in core_stages(page)], ["01_naive.cu"])


if __name__ == "__main__":
    unittest.main()
