"""`./workbook test`, through CMake and CTest, on tests that are shell scripts."""

from __future__ import annotations

import os
import subprocess

from support import FakeWorkbook


class SuiteTest(FakeWorkbook):
    def add_tests(self, commands: dict[str, str], **labels: str) -> None:
        """Tests by their names; 77 skips one. The labels, too, are by the names, with _ for a dot."""
        lines = [f"add_test(NAME {name} COMMAND {command})\n" for name, command in commands.items()]
        for name in commands:
            label = labels.get(name.replace(".", "_"), "")
            lines.append(f'set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "{label}")\n')
        self.write("tests.cmake", "".join(lines))

    def counts(self, counts: str, *arguments: str, **how: str) -> subprocess.CompletedProcess[str]:
        """Runs ./workbook test, which must end with these counts: PASSED FAILED SKIPPED."""
        result = self.workbook("test", *arguments, **how)
        passed, failed, skipped = counts.split()
        is_right = failed == "0" and passed != "0"
        words = f"{'✓' if is_right else '✗'} {passed} passed, {failed} failed, {skipped} skipped"
        self.assertEqual((result.stdout.splitlines()[-1], result.returncode), (words, int(not is_right)), result.stderr)
        return result


class TestTest(SuiteTest):
    def test_counts(self) -> None:
        tests = {"good": "true", "other": "true", "skipped": 'sh -c "exit 77"'}
        self.add_tests(tests, good="ch3_transpose", skipped="ch3_transpose")
        self.counts("2 0 1")
        self.assertIn("\n✓ 1 passed, 0 failed, 1 skipped\n", self.workbook("test", "ch3_transpose").stdout)

    def test_a_chapter_builds_no_other_chapter(self) -> None:
        self.add_tests({"good": "true"}, good="ch3_transpose")
        self.ends(0, "test", "ch3")
        self.assertTrue((self.root / "build/tests_of_chapter_3").is_file())
        self.assertFalse((self.root / "build/stage_tests").exists())
        self.ends(0, "test")
        self.assertTrue((self.root / "build/stage_tests").is_file())

    def test_a_stage_alone(self) -> None:
        names = ("naive", "localmem", "copy_simple")
        self.add_tests({name: f"${{CMAKE_BINARY_DIR}}/bin/ch3_transpose_{name}_test --gtest_brief=1" for name in names})
        for name in names:
            self.write_program(f"ch3_transpose_{name}_test", f"echo {name} has run; exit {int(name == 'copy_simple')}")
        self.counts("1 0 0", "naive")
        self.assertFalse((self.root / "build/bin/ch3_transpose_localmem_test").exists())
        self.assertFalse((self.root / "build/tests_of_chapter_3").exists())
        words = self.counts("1 1 0", "ch3_transpose_localmem", "copy_simple", "--fresh").stdout
        self.assertIn("copy_simple has run", words)
        self.assertNotIn("naive has run", words)

    def test_programs_without_tests(self) -> None:
        self.write("chapters/ch3_transpose/09_whole.cu", "int main() {}\n")
        self.assertIn("./workbook test ch3_transpose\n", self.ends(2, "test", "whole").stderr)
        self.assertIn("the simulator does not model", self.ends(3, "test", "cublas").stderr)

    def test_cases_of_a_program_count(self) -> None:
        cases = """<testsuites><testsuite name="S">
            <testcase name="a" status="run" result="completed"/>
            <testcase name="b" status="run" result="completed"><failure message="wrong"/></testcase>
            <testcase name="c" status="run" result="skipped"><skipped message="no GPU"/></testcase>
            <testcase name="d" status="notrun" result="suppressed"/>
            </testsuite></testsuites>"""
        self.write("cases.xml", cases)
        self.write("passes.xml", '<testsuites><testcase name="a" status="run" result="completed"/></testsuites>')
        copy = "sh -c \"mkdir -p test_results && cp '${CMAKE_SOURCE_DIR}/%s.xml' test_results/%s.xml; exit %d\""
        counted, early = copy % ("cases", "counted", 1), copy % ("passes", "ended_early", 3)
        self.add_tests({"good": "true", "counted": counted, "ended_early": early})
        self.write("build/test_results/good.xml", cases)  # of an earlier run
        self.counts("3 2 2")

    def test_failures_and_tests_that_cannot_start(self) -> None:
        self.add_tests({"good": "true", "bad": 'sh -c "echo the reason; exit 1"', "absent": "/nowhere/program"})
        self.assertIn("the reason", self.counts("1 2 0").stdout)

    def test_looks_for_googletest_again(self) -> None:
        self.workbook("run", "naive")
        cache = self.root / "build/CMakeCache.txt"
        cache.write_text(cache.read_text().replace("WORKBOOK_TESTS:UNINITIALIZED=ON", "WORKBOOK_TESTS:BOOL=OFF"))
        self.workbook("test")
        self.assertRegex(cache.read_text(), "WORKBOOK_TESTS:[A-Z]+=ON")

    def test_no_tests_or_only_skipped_ones_are_a_failure(self) -> None:
        self.assertIn("No test ran", self.counts("0 0 0", "ch3").stderr)
        self.add_tests({"skipped": 'sh -c "exit 77"'})
        self.ends(1, "test")

    def test_maintenance_needs_the_option_all(self) -> None:
        tests = {"good": "true", "of_the_tests": "cmake -E cat ${CMAKE_BINARY_DIR}/maintenance"}
        self.add_tests(tests, of_the_tests="mutants;maintenance")
        self.counts("1 0 0")
        self.counts("2 0 0", "--all")

    def test_other_orders_of_the_blocks_need_a_chapter_or_all(self) -> None:
        orders = {f"naive_block_order_{order}": "ch3_transpose;chapter_only" for order in ("reverse", "1")}
        tests = ("naive", "naive.block_order_reverse", "naive.block_order_1")
        self.add_tests(dict.fromkeys(tests, "true"), naive="ch3_transpose", **orders)
        self.assertIn("the blocks in reverse and shuffled: ./workbook test CHAPTER", self.counts("1 0 0").stdout)
        for words in ("ch3", "--all"):
            self.assertNotIn("shuffled", self.counts("3 0 0", words).stdout)

    def test_a_chapter_and_all_contradict_each_other(self) -> None:
        self.assertIn("Give names or --all, not both.", self.ends(2, "test", "ch3", "--all").stderr)


class TestAgainTest(SuiteTest):
    """A test that has passed is not run again until a file that it reads changes."""

    def setUp(self) -> None:
        super().setUp()
        # Each test writes a word per run, so that the runs can be counted.
        self.letters = self.root.parent / f"{self.root.name} letters"
        self.addCleanup(self.letters.unlink, missing_ok=True)
        self.write("common/bad.sh", f"echo bad >> '{self.letters}'; exit 1\n")
        self.write_good("")
        self.add_scripts("good")

    def write_good(self, end: str) -> None:
        self.write("common/good.sh", f"echo good >> '{self.letters}'{end}\n")

    def add_scripts(self, *names: str) -> None:
        self.add_tests({name: f"sh ${{CMAKE_SOURCE_DIR}}/common/{name}.sh" for name in names})

    def ran(self, counts: str = "1 0 0", *options: str, **environment: str) -> str:
        """The tests that ran."""
        self.letters.unlink(missing_ok=True)
        self.counts(counts, *options, **{"CI": "", **environment})  # in CI all tests run
        return " ".join(sorted(self.letters.read_text().split())) if self.letters.exists() else ""

    def test_is_not_run_again_and_counts(self) -> None:
        self.assertEqual([self.ran(), self.ran()], ["good", ""])
        self.assertIn("1 of these were not run again", self.workbook("test", CI="").stdout)

    def test_runs_on_request(self) -> None:
        self.ran()
        for options, environment in ((("--fresh",), {}), (("--all",), {}), ((), {"CI": "1"})):
            with self.subTest(options=options, environment=environment):
                self.assertEqual(self.ran("1 0 0", *options, **environment), "good")

    def test_runs_when_a_file_has_changed(self) -> None:
        self.ran()
        file = self.write("common/read.h", "// one\n")
        self.assertEqual(self.ran(), "good")
        os.utime(file, (1, 1))
        self.assertEqual(self.ran(), "")
        file.write_text("// two\n")
        os.utime(file, (1, 1))
        self.assertEqual(self.ran(), "good")

    def test_a_failure_runs_each_time(self) -> None:
        self.add_scripts("good", "bad")
        self.assertEqual([self.ran("1 1 0"), self.ran("1 1 0")], ["bad good", "bad"])

    def test_a_later_failure_is_reported(self) -> None:
        self.ran()
        self.write_good("; exit 1")
        self.assertEqual([self.ran("0 1 0"), self.ran("0 1 0")], ["good", "good"])

    def test_a_test_whose_files_change_meanwhile_is_not_remembered(self) -> None:
        self.write_good(f"; date +%N > '{self.root}/common/changes'")
        self.assertEqual([self.ran(), self.ran()], ["good", "good"])

    def test_an_unreadable_record_is_ignored(self) -> None:
        self.ran()
        (self.root / "build/CMakeFiles/workbook/passed_tests.json").write_text('{"format": 1, "tests": {"good": 3}}')
        self.assertEqual(self.ran(), "good")
