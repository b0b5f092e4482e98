"""make_judge.py: a judge is written from an operation's header."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT, FolderTest

HEADER = """#pragma once
#include <cstddef>
constexpr int kMost = 3;
struct Found { bool is_there; };
// A comment; with a semicolon.
void turn(const float* d_in, float* d_out,
          int rows, cudaStream_t stream = nullptr);
Found find(const std::vector<int>& items, int target);
inline int twice(int i) { return 2 * i; }
"""
JUDGE = """
namespace submission {
[[gnu::weak]] void turn(const float* d_in, float* d_out, int rows, cudaStream_t stream);
[[gnu::weak]] Found find(const std::vector<int>& items, int target);
}

void turn(const float* d_in, float* d_out, int rows, cudaStream_t stream) {
  transcribed([&] { submission::turn(d_in, d_out, rows, stream); });
}

Found find(const std::vector<int>& items, int target) {
  return transcribed([&] { return submission::find(items, target); });
}
"""


class MakeJudgeTest(FolderTest):
    def make(self, header: str) -> tuple[subprocess.CompletedProcess[str], str]:
        source, output = self.put("turn.h", header), self.folder / "turn_judge.cpp"
        command = [sys.executable, str(ROOT / "common/grading/transcripts/make_judge.py"), str(source), str(output)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended, output.read_text(encoding="utf-8") if output.exists() else ""

    def test_each_function_calls_the_answers(self) -> None:
        ended, text = self.make(HEADER)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue(text.startswith("#include"))
        self.assertTrue(text.endswith(JUDGE), text)

    def test_a_header_without_functions(self) -> None:
        ended, _ = self.make("#pragma once\nconstexpr int kMost = 3;\n")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("declares no function that an answer could define", ended.stderr)
