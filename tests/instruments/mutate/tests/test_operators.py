"""The mutants of a text: all that are expected, and no others."""

from __future__ import annotations

import unittest

import support  # noqa: F401  # puts the modules on the path

from mutate.operators import OPERATORS, Mutant, mutants_of


def in_function(body: str, parameters: str = "int rows, int cols") -> str:
    return f"__global__ void f({parameters}) {{\n{body}\n}}\n"


def mutants(operator: str, text: str) -> list[Mutant]:
    assert operator in OPERATORS, operator
    return [mutant for mutant in mutants_of("a.cu", text) if mutant.operator == operator]


class OperatorsTest(unittest.TestCase):
    def assert_becomes(self, operator: str, code: str, *mutated: str) -> None:
        """The mutants of a line in a function are these, apart from white space at its end."""
        found = [mutant.text.split("\n")[1].rstrip() for mutant in mutants(operator, in_function(code))]
        self.assertEqual(found, list(mutated))

    def test_barrier(self) -> None:
        operator = "barrier or fence removed"
        self.assert_becomes(operator, "__syncthreads();", ";")
        self.assert_becomes(operator, "__syncwarp(mask);", ";")
        self.assert_becomes(operator, "__threadfence();", ";")
        self.assert_becomes(operator, "tile.sync();", ";")
        self.assert_becomes(operator, "if (x) __syncthreads();", "if (x) ;")
        self.assert_becomes(operator, "if (__syncthreads_or(x)) return;")
        self.assert_becomes(operator, "f(); g.sync(); h.sync_all();", "f(); ; h.sync_all();")

    def test_a_barrier_is_not_an_ordinary_statement(self) -> None:
        self.assert_becomes("statement dropped", "__syncthreads();")

    def test_condition(self) -> None:
        operator = "condition always or never true"
        self.assert_becomes(operator, "if (a < b) x = 1;", "if (true) x = 1;", "if (false) x = 1;")
        self.assert_becomes(operator, "if (f(a)) return;", "if (true) return;", "if (false) return;")
        self.assert_becomes(operator, "if constexpr (k) {", "if constexpr (true) {", "if constexpr (false) {")
        self.assert_becomes(operator, "x = a && b ? c : d;", "x = true ? c : d;", "x = false ? c : d;")
        self.assert_becomes(operator, "f(a, b ? c : d);", "f(a, true ? c : d);", "f(a, false ? c : d);")

    def test_condition_over_two_lines_keeps_the_line_break(self) -> None:
        text = in_function("if (a &&\n    b)\n  return;")
        first = mutants("condition always or never true", text)[0]
        self.assertEqual(first.text, in_function("if (true\n)\n  return;"))
        self.assertEqual(first.name, "a.cu:2: condition a && b became true")

    def test_part_of_a_condition(self) -> None:
        operator = "part of a condition dropped"
        self.assert_becomes(operator, "if (a && b) {", "if ( b) {", "if (a ) {")
        self.assert_becomes(
            operator, "if (a < 1 && f(b) && c) {", "if ( f(b) && c) {", "if (a < 1  && c) {", "if (a < 1 && f(b) ) {"
        )
        self.assert_becomes(
            operator,
            "ok = a && b || c;",
            "ok =  b || c;",
            "ok =  c;",
            "ok = a  || c;",
            "ok = a && b ;",
        )
        self.assert_becomes(operator, "auto&& x = f(a);")

    def test_comparison(self) -> None:
        operator = "comparison off by one or inverted"
        self.assert_becomes(operator, "if (row < rows) {", "if (row <= rows) {")
        self.assert_becomes(operator, "ok = a == b && c != d;", "ok = a != b && c != d;", "ok = a == b && c == d;")
        self.assert_becomes(operator, "x = static_cast<float>(y);")

    def test_arithmetic(self) -> None:
        operator = "arithmetic operator"
        self.assert_becomes(operator, "x = a + b * c;", "x = a - b * c;", "x = a + b + c;")
        self.assert_becomes(operator, "x = a / b % c;", "x = a * b % c;", "x = a / b / c;")
        self.assert_becomes(operator, "x = a ^ b << c;", "x = a | b << c;", "x = a ^ b >> c;")
        self.assert_becomes(operator, "float* p = &x;")
        self.assert_becomes(operator, "x = -a;")
        self.assert_becomes(operator, "x = a + 0;")

    def test_assignment(self) -> None:
        operator = "compound assignment to plain"
        self.assert_becomes(operator, "sum += a[i];", "sum = a[i];")
        self.assert_becomes(operator, "for (; i < n; i <<= 1) {", "for (; i < n; i = 1) {")
        self.assert_becomes(operator, "ok = a <= b;")

    def test_axis(self) -> None:
        operator = "axis or component"
        self.assert_becomes(operator, "x = threadIdx.x;", "x = threadIdx.y;")
        self.assert_becomes(
            operator, "x = blockIdx.y * blockDim.z;", "x = blockIdx.x * blockDim.z;", "x = blockIdx.y * blockDim.x;"
        )
        self.assert_becomes(operator, "v[i].w = x;", "v[i].x = x;")
        self.assert_becomes(operator, "v.size = x;")

    def test_indices(self) -> None:
        operator = "indices swapped"
        self.assert_becomes(operator, "a[i + 1][j] = 0;", "a[j][i + 1] = 0;")
        self.assert_becomes(operator, "__shared__ float tile[32][33];", "__shared__ float tile[33][32];")
        self.assert_becomes(operator, "x = a[i][j][k];", "x = a[j][i][k];", "x = a[i][k][j];")
        self.assert_becomes(operator, "x = a[i][i] + b[j];")

    def test_arguments(self) -> None:
        operator = "arguments swapped"
        self.assert_becomes(operator, "g(rows, cols);", "g(cols, rows);")
        self.assert_becomes(operator, "k<true><<<1, 1>>>(rows, cols);", "k<true><<<1, 1>>>(cols, rows);")
        self.assert_becomes(operator, "g(rows, unknown);")
        self.assert_becomes(operator, "g(rows + 1, cols);")
        self.assert_becomes(operator, "if (rows, cols) {")

    def test_arguments_of_one_type(self) -> None:
        operator = "arguments swapped"
        text = in_function("g(in, out);\ng(out, more);", "const float* in, float* out, float* __restrict__ more")
        self.assertEqual([mutant.name for mutant in mutants(operator, text)], ["a.cu:3: swapped out and more"])
        launch = "const dim3 grid(2), block(3);\nconst dim3 other(4);\nk<<<grid, other, 0, stream>>>(x);"
        self.assertEqual(
            [mutant.name for mutant in mutants(operator, in_function(launch))], ["a.cu:4: swapped grid and other"]
        )

    def test_arguments_of_one_value(self) -> None:
        text = "constexpr int kA = 32;\nconstexpr int kB = 32;\nconstexpr int kC = 8;\n" + in_function(
            "const dim3 block(kA, kB, kC);"
        )
        self.assertEqual([mutant.name for mutant in mutants("arguments swapped", text)], ["a.cu:5: swapped kB and kC"])

    def test_parameter(self) -> None:
        operator = "parameter of the same type"
        self.assert_becomes(operator, "x = rows * n.cols;", "x = cols * n.cols;")
        text = in_function("x = a + b + c + d;", "int a, const int b, int c = 3, float d")
        self.assertEqual(
            [mutant.mutation for mutant in mutants(operator, text)], ["a became b", "b became c", "c became a"]
        )

    def test_parameter_belongs_to_its_function(self) -> None:
        text = in_function("x = a;", "int a, int b") + in_function("x = a;", "int a")
        self.assertEqual([mutant.line for mutant in mutants("parameter of the same type", text)], [2])

    def test_constant(self) -> None:
        operator = "constant one more, one less"
        self.assert_becomes(operator, "x = a[0];", "x = a[1];", "x = a[-1];")
        self.assert_becomes(operator, "x = 1'000;", "x = (1'000 + 1);", "x = (1'000 - 1);")
        self.assert_becomes(operator, "x = 0xffu;", "x = (0xffu + 1);", "x = (0xffu - 1);")
        self.assert_becomes(operator, "x = 1.5e-3f;", "x = (1.5e-3f + 1);", "x = (1.5e-3f - 1);")
        self.assert_becomes(operator, "x32 = y_1;")

    def test_no_dynamic_shared_memory(self) -> None:
        operator = "constant one more, one less"
        self.assert_becomes(operator, "k<<<grid, block, 0, stream>>>(x);")
        self.assert_becomes(
            operator, "k<<<grid, 0, 8>>>(x);",
            "k<<<grid, 1, 8>>>(x);", "k<<<grid, -1, 8>>>(x);", "k<<<grid, 0, 9>>>(x);", "k<<<grid, 0, 7>>>(x);",
        )
        self.assert_becomes(
            operator, "k<<<grid, block, n + 0>>>(x, y, 0);",
            "k<<<grid, block, n + 1>>>(x, y, 0);", "k<<<grid, block, n + -1>>>(x, y, 0);",
            "k<<<grid, block, n + 0>>>(x, y, 1);", "k<<<grid, block, n + 0>>>(x, y, -1);",
        )

    def test_same_words_on_one_line_are_numbered(self) -> None:
        found = mutants("constant one more, one less", "int a = 1 + 1;\n")
        self.assertEqual(
            [mutant.name for mutant in found],
            [
                "a.cu:1: 1 became 2",
                "a.cu:1: 1 became 0",
                "a.cu:1: 1 became 2 (2 on this line)",
                "a.cu:1: 1 became 0 (2 on this line)",
            ],
        )

    def test_loop(self) -> None:
        operator = "one loop iteration more or less"
        self.assert_becomes(
            operator,
            "for (int i = 0; i < n; ++i) {",
            "for (int i = 0; i < n + 1; ++i) {",
            "for (int i = 0; i < n - 1; ++i) {",
        )
        self.assert_becomes(
            operator,
            "for (int i = first; i < n && ok; i += 2 * s) {",
            "for (int i = first; i < n + (2 * s) && ok; i += 2 * s) {",
            "for (int i = first; i < n - (2 * s) && ok; i += 2 * s) {",
        )
        self.assert_becomes(operator, "for (int i = 0; i < 4; ++i) {")  # 4 is a constant, which constants() changes to 5 and 3
        self.assert_becomes(operator, "for (const float x : all) {")

    def test_statement(self) -> None:
        operator = "statement dropped"
        self.assert_becomes(operator, "out[i] = a;", ";")
        self.assert_becomes(operator, "if (a) *p = b; else ++n;", "if (a) ; else ++n;", "if (a) *p = b; else ;")
        self.assert_becomes(operator, "store<true>(out, a);", ";")
        self.assert_becomes(operator, "kernel<<<grid, block>>>(a);", ";")
        self.assert_becomes(operator, "return;", ";")
        for declaration in ("int i = 0;", "dim3 block(1, 2);", "float4 v = {};", "const float* p = a;", "T x;"):
            self.assert_becomes(operator, declaration)
        self.assert_becomes(operator, "for (i = 0; i < n; ++i) {")
        self.assert_becomes(operator, "return x;")

    def test_text_that_is_not_code_stays(self) -> None:
        text = (
            "#include <a + b>\n"
            "#define TWICE(x) \\\n"
            "  x + 2\n"
            "// a + 1\n"
            "/* if (a < b) __syncthreads(); */\n"
            'const char* text = "1 + 2";\n'
            "const char c = '1';\n"
            "static_assert(kTile == 8);\n"
        )
        self.assertEqual(mutants_of("a.cu", text), [])

    def test_bounds_of_the_check(self) -> None:
        def lines(name: str) -> list[int]:
            text = f"double {name}(int n, int m = 3) {{\n  return n > 1 ? 2 * n : m;\n}}\nint after = 1;\n"
            return sorted({mutant.line for mutant in mutants_of("a.cu", text)})

        for name in ("error_bound", "float_error_bound", "sum_order", "accuracy"):
            self.assertEqual(lines(name), [4], name)
        for name in ("error_bounds", "terror_bound", "sum_orders", "my_sum_order", "bound"):
            self.assertEqual(lines(name), [1, 2, 4], name)

    def test_a_call_of_a_bound_is_not_a_bound(self) -> None:
        text = in_function("if (error_bound(rows) > 1) {\n  sum_order(cols);\n}")
        self.assertEqual({mutant.line for mutant in mutants_of("a.cu", text)}, {2, 3})

    def test_every_mutant_keeps_the_lines_and_differs(self) -> None:
        text = in_function(
            "for (int i = 0; i < rows; i += 2) {\n  if (i < cols &&\n      i != 7) {\n"
            "    a[i][cols] = f(rows,  // down\n                 cols);\n  }\n  __syncthreads();\n}"
        )
        found = mutants_of("a.cu", text)
        self.assertEqual({mutant.text.count("\n") for mutant in found}, {text.count("\n")})
        self.assertEqual(len({mutant.text for mutant in found} | {text}), len(found) + 1)
        self.assertEqual(len({mutant.name for mutant in found}), len(found))
        swapped = next(mutant for mutant in found if mutant.operator == "arguments swapped")
        self.assertIn("f(cols,  // down\n                 rows);", swapped.text)


if __name__ == "__main__":
    unittest.main()
