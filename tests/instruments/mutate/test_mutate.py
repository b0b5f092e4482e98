"""The mutants of each operator, their trial, the survivors' explanations, and the mutants that a command line selects.

In a trial the compiler, the linker and the programs are shell scripts. A mutant's text is a script too; the rewriter's
own lines are comments in it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:1] = [str(ROOT / folder) for folder in ("tests/instruments", "common", "common/simulator/translate", "plots")]

from cli.building.command_lines import Command
from cli.catalogue import Chapter, Program
from cli.chapter_files import ChapterFiles
from cli.errors import UsageError, WorkbookError
from cli.measuring.claims import Claim
from mutate.operators import OPERATORS, Mutant, mutants_of
from mutate.results import Results
from mutate.runner import Mutants, choose, judge, parse, try_mutants
from mutate.subject import Subject
from mutate.survivors import Explanation, objections, read_explanations
from mutate.table import as_text, write_row
from mutate.trial import CpuTimes, Fate, Result, cpu_limits, put_on_trial

# Of each operator: a line in a function with the parameters int rows, int cols, and that line in each of its mutants.
MUTANTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "barrier or fence removed": (
        ("__syncthreads();", ";"),
        ("if (x) __syncwarp(mask);", "if (x) ;"),
        ("__threadfence(); tile.sync(); h.sync_all();", "; tile.sync(); h.sync_all();", "__threadfence(); ; h.sync_all();"),
        ("if (__syncthreads_or(x)) return;",),
    ),
    "condition always or never true": (
        ("if (f(a) < b) x = 1;", "if (true) x = 1;", "if (false) x = 1;"),
        ("if constexpr (k) {", "if constexpr (true) {", "if constexpr (false) {"),
        ("f(a, b && c ? d : e);", "f(a, true ? d : e);", "f(a, false ? d : e);"),
    ),
    "part of a condition dropped": (
        ("if (a < 1 && f(b) && c) {", "if ( f(b) && c) {", "if (a < 1  && c) {", "if (a < 1 && f(b) ) {"),
        ("ok = a && b || c;", "ok =  b || c;", "ok =  c;", "ok = a  || c;", "ok = a && b ;"),
        ("auto&& x = f(a);",),
    ),
    "comparison off by one or inverted": (
        ("ok = a < b && c != d;", "ok = a <= b && c != d;", "ok = a < b && c == d;"),
        ("x = static_cast<float>(y);",),
    ),
    "arithmetic operator": (
        ("x = a + b * c;", "x = a - b * c;", "x = a + b + c;"),
        ("x = a / b ^ c << d;", "x = a * b ^ c << d;", "x = a / b | c << d;", "x = a / b ^ c >> d;"),
        ("float* p = &x; x = -a + 0;",),
    ),
    "compound assignment to plain": (
        ("for (; i <= n; i <<= 1) sum += a[i];", "for (; i <= n; i = 1) sum += a[i];", "for (; i <= n; i <<= 1) sum = a[i];"),
    ),
    "axis or component": (
        ("x = blockIdx.y * v[i].w + threadIdx.x;", "x = blockIdx.x * v[i].w + threadIdx.x;", "x = blockIdx.y * v[i].x + threadIdx.x;",
         "x = blockIdx.y * v[i].w + threadIdx.y;"),
        ("v.size = x;",),
    ),
    "indices swapped": (
        ("__shared__ float tile[32][33];", "__shared__ float tile[33][32];"),
        ("x = a[i + 1][j][k] + b[i][i];", "x = a[j][i + 1][k] + b[i][i];", "x = a[i + 1][k][j] + b[i][i];"),
    ),
    "arguments swapped": (
        ("k<true><<<1, 1>>>(rows, cols);", "k<true><<<1, 1>>>(cols, rows);"),
        ("g(rows, unknown); g(rows + 1, cols);",),
        ("const float* p = a; float* q = b; g(p, q);",),
        ("constexpr int kA = 32; constexpr int kB = 32; constexpr int kC = 8; g(kA, kB, kC);",
         "constexpr int kA = 32; constexpr int kB = 32; constexpr int kC = 8; g(kA, kC, kB);"),
    ),
    "parameter of the same type": (("x = rows * n.cols;", "x = cols * n.cols;"),),
    "constant one more, one less": (
        ("x32 = a[0];", "x32 = a[1];", "x32 = a[-1];"),
        ("x = 1'000;", "x = (1'000 + 1);", "x = (1'000 - 1);"),
        ("x = 1.5e-3f;", "x = (1.5e-3f + 1);", "x = (1.5e-3f - 1);"),
        ("k<<<grid, block, 0, stream>>>(x);",),
        ("k<<<grid, 0, n>>>(x);", "k<<<grid, 1, n>>>(x);", "k<<<grid, -1, n>>>(x);"),
        ("k<<<grid, block, n + 0>>>(x);", "k<<<grid, block, n + 1>>>(x);", "k<<<grid, block, n + -1>>>(x);"),
    ),
    "one loop iteration more or less": (
        ("for (int i = 0; i < n; ++i) {", "for (int i = 0; i < n + 1; ++i) {", "for (int i = 0; i < n - 1; ++i) {"),
        ("for (int i = a; i < n && ok; i += 2 * s) {", "for (int i = a; i < n + (2 * s) && ok; i += 2 * s) {",
         "for (int i = a; i < n - (2 * s) && ok; i += 2 * s) {"),
        ("for (int i = 0; i < 8; ++i) {",),
        ("for (const float x : all) {",),
    ),
    "statement dropped": (
        ("if (a) *p = b; else ++n;", "if (a) ; else ++n;", "if (a) *p = b; else ;"),
        ("store<true>(out, a); k<<<grid, block>>>(a);", "; k<<<grid, block>>>(a);", "store<true>(out, a); ;"),
        ("if (a) return;", "if (a) ;"),
        ("int i = 0; dim3 block(1, 2); float4 v = {}; const float* p = a; T x; return x; __syncthreads();",),
    ),
}  # fmt: skip


def in_function(body: str) -> str:
    return f"__global__ void f(int rows, int cols) {{\n{body}\n}}\n"


class OperatorsTest(unittest.TestCase):
    def test_mutants_of_each_operator(self) -> None:
        self.assertEqual(MUTANTS.keys(), OPERATORS.keys())
        for operator, lines in MUTANTS.items():
            for code, *mutated in lines:
                with self.subTest(operator, code=code):
                    found = [one for one in mutants_of("a.cu", in_function(code)) if one.operator == operator]
                    self.assertEqual([one.text.split("\n")[1].rstrip() for one in found], mutated)

    def test_text_that_is_not_code_stays(self) -> None:
        text = '#include <a + b>\n#define TWICE(x) \\\n  x + 2\n// a + 1\n/* if (a < b) f(); */\nconst char* t = "1 + 2", c = \'1\';\n'
        self.assertEqual(mutants_of("a.cu", f"{text}static_assert(kTile == 8);\n"), [])

    def test_bounds_of_the_check(self) -> None:
        for name, lines in (("float_error_bound", {4}), ("sum_order", {4}), ("accuracy", {4}), ("error_bounds", {1, 2, 4})):
            text = f"double {name}(int n, int m = 3) {{\n  return n > 1 ? 2 * n : m;\n}}\nint after = 1;\n"
            self.assertEqual({mutant.line for mutant in mutants_of("a.cu", text)}, lines, name)

    def test_every_mutant_keeps_the_lines_and_differs(self) -> None:
        text = in_function("for (int i = 0; i < 2 + 2; i += 2) {\n  if (i < cols &&\n      i != 7) {\n    a[i] = f(rows,  // x\n cols);\n}}")
        found = mutants_of("a.cu", text)
        self.assertEqual({mutant.text.count("\n") for mutant in found}, {text.count("\n")})
        self.assertEqual(len({mutant.text for mutant in found} | {text}), len(found) + 1)
        self.assertEqual(len({mutant.name for mutant in found}), len(found))
        self.assertIn("a.cu:2: 2 became 3 (2 on this line)", {mutant.name for mutant in found})


A, B = mutants_of("01_a.cu", "int x = 1;\n")
C = mutants_of("02_b.cu", "\nint x = 1;\n")[0]


def explain(files: str, mutation: str = "1 became 2") -> Explanation:
    return Explanation(files, "int x = 1;", mutation, "the same", "a.csv:2")


class SurvivorsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "a.csv"

    def test_explanations(self) -> None:
        for survived, explanations, message in (
            ({A: True, C: True}, [explain("0?_*.cu")], ""),
            ({B: False}, [explain("*.cu")], ""),  # those were not tried
            ({A: True}, [], "01_a.cu:1: 1 became 2 survived, but no row explains it:\n  int x = 2;\n  01_a.cu,int x = 1;,1 became 2,"),
            ({A: True, C: False}, [explain("*.cu")], "a.csv:2 explains 02_b.cu:2: 1 became 2, which did not survive."),
            ({B: False}, [explain("*.cu", "1 became 7")], "a.csv:2 explains a mutant that does not exist: 1 became 7"),
            ({A: True}, [explain("01_a.cu"), explain("*")], "explains 01_a.cu:1: 1 became 2, but an earlier row explains it too."),
        ):
            with self.subTest(message):
                found = objections([A, B, C], survived, explanations)
                self.assertEqual(len(found), bool(message))
                self.assertIn(message, "".join(found))

    def test_a_row_that_is_not_complete(self) -> None:
        self.assertEqual(read_explanations(self.file), [])
        for text, message in (
            ("files,code,mutation,reason\n*.cu,x,1 became 2,\n", "a.csv:2: a row must have 4 fields"),
            ("files,code,mutation,reason\n*.cu,x,1 became 2,a,b\n", "a.csv:2: a row must have 4 fields"),
            ("code,mutation,reason\n", "the first line must be files,code,mutation,reason"),
        ):
            self.file.write_text(text)
            with self.assertRaisesRegex(WorkbookError, message):
                read_explanations(self.file)

    def test_the_same_code_needs_no_explanation_but_can_have_one(self) -> None:
        for rows in ("", "01_a.cu,int x = 1;,1 became 2,the same\n"):
            self.file.write_text(f"files,code,mutation,reason\n{rows}")
            self.assertEqual(judge([A, B], {A: Result(Fate.SAME, ""), B: Result(Fate.TESTS, "")}, self.file), [])

    def test_too_many_survivors(self) -> None:
        mutants = mutants_of("a.cu", "\n".join(f"int x{i} = 1;" for i in range(50)))  # 100
        rows = [f"{m.file},{m.code},{m.mutation},the same" for m in mutants[:3]]
        for survivors, expected in ((2, []), (3, ["3.0% of the mutants survive; more than 2% are too many."])):
            self.file.write_text("\n".join(["files,code,mutation,reason", *rows[:survivors]]))
            results = {one: Result(Fate.SURVIVED if i < survivors else Fate.TESTS, "") for i, one in enumerate(mutants)}
            self.assertEqual(judge(mutants, results, self.file), expected)
        self.assertEqual(judge(mutants, {mutants[0]: Result(Fate.SURVIVED, "")}, self.file), [])  # a sample

    def test_tables(self) -> None:
        results = {A: Result(Fate.TESTS, ""), B: Result(Fate.CLAIMS, ""), C: Result(Fate.SURVIVED, "")}
        self.assertEqual(as_text(results).splitlines()[-1].split(), ["all", "3", "1", "1", "0", "1", "0", "0"])
        with self.assertRaisesRegex(WorkbookError, "a.csv"):
            write_row(self.file, "ch1_a", results)
        self.file.write_text("Before.\n<!-- mutants:begin -->\n<!-- mutants:end -->\nAfter.\n")
        for chapter, fate in (("ch2_b", Fate.SURVIVED), ("ch1_a", Fate.STOPPED), ("ch2_b", Fate.TESTS)):
            write_row(self.file, chapter, {A: Result(fate, "")})
        rows = [line for line in self.file.read_text().splitlines() if line.startswith("| ch")]
        self.assertEqual(rows[1:], ["| ch1_a | 1 | 0 | 0 | 1 | 0 | 0 | 0 |", "| ch2_b | 1 | 1 | 0 | 0 | 0 | 0 | 0 |"])


class ChoiceTest(unittest.TestCase):
    def test_choices(self) -> None:
        def program(name: str, constants: int) -> tuple[Program, Mutants]:
            made = Program(name, "ch1", Path(f"{name}.cu"), "stage")
            return made, {made: mutants_of(f"{name}.cu", "".join(f"int x{i} = 1;\n" for i in range(constants)))}

        (a, of_a), (b, of_b) = program("a", 1), program("b", 10)
        chapter, every = Chapter(ChapterFiles(Path(), "ch1"), (a, b)), {**of_a, **of_b}
        self.assertEqual(choose(parse(["ch1"]), chapter, every), every)
        self.assertEqual(choose(parse(["a"]), a, every), of_a)
        one, other = (choose(parse(["ch1", "--sample", "3"]), chapter, every) for _ in range(2))
        self.assertEqual((one, [*one], len(one[b])), (other, [b], 3))  # a has only two
        for arguments, named, mutants, message in (
            (["a"], a, of_b, "a cannot be mutated"),
            (["ch1"], chapter, {}, "ch1 has no mutants"),
            (["a", "--table", "x"], a, every, "--table is for all mutants of a chapter"),
            (["ch1", "--sample", "3", "--table", "x"], chapter, every, "--table is for all mutants of a chapter"),
        ):
            with self.assertRaisesRegex(UsageError, message):
                choose(parse(arguments), named, mutants)


_COMPILE = """\
while [ "$1" != -o ]; do source=$1; shift; done
if grep -q SYNTAX "$source"; then echo "a.cu:3:1: error: expected ';'"; exit 1; fi
if grep -q DISK "$source"; then echo "No space left on device"; exit 1; fi
grep -v "^$" "$source" > "$2"
"""
# The program has one test, which passes if the appended script ends with 0.
_LINK = """\
while [ "$1" != -o ]; do object=$1; shift; done
cat > "$2" <<'END'
#!/bin/sh
finish() {
  [ $? = 0 ] || failures='"failures": [{"failure": "wrong"}],'
  test='{'$failures'"name": "Works/2x3", "result": "COMPLETED"}'
  results='{"testsuites": [{"name": "Matrix", "testsuite": ['$test']}]}'
  [ -z "$GTEST_OUTPUT" ] || echo "$results" > "${GTEST_OUTPUT#json:}"
}
trap finish EXIT
END
cat "$object" >> "$2"
chmod +x "$2"
"""
_ACCESS = {"file": "a.cu", "line": 1, "column": 1, "memory": "global", "operation": "load", "bytes_per_lane": 4, "requests": 10,
           "lanes": 320, "sectors": 40}  # fmt: skip
_KERNEL = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [320, 1, 1], "static_shared_bytes": 0, "dynamic_shared_bytes": 0,
           "blocks": 1, "threads": 320, "barriers": 0, "accesses": [_ACCESS]}  # fmt: skip
_REPORT = json.dumps({"schema": 1, "device": "", "kernels": [_KERNEL], "findings": []})
_COUNTS = f'[ -z "$CUDA_SIMULATOR_REPORT" ] || echo \'{_REPORT}\' > $CUDA_SIMULATOR_REPORT\n'
_FAILS, _ENDLESS = "exit 1\n", "while :; do :; done\n"
_TEST = "Matrix.Works/2x3"


def claim(sectors: float, memory: str = "global", measure: str = "sectors_per_request") -> Claim:
    return Claim("a", ("--rows", "8"), memory, "load", measure, sectors, 0)


class TrialTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("compile.sh", _COMPILE), ("link.sh", _LINK), ("a.cu", "exit 0\n"), ("a.o", "")):
            (self.folder / name).write_text(text)

    def subject(self, *claims: Claim) -> Subject:
        compiler = Command(("sh", str(self.folder / "compile.sh"), "a.cpp"), self.folder)
        linker = Command(("sh", str(self.folder / "link.sh"), "a.o"), self.folder)
        program = Program("ch1_a", "ch1", self.folder / "a.cu", "stage")
        return Subject(program, compiler, "a.cpp", (self.folder,), linker, linker, "a.o", claims)

    def tried(self, results: Results, *texts: str) -> list[Fate]:
        mutants = [Mutant("a.cu", 1, "statement dropped", f"dropped {text}", "", text) for text in texts]
        return [result.fate for result in try_mutants(self.subject(), mutants, results, jobs=2).values()]

    def test_fates(self) -> None:
        for script, claims, fate, detail in (
            ("exit 0\n", (), Fate.SURVIVED, ""),
            (_FAILS, (), Fate.TESTS, _TEST),
            ("kill -SEGV $$\n", (), Fate.TESTS, "SIGSEGV"),
            ("trap - EXIT; echo '[  PASSED  ] 1 test.'; exit 0\n", (), Fate.TESTS, "the test program ended before its tests did."),
            *((f"[ $CUDA_SIMULATOR_BLOCK_ORDER != {order} ]\n", (), Fate.TESTS, _TEST) for order in ("forward", "reverse", "1")),
            ('[ -z "$GTEST_FILTER$CUDA_SIMULATOR_GLOBAL_RACES" ] && [ $GTEST_FAIL_FAST = 1 ]\n', (), Fate.SURVIVED, ""),
            ("SYNTAX\n", (), Fate.NOT_COMPILED, "a.cu:3:1: error: expected ';'"),
            (_COUNTS, (claim(4),), Fate.SURVIVED, ""),
            (_COUNTS, (claim(5),), Fate.CLAIMS, "global load, sectors_per_request with --rows 8: 4.000, not 5"),
            (_COUNTS, (claim(1, "shared", "conflict_ways"),), Fate.CLAIMS, "shared load, conflict_ways with --rows 8: none, not 1"),
            ('[ -z "$CUDA_SIMULATOR_REPORT" ]\n', (claim(4),), Fate.TESTS, "the program's own check with --rows 8"),
        ):
            settings = {"GTEST_FILTER": "None", "CUDA_SIMULATOR_GLOBAL_RACES": "0"}  # the user's
            with self.subTest(script, claims=claims), unittest.mock.patch.dict("os.environ", settings):
                result = put_on_trial(self.subject(*claims), script, CpuTimes(20.0, 20.0))
                self.assertIs(result.fate, fate, result)
                self.assertIn(detail, result.detail)

    def test_endless_loops(self) -> None:
        traced = f'[ -z "$CUDA_SIMULATOR_REPORT" ] || {_ENDLESS}'
        for script, limits in ((_ENDLESS, CpuTimes(0.2, 20.0)), (traced, CpuTimes(20.0, 0.2))):
            result = put_on_trial(self.subject(claim(4)), script, limits)
            self.assertEqual((result.fate, result.detail), (Fate.STOPPED, "timed out after 0.2 s of CPU time"))
        self.assertEqual(cpu_limits(Result(Fate.SURVIVED, "", CpuTimes(tests_s=1.0, claims_s=3.0))), CpuTimes(7.0, 17.0))

    def test_the_same_code_is_neither_found_nor_survived(self) -> None:
        self.assertEqual(self.tried(Results(self.folder / "r"), "exit 0\n\n", "true\n"), [Fate.SAME, Fate.SURVIVED])

    def test_what_is_not_a_result(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "No space left on device"):
            put_on_trial(self.subject(), "DISK\n", CpuTimes(20.0, 20.0))
        (self.folder / "a.cu").write_text(_FAILS)
        with self.assertRaisesRegex(WorkbookError, f"ch1_a fails without a mutation: found by tests: {_TEST}"):
            self.tried(Results(self.folder / "r"))

    def test_results_are_kept_until_something_changes(self) -> None:
        file, tries = self.folder / "results", self.folder / "tries"
        for _ in range(2):
            self.assertEqual(self.tried(Results(file), f"echo once >> {tries}\n", _FAILS), [Fate.SURVIVED, Fate.TESTS])
            file.write_text(file.read_text() + '{"key": "torn", "fa')  # of an interrupted run
        self.assertEqual(tries.read_text(), "once\n" * 3)  # in each order of the blocks
        (self.folder / "a.o").write_text("// another header")
        self.tried(Results(file), f"echo once >> {tries}\n")
        self.assertEqual(tries.read_text(), "once\n" * 6)


if __name__ == "__main__":
    unittest.main()
