"""Counting what ctest ran: a GoogleTest program by its cases, everything else as one."""

from __future__ import annotations


from support import FolderTest

from cli.errors import WorkbookError
from cli.verdicts.ctest import Counts, read_counts

RUN, FAIL, DISABLED = ('status="run"', 'status="fail"', 'status="disabled"')
PASSES, FAILS = ('status="run" result="completed"/>', 'status="run" result="completed"><failure message="wrong"/></testcase>')


class CountsTest(FolderTest):
    def count(self, ctest: dict[str, str], cases: dict[str, list[str]]) -> Counts:
        tests = "".join(f'<testcase name="{name}" {status}/>' for name, status in ctest.items())
        (self.folder / "ctest.xml").write_text(f"<testsuite>{tests}</testsuite>")
        for name, of_program in cases.items():
            text = "".join(f'<testcase name="{number}" {case}' for number, case in enumerate(of_program))
            (self.folder / f"{name}.xml").write_text(f'<testsuites><testsuite name="S">{text}</testsuite></testsuites>')
        return sum(read_counts(self.folder / "ctest.xml", self.folder).values(), Counts())

    def test_cases_of_programs_and_other_tests(self) -> None:
        skipped, not_run = 'status="run" result="skipped"/>', 'status="notrun" result="suppressed"/>'
        several = {"a": RUN, "b": FAIL, "c": RUN, "d": DISABLED}
        for ctest, cases, counts in (
            (several, {"a": [PASSES] * 3, "b": [PASSES, FAILS]}, Counts(passed=5, failed=1, skipped=1)),
            ({"a": RUN}, {"a": [PASSES, skipped, not_run]}, Counts(passed=1, skipped=2)),
            ({"a": FAIL}, {"a": [PASSES]}, Counts(passed=1, failed=1)),  # without a failed case
            ({"e": FAIL}, {}, Counts(failed=1)),
        ):
            with self.subTest(ctest):
                self.assertEqual(self.count(ctest, cases), counts)

    def test_a_test_that_ctest_could_not_start(self) -> None:
        (self.folder / "ctest.xml").write_text(
            '<t><testcase name="a" status="notrun"><skipped message=""/></testcase>'
            '<testcase name="b" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase></t>'
        )
        self.assertEqual(sum(read_counts(self.folder / "ctest.xml", self.folder).values(), Counts()), Counts(failed=1, skipped=1))

    def test_files_that_cannot_be_read(self) -> None:
        with self.assertRaisesRegex(WorkbookError, r"The results in .*a\.xml cannot be read"):
            self.count({"a": RUN}, {"a": []})
        (self.folder / "ctest.xml").write_text("<testsuite>")
        with self.assertRaisesRegex(WorkbookError, "ctest's results cannot be read"):
            read_counts(self.folder / "ctest.xml", self.folder)
