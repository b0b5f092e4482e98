"""docs/start.ipynb, run from top to bottom by Jupyter's kernel in a fresh clone of the last commit.

Where g++-11 is installed, it is the g++ of that run, and a newer one must be found or installed. The environment with
the kernel is build/jupyter, which this downloads; without a network the run is skipped. WORKBOOK_NOTEBOOK_FOLDER names
a checkout to run in instead of a clone: on a machine with a GPU, the same cells use the GPU.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

import check_editor
from cli.errors import MissingToolError
from cli.machine.python_packages import Packages, has_packages, install_packages, python_of

NOTEBOOK, PAGE, README = ROOT / check_editor.NOTEBOOK, ROOT / "docs/setup.md", ROOT / "README.md"
PACKAGES = Packages(
    "test", "nbclient and ipykernel", ROOT / "build/jupyter", Path(__file__).with_name("notebook_packages.txt"), ""
)

# Runs in the environment: prints a list of [source, all that the cell printed].
_RUNNER = """
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": sys.argv[2]}}).execute()
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
def printed(output):
    return output.get("text", "") + " ".join(output.get("data", {}))
print(json.dumps([[cell.source, "".join(map(printed, cell.outputs))] for cell in cells]))
"""


def cells() -> list[dict[str, object]]:
    loaded: list[dict[str, object]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return loaded


def kernel() -> Path | None:
    """The Python that runs cells; None where it cannot be had."""
    if has_packages(PACKAGES.folder, PACKAGES.requirements):
        return python_of(PACKAGES.folder)
    try:
        return install_packages(PACKAGES, ROOT)
    except MissingToolError:
        return None


class NotebookTest(unittest.TestCase):
    def test_no_output_is_kept(self) -> None:
        for cell in cells():
            self.assertEqual(cell.get("outputs", []), [])
            self.assertIsNone(cell.get("execution_count"))

    def test_commands_and_files_are_there(self) -> None:
        source = "\n".join("".join(cell["source"]) for cell in cells())
        for file in re.findall(r"(?:chapters|solutions)/[\w/]+\.(?:cu|md)", source):
            self.assertTrue((ROOT / file).is_file(), file)

    def test_outside_of_a_clone_it_says_what_to_do(self) -> None:
        first = "".join(next(cell for cell in cells() if cell["cell_type"] == "code")["source"])
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([sys.executable, "-c", first], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("Clone it, and open docs/start.ipynb in the clone.", ended.stderr)


class AddressTest(unittest.TestCase):
    ADDRESS = "https://github.com/someone/cuda-workbook"

    def test_it_comes_into_the_notebook_and_the_pages_and_goes_again(self) -> None:
        before = [file.read_text(encoding="utf-8") for file in (NOTEBOOK, PAGE, README)]
        notebook, page, readme = after = [check_editor.with_address(text, self.ADDRESS) for text in before]
        self.assertIn(f'ADDRESS = "{self.ADDRESS}"', "".join(json.loads(notebook)["cells"][1]["source"]))
        self.assertEqual(page.count(self.ADDRESS.removeprefix("https://github.com/")), 3)
        self.assertIn(f"\ngit clone {self.ADDRESS} workbook\n", readme)
        self.assertEqual([check_editor.with_address(text, "") for text in after], [check_editor.with_address(text, "") for text in before])


class RunTest(unittest.TestCase):
    """One run for all tests: it takes minutes."""

    printed: dict[str, str]
    has_gpu = False

    @classmethod
    def setUpClass(cls) -> None:
        python = kernel()
        if not python:
            raise unittest.SkipTest("nbclient cannot be downloaded")
        folder = tempfile.TemporaryDirectory(prefix="workbook-")
        cls.addClassCleanup(folder.cleanup)
        root = Path(os.environ.get("WORKBOOK_NOTEBOOK_FOLDER") or f"{folder.name}/clone")
        if not root.is_dir():
            subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", str(root)], check=True)
        path = os.environ["PATH"]
        old = shutil.which("g++-11")
        if old:
            (Path(folder.name) / "g++").symlink_to(old)
            path = f"{folder.name}:{path}"
        environment = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1"}
        ended = subprocess.run(
            [str(python), "-c", _RUNNER, str(root / "docs/start.ipynb"), str(root / "docs")],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        cls.printed = dict(json.loads(ended.stdout.splitlines()[-1]))
        cls.has_gpu = "Kernels run on the GPU." in cls.all_of("Kernels run")

    @classmethod
    def all_of(cls, words: str) -> str:
        """What the cell with these words printed."""
        return next(printed for source, printed in cls.printed.items() if words in source)

    def test_the_first_program(self) -> None:
        self.assertIn("2 * 3 = 6", self.all_of("run ch0_machine_one_program"))

    def test_counts_by_line(self) -> None:
        self.assertIn("far_apart_kernel", self.all_of("!./workbook inspect ch0_machine_sectors"))

    def test_the_picture(self) -> None:
        self.assertIn("image/svg+xml", self.all_of("SVG("))

    def test_the_changed_line_touches_the_sectors_that_the_text_names(self) -> None:
        self.assertRegex(self.all_of("my_sectors.cu"), r"load +1 +32 +8 +4 ")

    def test_the_missing_guard_is_found(self) -> None:
        self.assertIn("no_guard.cu:12", self.all_of("no_guard.cu"))

    def test_the_exercise(self) -> None:
        self.assertIn("Hint 1 of", self.all_of("!./workbook check ch0_ex1"))
        self.assertIn("passes: ", self.all_of("check ch0_ex1 --file"))

    def test_the_gpu(self) -> None:
        last = self.all_of("progress ch3")
        self.assertIn("ch3_ex1", last)
        self.assertEqual("ch3_transpose_padded" in last and "GB/s" in last, self.has_gpu)


if __name__ == "__main__":
    unittest.main()
