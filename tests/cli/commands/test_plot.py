"""`./workbook plot`: the Python that draws, and its downloads. The drawing script is a stand-in."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from support import FakeWorkbook

from cli.machine.tools import is_present

DRAW = "import sys, matplotlib; print('drawn by', sys.prefix, 'with', matplotlib.__version__)\n"
METADATA = "Metadata-Version: 2.1\nName: matplotlib\nVersion: 3.9.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
NOWHERE = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1", "PIP_RETRIES": "0"}


def write_wheel(folder: Path) -> None:
    """A package called matplotlib, which pip can install."""
    with zipfile.ZipFile(folder / "matplotlib-3.9.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("matplotlib/__init__.py", "__version__ = '3.9.0'\n")
        for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), ("RECORD", "")):
            wheel.writestr(f"matplotlib-3.9.0.dist-info/{name}", text)


@unittest.skipUnless(is_present("python3-venv"), "Python's module venv is not installed")
class PlotTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("plots/plot_chapter.py", DRAW)
        self.write("plots/requirements.txt", "matplotlib>=3.6,<4\n")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.root / "bare")], check=True)

    def plot(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a Python without matplotlib."""
        path = f"{self.root}/bare/bin:{os.environ['PATH']}"
        return self.workbook("plot", "ch3", **{"WORKBOOK_NO_INSTALL": "0", "PATH": path, **environment})

    def test_downloads_missing_packages_once(self) -> None:
        write_wheel(self.root)
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.root.as_uri()}
        first, second = self.plot(**offline), self.plot(**NOWHERE)
        drawn = f"drawn by {self.root}/build/venv with 3.9.0\n"
        self.assertEqual((first.returncode, first.stdout[-len(drawn) :]), (0, drawn), first.stderr)
        self.assertIn("Installing matplotlib into build/venv", first.stderr + first.stdout)
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, drawn, ""))

    def test_uses_the_matplotlib_of_this_python(self) -> None:
        self.write("packages/matplotlib/__init__.py", "__version__ = '3.7.0'\n")
        result = self.plot(PYTHONPATH=f"{self.root}/packages")
        self.assertEqual((result.returncode, result.stdout), (0, f"drawn by {self.root}/bare with 3.7.0\n"), result.stderr)
        self.assertFalse((self.root / "build/venv").exists())

    def test_which_measurements_are_drawn(self) -> None:
        self.write("plots/plot_chapter.py", "import sys; print(*sys.argv[1:])\n")
        self.write("packages/matplotlib/__init__.py", "__version__ = '3.7.0'\n")
        packages = {"PYTHONPATH": f"{self.root}/packages"}
        self.assertEqual(self.plot(**packages).stdout, "ch3_transpose --own\n")
        of_a_file = self.workbook("plot", "ch3", "--results", "one.csv", **packages)
        self.assertEqual(of_a_file.stdout, "ch3_transpose --results one.csv\n", of_a_file.stderr)

    def test_without_a_network_it_explains_what_to_do(self) -> None:
        result = self.plot(**NOWHERE)
        self.assertEqual(result.returncode, 3)
        self.assertIn("this machine has no network, or needs a proxy", result.stderr)
        self.assertIn("PIP_NO_INDEX=1 PIP_FIND_LINKS=packages ./workbook plot", result.stderr)
        self.assertLess(len(result.stderr.splitlines()), 10)

    def test_installing_can_be_forbidden(self) -> None:
        result = self.plot(WORKBOOK_NO_INSTALL="1")
        self.assertEqual(result.returncode, 3)
        self.assertIn("build/venv/bin/python -m pip install -r plots/requirements.txt\n", result.stderr)
        self.assertFalse((self.root / "build").exists())
