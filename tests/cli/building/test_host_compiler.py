"""CMake's message for a C++ compiler that nvcc does not support. The nvcc here is a script."""

from __future__ import annotations

import subprocess

from support import ROOT, FolderTest

_NVCC = """#!/bin/sh
echo "$*" >> "$0.calls"
case " $* " in *" -ccbin g++-13 "*) echo "is taken" >&2; exit 1;; esac
echo "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!" >&2
exit 1
"""


class HostCompilerTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.nvcc = self.folder / "nvcc"
        self.nvcc.write_text(_NVCC)
        self.nvcc.chmod(0o755)

    def configured(self, *options: str) -> str:
        """CMake's error message, in one line."""
        command = ["cmake", "-S", str(ROOT), "-B", str(self.folder / "build"), "-DWORKBOOK_BACKEND=cuda"]
        ended = subprocess.run(
            [*command, f"-DWORKBOOK_NVCC={self.nvcc}", *options], capture_output=True, text=True, check=False
        )
        self.assertNotEqual(ended.returncode, 0)
        return " ".join(ended.stderr.split())

    def test_a_compiler_that_is_too_new_gets_advice(self) -> None:
        words = self.configured()
        self.assertIn(f"{self.nvcc} supports g++ up to version 13, and the g++ here is newer.", words)
        self.assertIn("-DCMAKE_CUDA_HOST_COMPILER=g++-13", words)
        self.assertNotIn("host_config.h", words)

    def test_the_one_that_was_asked_for_is_tried(self) -> None:
        self.assertNotIn("supports g++ up to", self.configured("-DCMAKE_CUDA_HOST_COMPILER=g++-13"))
