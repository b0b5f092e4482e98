"""The compiler's errors about impossible cooperative groups: the simulator's headers state the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from collections.abc import Iterable
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[2] / "common" / "simulator" / "include"
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

_KERNEL = """\
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
struct Large {{ double values[5]; }};
__global__ void kernel(float* out, Large large) {{
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const cg::thread_group group = warp;
  out[0] = cg::reduce(cg::tiled_partition<4>(warp), large.values[0], cg::plus<double>()) + group.size();
{statements}
}}
"""
_WRONG_STATEMENTS = {
    "cg::tiled_partition<2048>(block);": "a tile must have 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads",
    "cg::tiled_partition<24>(block);": "a tile must have 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads",
    "cg::tiled_partition<32>(warp);": "the parts must be smaller than the tile",
    "cg::tiled_partition<4>(cg::coalesced_threads());": "for other groups use tiled_partition(group, size)",
    "cg::reduce(warp, 1.0f, cg::plus<int>());": "the operation and the value have different types",
    "cg::reduce(block, 1, cg::plus<int>());": "reduce needs a tile or a coalesced group",
    "warp.shfl(large, 0);": "groups exchange values of at most 32 bytes",
    "cg::thread_group other = block; other = group;": "use of deleted function",
}


class GroupErrors(unittest.TestCase):
    def compile(self, statements: Iterable[str]) -> str:
        result = subprocess.run(
            [COMPILER, "-std=c++17", "-fsyntax-only", "-I", str(HEADERS), "-x", "c++", "-"],
            input=_KERNEL.format(statements="\n".join(statements)),
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        return result.stderr

    def test_correct_code_compiles(self) -> None:
        self.assertEqual(self.compile([]), "")

    def test_every_error_has_its_reason(self) -> None:
        messages = self.compile(_WRONG_STATEMENTS)
        first_line = _KERNEL.split("\n").index("{statements}") + 1
        for line, (statement, reason) in enumerate(_WRONG_STATEMENTS.items(), start=first_line):
            self.assertIn(reason, messages, statement)
            self.assertIn(f"<stdin>:{line}:", messages, statement)


if __name__ == "__main__":
    unittest.main()
