"""`./workbook book`: usage errors, its packages, and its web server."""

from __future__ import annotations

import contextlib
import io
import unittest
import urllib.error
import urllib.request
from socketserver import BaseRequestHandler
from unittest import mock

from book.built import served
from support import ROOT, FakeWorkbook, FolderTest

from cli.book import packages, serving
from cli.commands import book as command
from cli.errors import BuildError
from cli.machine import python_packages


class CommandTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("README.md", "# The workbook\n")

    def test_unknown_options(self) -> None:
        for words in (("--frobnicate",), ("ch3",), ("--port", "80")):
            with self.subTest(words):
                self.assertIn("Usage: ./workbook book [--build-only] [--no-steps]", self.ends(2, "book", *words).stderr)

    def test_advice_if_nothing_may_be_installed(self) -> None:
        result = self.ends(3, "book", "--build-only", "--no-steps")
        self.assertIn("python3 -m venv build/book/venv", result.stderr)
        self.assertIn("-m pip install --require-hashes -r common/cli/book/requirements.txt", result.stderr)

    def test_advice_without_a_network(self) -> None:
        nowhere = "http://127.0.0.1:9/simple"
        settings = {"WORKBOOK_NO_INSTALL": "0", "PIP_INDEX_URL": nowhere, "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1"}
        result = self.ends(3, "book", "--build-only", "--no-steps", **settings, PIP_RETRIES="0")
        self.assertIn("this machine has no network, or needs a proxy", result.stderr)
        self.assertIn("PIP_NO_INDEX=1 PIP_FIND_LINKS=packages ./workbook book", result.stderr)
        self.assertIn("chapters/*/README.md", result.stderr)
        self.assertNotIn("Traceback", result.stderr)


class SpoiltStageTest(unittest.TestCase):
    def test_a_stage_that_does_not_build_can_be_left_out(self) -> None:
        said = io.StringIO()
        parts = {name: mock.DEFAULT for name in ("book_python", "BookSource", "make_site")}
        with mock.patch.multiple(command, **parts), contextlib.redirect_stderr(said):
            with mock.patch.object(command, "make_step_pages", side_effect=BuildError("a line is wrong")):
                with self.assertRaisesRegex(BuildError, "a line is wrong"):
                    command._make(mock.Mock(), mock.Mock(), with_steps=True)
        self.assertIn("'./workbook book --no-steps' leaves them out", said.getvalue())


class PackagesTest(unittest.TestCase):
    def test_all_packages_are_pinned(self) -> None:
        folder = ROOT / "common/cli/book"
        pinned = (folder / "requirements.txt").read_text(encoding="utf-8")
        for line in (folder / "requirements.in").read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                self.assertIn(f"\n{line} \\\n    --hash=sha256:", pinned)

    def test_an_existing_environment_is_used(self) -> None:
        wanted = python_packages._PIN.findall((ROOT / "common/cli/book/requirements.in").read_text(encoding="utf-8"))
        found = " ".join(version for _, version in wanted)
        with mock.patch.object(python_packages, "output_of", return_value=f"{found}\n"):
            with mock.patch.object(packages, "install_packages") as install:
                python = packages.book_python(ROOT / "build/book/venv", ROOT)
        self.assertEqual(python, ROOT / "build/book/venv/bin/python")
        install.assert_not_called()


class ServingTest(FolderTest):
    def test_serves_this_machine_until_ctrl_c(self) -> None:
        (self.folder / "index.html").write_text("<p>here</p>", encoding="ascii")
        with served(self.folder) as address:
            self.assertRegex(address, r"^http://127\.0\.0\.1:[1-9]\d+/$")
            with urllib.request.urlopen(address, timeout=20) as answer:
                self.assertEqual(answer.read(), b"<p>here</p>")
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{address}../../etc/passwd", timeout=20)

    def test_a_browser_that_leaves_early_prints_nothing(self) -> None:
        with serving.Server(("127.0.0.1", 0), BaseRequestHandler) as server:
            for error, printed in ((BrokenPipeError(), False), (ConnectionResetError(), False), (ValueError(), True)):
                with self.subTest(error), contextlib.redirect_stderr(io.StringIO()) as stderr:
                    try:
                        raise error
                    except (OSError, ValueError):
                        server.handle_error(None, ("127.0.0.1", 1))
                    self.assertEqual("Traceback" in stderr.getvalue(), printed)
