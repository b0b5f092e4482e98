"""`./workbook run --data`, on a data set of two items and a program that is a shell script."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import time

from support import ROOT, FakeWorkbook, FolderTest

from cli.data_sets import find_data_set, write_data_set

_LISTS = "add_chapter(ch9_embedding)\n"
_PAUSED = """
trap 'echo kept; exit 130' INT
echo begun
while true; do sleep 0.05; done
"""


class DataTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.source = self.write("chapters/ch9_embedding/data/digits.txt", f"# about\n{'A' * 63}Q7\n{'B' * 64}0\n")
        self.write("chapters/ch9_embedding/CMakeLists.txt", _LISTS)
        for name in ("naive", "device_loop"):
            self.write_program(f"ch9_embedding_{name}", f'echo "{name} ran with $*"')
        for name, needs in (("01_naive", ""), ("05_device_loop", ""), ("06_graph", "// Requires: a GPU\n")):
            self.write(f"chapters/ch9_embedding/{name}.cu", f"// A stage\n{needs}")

    def test_lists_the_data_sets(self) -> None:
        self.assertIn("digits  1797 handwritten digits", self.workbook("run", "--data").stdout)

    def test_writes_vectors_and_labels(self) -> None:
        result = self.ends(0, "data", "digits")
        self.assertEqual(result.stderr, "./workbook data is now called ./workbook run --data.\n")
        lines = (self.root / "data/digits.csv").read_text().splitlines()
        self.assertEqual(lines[0].split(",")[63], "pixel63")
        self.assertEqual(lines[1:], [",".join(["0"] * 63 + ["16"]), ",".join(["1"] * 64)])
        self.assertEqual((self.root / "data/digits_labels.csv").read_text(), "label\n7\n0\n")

    def test_another_folder(self) -> None:
        folder = self.root / "a/b"
        self.ends(0, "run", "--data", "digits", "--output", str(folder))
        self.assertTrue((folder / "digits.csv").exists())
        result = self.workbook("run", "--output", str(folder), "--data", "digits", "ch9_embedding")
        self.assertIn(f"--input {folder}/digits.csv", result.stdout)
        self.assertIn(f"--output {folder}\n", result.stdout)

    def test_output_without_data(self) -> None:
        result = self.ends(2, "run", "ch9_embedding", "--output", "a")
        self.assertIn("follow --: ./workbook run ch9_embedding -- --output a\n", result.stderr)

    def test_unknown_names_and_folders_that_cannot_be_written(self) -> None:
        result = self.ends(2, "run", "--data", "letters")
        self.assertIn("There is no data set 'letters'. The data sets are: digits.", result.stderr)
        result = self.ends(1, "run", "--data", "digits", "--output", "/proc/nowhere")
        self.assertIn("/proc/nowhere cannot be written:", result.stderr)

    def test_damaged_data_are_refused(self) -> None:
        for text in ("", "AAA7\n", f"{'a' * 64}7\n", f"{'A' * 64}x\n", f"{'A' * 64}\n", "\u00e9\n"):
            with self.subTest(text):
                self.source.write_text(text, encoding="utf-8")
                self.assertIn("git checkout --", self.ends(1, "run", "--data", "digits").stderr)

    def test_run_uses_the_last_stage_that_runs_here(self) -> None:
        result = self.ends(0, "run", "ch9_embedding", "--data", "digits", "--", "--iterations", "5")
        data = self.root / "data"
        files = f"--input {data}/digits.csv --labels {data}/digits_labels.csv --output {data}"
        self.assertIn(f"device_loop ran with {files} --iterations 5", result.stdout)

    def test_run_uses_the_named_stage_and_folder(self) -> None:
        result = self.workbook("run", "ch9_embedding_naive", "--data", "digits", "--", "--output=elsewhere")
        self.assertIn("naive ran with", result.stdout)
        self.assertEqual(result.stdout.count("--output"), 1)

    def test_run_refuses_programs_without_data(self) -> None:
        for target in ("ch3_transpose", "ch3_transpose_naive"):
            result = self.ends(2, "run", target, "--data", "digits")
            self.assertIn("--data digits is for ch9_embedding or one of its stages", result.stderr)
        self.assertEqual(self.workbook("run", "ch9_embedding_graph", "--data", "digits").returncode, 3)

    def test_ctrl_c_is_left_to_the_program(self) -> None:
        self.write_program("ch9_embedding_device_loop", _PAUSED)
        with subprocess.Popen(
            [str(self.root / "workbook"), "run", "ch9_embedding", "--data", "digits"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "WORKBOOK_NO_INSTALL": "1"},
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line == "begun\n":
                    break
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("kept", output)


class DigitsTest(FolderTest):
    def test_the_data_are_complete(self) -> None:
        files = write_data_set(find_data_set("digits"), ROOT, self.folder)
        with files.vectors.open(encoding="ascii") as lines:
            rows = list(csv.reader(lines))[1:]
        labels = files.labels.read_text(encoding="ascii").split()[1:]
        self.assertEqual(len(rows), 1797)
        self.assertEqual({len(row) for row in rows}, {64})
        pixels = [int(pixel) for row in rows for pixel in row]
        self.assertEqual((min(pixels), max(pixels), sum(pixels)), (0, 16, 561718))
        counts = [labels.count(str(digit)) for digit in range(10)]
        self.assertEqual(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180])
