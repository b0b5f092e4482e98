"""`./workbook inspect --html`: the page, a second program next to it, and usage errors."""

from __future__ import annotations

from stepping.support import recorded, report_text, values_of
from support import FakeWorkbook, access

STEP = [0, 0, 0, 32, 4, 0, 0, 32, 0, 128]
ACCESS = access(25, sectors=32, ideal_sectors=4, max_sectors=32)


class CommandTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.page = self.root / "page.html"
        for name in ("naive", "localmem"):
            self.write(f"{name}.json", report_text([ACCESS], recorded([STEP]), name=f"{name}_kernel"))
            self.write_program(
                f"ch3_transpose_{name}_inspect",
                f'cp "{self.root}/{name}.json" "$CUDA_SIMULATOR_REPORT"; '
                f'echo "$CUDA_SIMULATOR_STEPS $CUDA_SIMULATOR_COLUMNS $*" >>"{self.root}/environment"',
            )

    def test_the_page_and_the_printed_report(self) -> None:
        result = self.ends(0, "inspect", "naive", "--html", str(self.page), "--columns", "7", "--", "--rows", "5")
        self.assertIn(f"The page is in {self.page}. Open it in a browser.", result.stdout)
        self.assertEqual((self.root / "environment").read_text(), "1 7 --rows 5\n")
        (run,) = values_of(self.page)["runs"]
        self.assertEqual(run["program"], "ch3_transpose_naive --rows 5")
        self.assertEqual(run["kernels"][0]["blocks"][0]["steps"], [STEP])
        for line in run["kernels"][0]["totals"]:
            self.assertIn(line, result.stdout)

    def test_without_a_page_no_steps_are_recorded(self) -> None:
        self.assertEqual(self.workbook("inspect", "naive").returncode, 0)
        self.assertEqual((self.root / "environment").read_text(), "  \n")

    def test_a_second_program(self) -> None:
        options = ("--against", "localmem", "--", "--rows", "5")
        result = self.ends(0, "inspect", "naive", "--html", str(self.page), *options)
        self.assertEqual((self.root / "environment").read_text(), "1  --rows 5\n1  --rows 5\n")
        for kernel in ("naive_kernel", "localmem_kernel"):
            self.assertIn(kernel, result.stdout)
        programs = [run["program"] for run in values_of(self.page)["runs"]]
        self.assertEqual(programs, ["ch3_transpose_naive --rows 5", "ch3_transpose_localmem --rows 5"])

    def test_an_error_of_the_second_program_fails(self) -> None:
        self.write("localmem.json", '{"schema": 1, "kernels": [], "findings": []}')
        self.ends(1, "inspect", "naive", "--html", str(self.page), "--against", "localmem")
        self.assertTrue(self.page.exists())

    def test_usage_errors_come_before_the_build(self) -> None:
        for arguments, message in (
            (("--html", "page.txt"), "--html writes a page, FILE.html, not 'page.txt'"),
            (("--html", "/nowhere/page.html"), "--html: there is no folder /nowhere"),
            (("--against", "localmem"), "--against needs a page: add --html page.html"),
        ):
            with self.subTest(arguments):
                result = self.ends(2, "inspect", "naive", *arguments)
                self.assertIn(message, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_an_unknown_second_program(self) -> None:
        result = self.ends(2, "inspect", "naive", "--html", str(self.page), "--against", "nothing_like_it")
        self.assertIn("nothing_like_it", result.stderr)
        self.assertFalse(self.page.exists())
