"""Warnings about products of ints in an index, and about double precision among floats."""

from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "simulator" / "translate"))

from arithmetic import warnings  # noqa: E402
from cuda_source import Source  # noqa: E402

KERNEL = "__global__ void k(const float* in, float* out, double* precise, int rows, int cols, unsigned n, std::size_t m)"


def warned(body: str, before: str = KERNEL) -> list[str]:
    """The text in front of "is a ..." in the warnings about a function with this body."""
    found = warnings(Source(f"{before} {{ {body} }}", "a.cu"))
    return [re.sub(r".*: warning: (.*?) is a .*", r"\1", line) for line in found]


class IntProductTest(unittest.TestCase):
    def test_in_an_index(self) -> None:
        self.assertEqual(warned("const int row = blockIdx.y; out[row * cols + col] = 0;"), ["row * cols"])
        self.assertEqual(warned("out[rows * cols - 1] = 0;"), ["rows * cols"])
        self.assertEqual(warned("unsigned row = 0; out[1 + row * n] = in[n * row];"), ["row * n", "n * row"])

    def test_of_a_variable_that_is_an_index(self) -> None:
        self.assertEqual(warned("int row = 0; const int i = row * cols; out[i + 1] = 0;"), ["row * cols"])
        self.assertEqual(warned("int row = 0; std::size_t i = row * cols; out[i] = 0;"), ["row * cols"])

    def test_of_64_bits_in_a_variable_of_32(self) -> None:
        self.assertEqual(warned("const int i = row * m + col; out[i] = in[i];"), ["i"])
        self.assertEqual(warned("unsigned i = (tile + threadIdx.y) * m + threadIdx.x; out[i + 1] = 0;"), ["i"])
        for body in (
            "const std::size_t i = row * m + col; out[i] = 0;",
            "const int i = row + col; out[i] = 0;",
            "const int i = static_cast<int>(row * m); out[i] = 0;",
            "const int i = row * m / 64; out[i] = 0;",
            "const int last = m - 1; out[last] = 0;",
            "const int area = row * m; if (area > 0) out[0] = 1;",
        ):
            with self.subTest(body):
                self.assertEqual(warned(body), [])

    def test_line_and_column(self) -> None:
        lines = warnings(Source(f"{KERNEL} {{\n  int r = 0;\n  out[r * cols] = 0;\n}}", "my.cu"))
        self.assertEqual([line.split(" r * ")[0] for line in lines], ["my.cu:3:7: warning:"])

    def test_products_that_cannot_overflow(self) -> None:
        for body in (
            "const std::size_t row = blockIdx.y; out[row * cols] = 0;",
            "int row = 0; out[(std::size_t)row * cols] = 0;",
            "int row = 0; out[static_cast<std::size_t>(row) * cols] = 0;",
            "int row = 0; out[std::size_t{1} * row * cols] = 0;",
            "int row = 0; out[row * m] = 0;",
            "const int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = 0;",  # the built-in variables'
            "out[blockIdx.x * rows] = 0;",
            "int row = 0; out[row * kCols] = 0;",
            "int row = 0; const int area = row * cols; if (area > 0) out[0] = area;",  # not an index
            "__shared__ float tile[64]; int row = 0; tile[row * cols] = 0;",
            "int row = 0; // out[row * cols]\n out[row] = 0;",
        ):
            with self.subTest(body):
                self.assertEqual(warned(body), [])

    def test_extents_that_every_launch_states(self) -> None:
        kernel = "__global__ void k(float* out, int rows, int cols) { int row = 0; out[row * cols] = 0; }\n"
        for host, expected in (
            ("int main() { k<<<1, dim3(8, 8)>>>(out, 512, 512); }", []),
            ("const int N = 1 << 10;\nint main() { k<<<1, 1>>>(out, N, N); }", []),
            ("#define N (2 * 512)\nint main() { int n = 100; k<<<1, 1>>>(out, N, n); }", []),
            ("int main() { k<<<1, 1>>>(out, 512, 65536); }", ["row * cols"]),
            ("int main() { k<<<1, 1>>>(out, 512, 512); k<<<1, 1>>>(out, 512, n); }", ["row * cols"]),
            ("int main() { int n = 100; n = atoi(text); k<<<1, 1>>>(out, n, n); }", ["row * cols"]),
            ("int main() { int n = 100; scanf(format, &n); k<<<1, 1>>>(out, n, n); }", ["row * cols"]),
            ("int main() { int n = 8; if (big) { int n = 1 << 20; k<<<1, 1>>>(out, n, n); } }", ["row * cols"]),
            ("int main() { f(); }", ["row * cols"]),
        ):
            with self.subTest(host):
                self.assertEqual(warned("", kernel + host + " void end()"), expected)

    def test_host_code(self) -> None:
        self.assertEqual(warned("int row = 0; out[row * cols] = 0;", KERNEL.replace("__global__ ", "")), [])


class DoubleTest(unittest.TestCase):
    def test_among_floats(self) -> None:
        for body, number in (
            ("out[0] = 2.0 * in[1];", "2.0"),
            ("float x = in[0]; x = x / 3.;", "3."),
            ("float x = in[0]; x *= 0.5 + x;", "0.5"),
            ("out[0] = in[0] + 1e-3;", "1e-3"),
            ("if (rows > 0) out[0] = in[0] - .5;", ".5"),
        ):
            with self.subTest(body):
                self.assertEqual(warned(body), [number])
        self.assertEqual(warned("return 0.5 * x;", "__device__ float half_of(float x)"), ["0.5"])

    def test_where_it_is_intended_or_costs_nothing(self) -> None:
        for body in (
            "out[0] = 2.0f * in[1];",
            "out[0] = 2.0;",
            "const float third = 1.0 / 3.0;",  # computed by the compiler
            "precise[0] = 2.0 * in[1];",
            "double sum = 0; sum += 2.0 * in[1]; out[0] = sum;",
            "out[0] = static_cast<float>(2.0 * static_cast<double>(in[1]));",
            "out[0] = in[1] * 0x1.8p+1f;",
            'printf("2.0 * %g", in[0]);',
        ):
            with self.subTest(body):
                self.assertEqual(warned(body), [])
        self.assertEqual(warned("return 0.5 * x;", "template <typename T> __device__ T half_of(T x)"), [])


class WorkbookTest(unittest.TestCase):
    def test_no_stage_and_no_reference_answer(self) -> None:
        files = [file for folder in ("chapters", "solutions") for file in sorted((ROOT / folder).rglob("*.cu"))]
        self.assertGreater(len(files), 150)
        found = {file.name for file in files if warnings(Source(file.read_text(encoding="utf-8"), str(file)))}
        small = {"ex6_two_dimensions.cu", "ex7_split_channels.cu", "ex7_mandelbrot.cu"}  # by their headers, below 2^31
        self.assertEqual(found, small)


if __name__ == "__main__":
    unittest.main()
