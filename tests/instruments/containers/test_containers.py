"""The Containerfiles install the packages that the workbook names, and agree with the files for editors.

With WORKBOOK_CONTAINER=podman, buildah or chroot in the environment the simulator's container is also built and used
(try_container.py), which takes minutes and needs root and a mirror of Debian.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import unittest

import try_container
import try_gradescope
from containerfile import CUDA, ROOT, SIMULATOR, Instruction, instructions, packages

BOTH = (SIMULATOR, CUDA)
TOOLS = ("g++", "make", "cmake", "ninja", "python3", "gtest", "matplotlib", "rsvg-convert", "python3-venv")


class ContainerfileTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("apt-get"), "the workbook names packages only if there is an apt-get")
    def test_it_installs_the_packages_that_the_workbook_names(self) -> None:
        asked = subprocess.run(
            [str(ROOT / "workbook"), "--install", *TOOLS],
            env={**os.environ, "WORKBOOK_NO_INSTALL": "1"}, capture_output=True, text=True, check=False,
        )
        named = set(asked.stderr.partition("--no-install-recommends ")[2].split())
        self.assertEqual(len(named), len(TOOLS))
        for file in BOTH:
            self.assertLessEqual(named, packages(file), file)

    def test_both_install_the_same(self) -> None:
        self.assertEqual(packages(SIMULATOR), packages(CUDA))

    def test_editors_find_file_and_user(self) -> None:
        for file in BOTH:
            settings = json.loads((file.parent / "devcontainer.json").read_text(encoding="utf-8"))
            self.assertEqual(file.parent / settings["build"]["dockerfile"], file)
            self.assertIn(Instruction("USER", settings["remoteUser"]), instructions(file))

    def test_another_base_can_be_named(self) -> None:
        for file in BOTH:
            self.assertEqual([one.name for one in instructions(file)][:2], ["ARG", "FROM"])
            self.assertEqual(instructions(file)[1].words, "${BASE}")

    def test_the_page_names_the_files(self) -> None:
        page = (ROOT / "docs/setup.md").read_text(encoding="utf-8")
        for file in BOTH:
            self.assertTrue(f"--file {file.relative_to(ROOT)} " in page, file)


class BuiltTest(unittest.TestCase):
    def test_it_is_built_and_used(self) -> None:
        way = os.environ.get("WORKBOOK_CONTAINER", "")
        if not way:
            self.skipTest("takes minutes, and root; WORKBOOK_CONTAINER=podman, buildah or chroot builds it")
        self.assertRegex(way, f"^({'|'.join(map(re.escape, try_container.WAYS))})$")
        self.assertEqual(try_container.main(["--with", way]), 0)

    def test_gradescope_s_image_grades(self) -> None:
        suite = os.environ.get("WORKBOOK_GRADESCOPE", "")
        if not suite:
            self.skipTest("takes minutes, and root; WORKBOOK_GRADESCOPE=jammy, noble or bookworm builds it")
        self.assertEqual(try_gradescope.main(["--suite", suite, *(["--old-tools"] if suite == "bookworm" else [])]), 0)

    def test_gradescope_s_wrong_answer_differs_from_the_correct_one(self) -> None:
        answers = try_gradescope.answers()
        self.assertIn("cols == 613", answers["wrong"][0] or "")
        self.assertNotIn("cols == 613", answers["right"][0] or "")


if __name__ == "__main__":
    unittest.main()
