"""Python packages that cannot be installed: the message for each output of pip."""

from __future__ import annotations

import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.python_packages import Packages, _trouble

ROOT = Path("/w")
PACKAGES = Packages("draw", "crayons", ROOT / "build/venv", ROOT / "wanted.txt", "Or take a pencil.", has_hashes=True)


class TroubleTest(unittest.TestCase):
    def test_messages_of_pip(self) -> None:
        for words, kind, expected in (
            ("Temporary failure in name resolution", MissingToolError, "no network, or needs a proxy"),
            ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", MissingToolError, "the end of pip's output is above. Or take a pencil."),
            ("OSError: [Errno 28] No space left on device", WorkbookError, "the disk is full"),
            ("Error: [Errno 13] Permission denied: 'bin'", WorkbookError, "build/venv/ cannot be written. Do you own the workbook"),
        ):
            with self.subTest(words):
                trouble = _trouble(words, PACKAGES, ROOT)
                self.assertIs(type(trouble), kind)
                self.assertIn(expected, str(trouble))

    def test_how_to_copy_them(self) -> None:
        said = str(_trouble("Connection refused", PACKAGES, ROOT))
        self.assertIn("python3 -m pip download --require-hashes -r wanted.txt -d packages\n", said)
        self.assertIn("PIP_FIND_LINKS=packages ./workbook draw\nOr take a pencil.", said)
