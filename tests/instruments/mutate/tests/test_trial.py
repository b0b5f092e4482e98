"""Mutants that are found, that survive, and that do not compile. The compiler, the linker and the programs are shell
scripts. A mutant's text is a script too; the rewriter's own lines are comments in it.
"""

from __future__ import annotations

import json
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import support  # noqa: F401  # puts the modules on the path

from cli.building.command_lines import Command
from cli.catalogue import Program
from cli.errors import WorkbookError
from cli.measuring.claims import Claim
from mutate.results import Results
from mutate.runner import try_mutants
from mutate.operators import Mutant
from mutate.subject import Subject
from mutate.trial import CpuTimes, Fate, Result, cpu_limits, put_on_trial

_COMPILE = """\
while [ "$1" != -o ]; do source=$1; shift; done
if grep -q SYNTAX "$source"; then echo "a.cu:3:1: error: expected ';'"; exit 1; fi
if grep -q DISK "$source"; then echo "No space left on device"; exit 1; fi
cp "$source" "$2"
"""
_LINK = """\
while [ "$1" != -o ]; do object=$1; shift; done
cat "$(dirname "$0")/googletest.sh" "$object" > "$2"
chmod +x "$2"
"""
# A program of one test, which passes if the appended script ends with 0.
_GOOGLETEST = """\
#!/bin/sh
finish() {
  [ $? = 0 ] || failures='"failures": [{"failure": "wrong"}],'
  test='{'$failures'"name": "Works/2x3", "result": "COMPLETED"}'
  results='{"testsuites": [{"name": "Matrix", "testsuite": ['$test']}]}'
  [ -z "$GTEST_OUTPUT" ] || echo "$results" > "${GTEST_OUTPUT#json:}"
}
trap finish EXIT
"""
_FAILS = "exit 1\n"
_ACCESS = {
    "file": "a.cu",
    "line": 1,
    "column": 1,
    "memory": "global",
    "operation": "load",
    "bytes_per_lane": 4,
    "requests": 10,
    "lanes": 320,
    "sectors": 40,
}
_KERNEL = {
    "name": "k",
    "launches": 1,
    "grid": [1, 1, 1],
    "block": [320, 1, 1],
    "static_shared_bytes": 0,
    "dynamic_shared_bytes": 0,
    "blocks": 1,
    "threads": 320,
    "barriers": 0,
    "accesses": [_ACCESS],
}
_WRITES_REPORT = (
    'if [ -n "$CUDA_SIMULATOR_REPORT" ]; then\n'
    f"echo '{json.dumps({'schema': 1, 'device': '', 'kernels': [_KERNEL], 'findings': []})}' > $CUDA_SIMULATOR_REPORT\n"
    "fi\n"
)


def claim(sectors: float) -> Claim:
    return Claim("a", ("--rows", "8"), "global", "load", "sectors_per_request", sectors, 0)


class TrialTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "compile.sh").write_text(_COMPILE)
        (self.folder / "link.sh").write_text(_LINK)
        (self.folder / "googletest.sh").write_text(_GOOGLETEST)
        (self.folder / "a.cu").write_text("exit 0\n")
        (self.folder / "a.o").write_text("")

    def subject(self, *claims: Claim) -> Subject:
        compiler = Command(("sh", str(self.folder / "compile.sh"), "a.cpp"), self.folder)
        linker = Command(("sh", str(self.folder / "link.sh"), "a.o"), self.folder)
        program = Program("ch1_a", "ch1", self.folder / "a.cu", "stage")
        return Subject(program, compiler, "a.cpp", (self.folder,), linker, linker, "a.o", claims)

    def trial(self, text: str, *claims: Claim, limits: CpuTimes = CpuTimes(20.0, 20.0)) -> Result:
        return put_on_trial(self.subject(*claims), text, limits)

    def assert_fate(self, result: Result, fate: Fate, detail: str) -> None:
        self.assertEqual((result.fate, result.detail), (fate, detail))

    def test_tests_pass(self) -> None:
        self.assert_fate(self.trial("exit 0\n"), Fate.SURVIVED, "")

    def test_failed_test_is_named(self) -> None:
        self.assert_fate(self.trial(_FAILS), Fate.TESTS, "Matrix.Works/2x3")

    def test_crash_is_a_failure(self) -> None:
        result = self.trial("kill -SEGV $$\n")
        self.assertEqual(result.fate, Fate.TESTS)
        self.assertIn("SIGSEGV", result.detail)

    def test_end_before_the_tests_is_a_failure(self) -> None:
        result = self.trial("trap - EXIT; echo '[  PASSED  ] 1 test.'; exit 0\n")
        self.assert_fate(result, Fate.TESTS, "the test program ended before its tests did.")

    def test_every_order_of_the_blocks_is_tried(self) -> None:
        for order in ("forward", "reverse", "1"):
            script = f"if [ $CUDA_SIMULATOR_BLOCK_ORDER = {order} ]; then {_FAILS}fi\n"
            self.assert_fate(self.trial(script), Fate.TESTS, "Matrix.Works/2x3")

    def test_endless_loop_is_found(self) -> None:
        result = self.trial("while :; do :; done\n", limits=CpuTimes(0.2, 20.0))
        self.assert_fate(result, Fate.STOPPED, "timed out after 0.2 s of CPU time")

    def test_claims_have_a_separate_limit(self) -> None:
        script = '[ -z "$CUDA_SIMULATOR_REPORT" ] || while :; do :; done\n'
        result = self.trial(script, claim(4), limits=CpuTimes(20.0, 0.2))
        self.assert_fate(result, Fate.STOPPED, "timed out after 0.2 s of CPU time")
        self.assertLess(result.cpu.tests_s, 0.2)
        self.assertGreater(result.cpu.claims_s, 0.2)

    def test_limits_come_from_the_unchanged_program(self) -> None:
        limits = cpu_limits(Result(Fate.SURVIVED, "", CpuTimes(tests_s=1.0, claims_s=3.0)))
        self.assertEqual(limits, CpuTimes(tests_s=7.0, claims_s=17.0))

    def test_syntax_error_is_neither_found_nor_survived(self) -> None:
        self.assert_fate(self.trial("SYNTAX\n"), Fate.NOT_COMPILED, "a.cu:3:1: error: expected ';'")

    def test_same_code_is_neither_found_nor_survived(self) -> None:
        code = self.trial("exit 0\n").code
        result = put_on_trial(self.subject(), "exit 0\n", CpuTimes(20.0, 20.0), code)
        self.assert_fate(result, Fate.SAME, "")
        result = put_on_trial(self.subject(), "true\n", CpuTimes(20.0, 20.0), code)
        self.assert_fate(result, Fate.SURVIVED, "")

    def test_mutants_are_compared_with_the_original(self) -> None:
        original = (self.folder / "a.cu").read_text()
        fates = try_mutants(self.subject(), [self.mutant(original + "\n")], Results(self.folder / "r.jsonl"), jobs=1)
        self.assertEqual([result.fate for result in fates.values()], [Fate.SURVIVED])
        (self.folder / "compile.sh").write_text(_COMPILE + 'grep -v "^$" "$source" > "$2"\n')  # without empty lines
        fates = try_mutants(self.subject(), [self.mutant(original + "\n")], Results(self.folder / "r.jsonl"), jobs=1)
        self.assertEqual([result.fate for result in fates.values()], [Fate.SAME])

    def test_a_compiler_that_cannot_run_is_not_a_result(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "No space left on device"):
            self.trial("DISK\n")

    def test_a_claim_that_is_true(self) -> None:
        self.assert_fate(self.trial(_WRITES_REPORT, claim(4)), Fate.SURVIVED, "")

    def test_a_claim_that_is_false(self) -> None:
        self.assert_fate(
            self.trial(_WRITES_REPORT, claim(5)),
            Fate.CLAIMS,
            "global load, sectors_per_request with --rows 8: 4.000, not 5",
        )

    def test_a_claim_about_removed_accesses(self) -> None:
        gone = Claim("a", ("--rows", "8"), "shared", "load", "conflict_ways", 1, 0)
        self.assert_fate(
            self.trial(_WRITES_REPORT, gone), Fate.CLAIMS, "shared load, conflict_ways with --rows 8: none, not 1"
        )

    def test_traced_program_that_fails(self) -> None:
        fails_traced = '[ -z "$CUDA_SIMULATOR_REPORT" ]\n'
        self.assert_fate(self.trial(fails_traced, claim(4)), Fate.TESTS, "the program's own check with --rows 8")

    def test_settings_of_the_user_are_ignored(self) -> None:
        with unittest.mock.patch.dict("os.environ", {"GTEST_FILTER": "None", "CUDA_SIMULATOR_GLOBAL_RACES": "0"}):
            result = self.trial('[ -z "$GTEST_FILTER$CUDA_SIMULATOR_GLOBAL_RACES" ] && [ $GTEST_FAIL_FAST = 1 ]\n')
        self.assertEqual(result.fate, Fate.SURVIVED)

    def mutant(self, text: str) -> Mutant:
        return Mutant("a.cu", 1, "statement dropped", f"dropped {text}", "", text)

    def test_results_are_kept_until_something_changes(self) -> None:
        tries = self.folder / "tries"
        mutants = [self.mutant(f"echo once >> {tries}\n"), self.mutant(_FAILS)]
        for _ in range(2):
            results = Results(self.folder / "results.jsonl")
            fates = try_mutants(self.subject(), mutants, results, jobs=2)
            self.assertEqual([fates[mutant].fate for mutant in mutants], [Fate.SURVIVED, Fate.TESTS])
        self.assertEqual(tries.read_text(), "once\n" * 3)  # in each order of the blocks

        (self.folder / "a.o").write_text("// another header")
        try_mutants(self.subject(), mutants, Results(self.folder / "results.jsonl"), jobs=1)
        self.assertEqual(tries.read_text(), "once\n" * 6)

    def test_torn_line_of_an_interrupted_run(self) -> None:
        file = self.folder / "results.jsonl"
        results = Results(file)
        results.put("whole", Result(Fate.CLAIMS, "a detail", CpuTimes(0.5, 0.25), "c0de"))
        file.write_text(file.read_text() + '{"key": "torn", "fa')
        read = Results(file)
        self.assertEqual(read.get("whole"), Result(Fate.CLAIMS, "a detail", CpuTimes(0.5, 0.25), "c0de"))
        self.assertIsNone(read.get("torn"))

    def test_a_program_that_fails_without_a_mutation(self) -> None:
        (self.folder / "a.cu").write_text(_FAILS)
        with self.assertRaisesRegex(WorkbookError, "ch1_a fails without a mutation: found by tests: Matrix.Works/2x3"):
            try_mutants(self.subject(), [], Results(self.folder / "results.jsonl"), jobs=1)


if __name__ == "__main__":
    unittest.main()
