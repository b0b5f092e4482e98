"""`bench` on a machine whose GPU is a shell script."""

from __future__ import annotations

import csv

from support import FakeWorkbook


class BenchTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("has_gpu", "")
        self.write_tool("nvidia-smi", "echo 'GPU 0: fake'")
        self.write("chapters/ch3_transpose/lesson/bench_sizes.csv", "rows,cols\n2048,2048\n16383,10007\n")
        for position, name in enumerate(("naive", "naive_1024x1", "localmem", "cublas", "copy_simple"), start=1):
            self.write_program(
                f"ch3_transpose_{name}",
                f'echo {name} "$3" >> "{self.root}/order"\n'
                "echo program,rows,cols,median_ms,gb_per_s,copy_gb_per_s,ratio_to_copy,device\n"
                f'echo "ch3_transpose_{name},$3,$5,0.{position},{position}00,1000,0.{position},Fake GPU"',
            )

    def test_interleaved_rounds_and_the_file(self) -> None:
        result = self.ends(0, "bench", "ch3_transpose", "--rounds", "2", WORKBOOK_COMMIT="abc1234")
        order = (self.root / "order").read_text().splitlines()
        names = ["naive", "naive_1024x1", "localmem", "cublas", "copy_simple"]
        one_round = [f"{name} {rows}" for rows in ("2048", "16383") for name in names]
        self.assertEqual(order, one_round * 2)
        with (self.root / "build/results/ch3_transpose.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(len(rows), 20)
        self.assertEqual(list(rows[0])[-3:], ["round", "commit", "date"])
        self.assertEqual((rows[-1]["round"], rows[-1]["commit"], rows[-1]["cols"]), ("2", "abc1234", "10007"))
        self.assertRegex(rows[0]["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertRegex(result.stdout, r"ch3_transpose_localmem +2048 x 2048 +0\.3 +300 +0\.300 +0\.300\.\.0\.300\n")
        self.assertIn("Written to build/results/ch3_transpose.csv", result.stdout)

    def test_an_interrupted_bench_keeps_what_is_measured(self) -> None:
        self.write_program("ch3_transpose_localmem", "kill -TERM $PPID; sleep 1")
        result = self.workbook("bench", "ch3", "--sizes", "64x32", "--rounds", "1")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len((self.root / "build/results/ch3_transpose.csv").read_text().splitlines()), 1 + 2)
        self.assertIn("Round 1 of 1, 64 x 32: ch3_transpose_localmem (3 of 5)\n", result.stdout)

    def test_named_programs_run_in_the_order_of_the_lesson(self) -> None:
        options = ("--programs", "cublas", "ch3_transpose_naive", "--sizes", "64x32", "--rounds", "1")
        self.ends(0, "bench", "ch3", *options)
        self.assertEqual((self.root / "order").read_text().splitlines(), ["naive 64", "cublas 64"])

    def test_a_program_with_a_ceiling_of_its_own(self) -> None:
        self.write_program(
            "ch3_transpose_localmem",
            "echo program,rows,cols,median_ms,gb_per_s,once_gb_per_s,ratio_to_once,device\n"
            'echo "ch3_transpose_localmem,$3,$5,0.3,300,600,0.5,Fake GPU"',
        )
        result = self.ends(0, "bench", "ch3", "--sizes", "64x32", "--rounds", "1")
        self.assertRegex(result.stdout, r"_localmem +64 x 32 +0\.3 +300 +0\.500 \(ratio_to_once\) +0\.500\.\.0\.500\n")
        with (self.root / "build/results/ch3_transpose.csv").open(newline="") as stream:
            rows = {row["program"]: row for row in csv.DictReader(stream)}
        self.assertEqual(rows["ch3_transpose_localmem"]["ratio_to_copy"], "")
        self.assertEqual(rows["ch3_transpose_naive"]["ratio_to_once"], "")

    def test_a_program_without_a_time(self) -> None:
        result = self.ends(2, "bench", "ch3", "--programs", "ch3_ex2")
        self.assertIn("ch3_ex2 is not a program of ch3_transpose that measures a time.", result.stderr)

    def test_one_failing_program_does_not_stop_the_others(self) -> None:
        self.write_program("ch3_transpose_localmem", "echo wrong result; exit 1")
        result = self.ends(1, "bench", "ch3", "--sizes", "64x32", "--rounds", "2", "--output", str(self.root / "o.csv"))
        self.assertEqual(result.stderr.count("wrong result"), 1)
        self.assertIn("Failed: ch3_transpose_localmem at 64 x 32", result.stderr)
        self.assertEqual(len((self.root / "o.csv").read_text().splitlines()), 1 + 2 * 4)

    def test_a_program_that_refuses_a_size_is_left_out(self) -> None:
        self.write_program("ch3_transpose_localmem", "echo only squares; exit 2")
        options = ("--sizes", "64x32", "--rounds", "2")
        self.assertEqual(self.ends(0, "bench", "ch3", *options).stdout.count("Left out: only squares"), 1)
        result = self.ends(1, "bench", "ch3", "--programs", "localmem", *options)
        self.assertIn("No program computes any of these sizes.", result.stderr)

    def test_program_that_prints_no_table(self) -> None:
        self.write_program("ch3_transpose_localmem", "echo hello")
        result = self.ends(1, "bench", "ch3", "--sizes", "64x32", "--rounds", "1")
        self.assertIn("ch3_transpose_localmem printed no table of measurements", result.stderr)

    def test_a_given_build_folder_is_not_built_again(self) -> None:
        self.workbook("run", "ch3")
        (self.root / "order").unlink()
        (self.root / "build").rename(self.root / "other")
        self.ends(0, "bench", "ch3", "--build", "other", "--sizes", "64x32", "--rounds", "1", cwd=self.root)
        self.assertTrue((self.root / "other/results/ch3_transpose.csv").is_file())
        self.assertFalse((self.root / "build").exists())

    def test_bad_size(self) -> None:
        result = self.ends(2, "bench", "ch3", "--sizes", "64")
        self.assertIn("'64' is not a size: write rows x cols as 4096x4096", result.stderr)

    def test_sizes_for_more_gpus_than_the_machine_has(self) -> None:
        self.write("chapters/ch3_transpose/lesson/bench_sizes.csv", "rows,gpus\n64,1\n64,2\n64,4\n")
        self.write_tool("nvidia-smi", "echo 'GPU 0: fake'; echo 'GPU 1: fake'")
        table = 'echo program,rows,gpus,median_ms,device; echo "ch3_transpose_naive,$3,$5,1,Fake GPU"'
        self.write_program("ch3_transpose_naive", table)
        result = self.ends(0, "bench", "ch3", "--programs", "naive", "--rounds", "1")
        self.assertIn("Left out, because there are 2 GPUs: 64 x 4\n", result.stdout)
        rows = (self.root / "build/results/ch3_transpose.csv").read_text().splitlines()[1:]
        self.assertEqual([row.split(",")[2] for row in rows], ["1", "2"])

    def leave_out_cublas(self) -> None:
        """Makes a chapter without a target for a program, as if a library were not installed."""
        (self.root / "programs/ch3_transpose_cublas").unlink()
        self.write("left_out.cmake", 'set(WORKBOOK_LEFT_OUT_ch3_transpose_cublas "cuBLAS is not installed" CACHE INTERNAL "")\n')

    def test_programs_that_the_machine_cannot_build(self) -> None:
        self.leave_out_cublas()
        result = self.ends(0, "bench", "ch3", "--sizes", "64x32", "--rounds", "1")
        self.assertIn("Left out, because cuBLAS is not installed: ch3_transpose_cublas\n", result.stdout)
        names = ["naive", "naive_1024x1", "localmem", "copy_simple"]
        self.assertEqual((self.root / "order").read_text().splitlines(), [f"{name} 64" for name in names])

    def test_named_programs_that_the_machine_cannot_build(self) -> None:
        self.leave_out_cublas()
        result = self.ends(3, "bench", "ch3", "--programs", "naive", "cublas", "--sizes", "64x32")
        self.assertIn("Left out, because cuBLAS is not installed: ch3_transpose_cublas\n", result.stderr)

    def test_the_core_path_next_to_the_h200(self) -> None:
        self.write("docs/course.md", "| ch3_transpose | `01_naive`, `02_localmem` | | `08_cublas` |\n")
        for position, name in enumerate(("naive", "localmem"), start=1):
            self.write_program(
                f"ch3_transpose_{name}",
                "echo program,rows,cols,median_ms,gb_per_s,ratio_to_copy,device\n"
                f'echo "ch3_transpose_{name},64,32,0.{position},{position}00,0.{position},Fake GPU"',
            )
        head = "program,rows,cols,median_ms,gb_per_s,ratio_to_copy\n"
        rows = "ch3_transpose_naive,64,32,1,1,0.12\nch3_transpose_localmem,64,32,1,1,0.5\n"
        self.write("plots/results/nvidia-h200/core.csv", head + rows)
        result = self.ends(0, "bench", "--core")
        self.assertRegex(result.stdout, r"ch3_transpose_naive +64 x 32 +0\.1 +100 GB/s +0\.10 +0\.12\n")
        advice = "Look at these first:\n  ch3_transpose_localmem reaches 0.20 of its ceiling, and 0.50 on the H200.\n"
        self.assertIn(advice, result.stdout)
        self.assertTrue((self.root / "build/results/core.csv").is_file())

    def test_no_stage_of_the_core_path_is_far_below_the_h200(self) -> None:
        self.write("docs/course.md", "| ch3_transpose | `01_naive` | | |\n")
        row = "program,rows,cols,median_ms,ratio_to_copy\nch3_transpose_naive,1,1,1,0.1\n"
        self.write("plots/results/nvidia-h200/core.csv", row)
        self.write_program(
            "ch3_transpose_naive", "echo program,rows,median_ms,ratio_to_copy; echo ch3_transpose_naive,64,1,0.09"
        )
        self.assertIn("No stage is far below the H200's share", self.workbook("bench", "--core").stdout)

    def test_core_takes_no_chapter(self) -> None:
        for words in (["ch3"], ["--sizes", "64x32"], ["--programs", "naive"]):
            self.assertIn("name no chapter, program or size", self.ends(2, "bench", "--core", *words).stderr)
        self.assertEqual(self.workbook("bench").returncode, 2)

    def test_progress_has_the_best_rate(self) -> None:
        self.write_program(
            "ch3_transpose_naive",
            'echo program,rows,cols,median_ms,gb_per_s,device; echo "ch3_transpose_naive,$3,$5,1,$5,Fake GPU"',
        )
        self.workbook("bench", "ch3", "--programs", "naive", "--rounds", "1")
        shown = self.workbook("progress", "ch3").stdout
        self.assertRegex(shown, r"measured on a GPU\n +ch3_transpose_naive +10007 GB/s at 16383 x 10007 on Fake GPU  \d{4}-")

    def test_without_a_gpu(self) -> None:
        self.write_tool("nvidia-smi", "exit 9")
        result = self.ends(3, "bench", "ch3")
        self.assertIn("Speed can only be measured on a GPU", result.stderr)
        self.assertIn("./workbook inspect ch3_transpose_naive", result.stderr)
