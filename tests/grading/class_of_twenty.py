"""The submissions of a class of twenty for exercise ch3_ex2; six of them are hostile. docs/for_teachers.md grades it.

Usage: python3 tests/grading/class_of_twenty.py FOLDER

writes the submissions into FOLDER/handed_in, and all names into FOLDER/class.txt. One student has handed nothing in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
SOLUTION = (_ROOT / "solutions/ch3_transpose/ex2_swizzled.cu").read_text(encoding="utf-8")
_STARTER = (_ROOT / "chapters/ch3_transpose/ex2_swizzled.cu").read_text(encoding="utf-8")
_NAIVE = (_ROOT / "chapters/ch3_transpose/01_naive.cu").read_text(encoding="utf-8")
LAUNCH = "  transpose_swizzled_kernel<<<"
_CHECK = "CUDA_CHECK(cudaGetLastError());"
_UNREPORTED = SOLUTION.replace(_CHECK, 'if (cudaGetLastError() != cudaSuccess) printf("The launch failed.\\n");')
_ON_THE_HOST = """#include "transpose.h"

#include <cuda_runtime.h>

#include <vector>

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t) {
  const std::size_t count = std::size_t(rows) * cols;
  std::vector<float> in(count), out(count);
  cudaMemcpy(in.data(), d_in, count * sizeof(float), cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) out[std::size_t(c) * rows + r] = in[std::size_t(r) * cols + c];
  cudaMemcpy(d_out, out.data(), count * sizeof(float), cudaMemcpyHostToDevice);
}
"""
_FORGES = """
#include <cstdlib>
#include <fstream>
#include <unistd.h>
static void forge() {
  std::ofstream(std::getenv("GTEST_OUTPUT") + 5) << R"({"testsuites": []})";
  _exit(0);
}
"""

Put = Callable[[Path], None]


def file_of(text: str, name: str = "ch3_ex2.cu") -> Put:
    def put(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")

    return put


def with_code(code: str, before: str = "") -> str:
    """The reference answer, with additional code in the function that launches its kernel."""
    text = SOLUTION.replace(LAUNCH, f"  {code}\n{LAUNCH}")
    return text.replace('#include "transpose.h"', f'#include "transpose.h"\n{before}')


def _with(code: str, before: str = "") -> Put:
    return file_of(with_code(code, before))


def _link(folder: Path) -> None:
    (folder / "ch3_ex2.cu").symlink_to("/etc/passwd")


def _nothing(folder: Path) -> None:
    (folder / "readme.txt").write_text("Sorry, I was ill.\n", encoding="utf-8")


# Submissions and their correct verdicts; the two lists are the honest and the hostile students.
HONEST: dict[str, tuple[Put, str]] = {
    "Ada": (file_of(SOLUTION), "passed"),
    "Ben": (file_of(_ON_THE_HOST, "homework 3/Ex2_Swizzled.cu"), "computed elsewhere"),
    "Björn Åkesson": (file_of(SOLUTION, "chapters/ch3_transpose/ex2_swizzled.cu"), "passed"),
    "Chen Li": (file_of("\ufeff" + _UNREPORTED.replace("\n", "\r\n")), "errors not reported"),
    "Dilek": (file_of(f"// Dilek\n{_STARTER}"), "unchanged starter"),
    "Emre": (_with("if (rows == 97 && cols == 131) return;"), "wrong result"),  # the hidden shape of docs/for_teachers.md
    "Fatou": (file_of(_NAIVE), "goal missed"),
    "Grete": (file_of(SOLUTION.replace("__syncthreads();", "")), "error found"),
    "Hugo": (file_of(SOLUTION[: len(SOLUTION) // 2]), "does not compile"),
    "Ines": (file_of(SOLUTION.replace("void transpose(", "void transposed(")), "does not compile"),
    "Jörg Müller": (_nothing, "not handed in"),
    "Kim O'Hara": (file_of(""), "does not compile"),
    "Lea": (_with('std::cout << rows << " rows\\n";', "#include <iostream>"), "passed"),
}
HOSTILE: dict[str, tuple[Put, str]] = {
    "=1+1": (_with("for (;;) fork();", "#include <unistd.h>"), "refused"),
    "Mallory": (_with("forge();", _FORGES), "refused"),
    "Nils": (_with("for (volatile int i = 0;; i = 1) {}"), "stopped at a limit"),
    "Oleg": (
        _with("std::vector<std::vector<char>> all; for (;;) all.emplace_back(1 << 24, 1);", "#include <vector>"),
        "stopped at a limit",
    ),
    "Pia": (_with('std::ifstream("/home/you/mine.csv").get();', "#include <fstream>"), "refused"),
    "Quentin": (_link, "not handed in"),
}
ABSENT = "Rosa"
VERDICTS = {**{name: verdict for name, (_, verdict) in {**HONEST, **HOSTILE}.items()}, ABSENT: "not handed in"}


def write_class(folder: Path) -> None:
    for name, (put, _) in {**HONEST, **HOSTILE}.items():
        (folder / "handed_in" / name).mkdir(parents=True)
        put(folder / "handed_in" / name)
    (folder / "class.txt").write_text("".join(f"{name}\n" for name in VERDICTS), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_class(Path(sys.argv[1]))
    print(f"{len(VERDICTS)} students, {len(HOSTILE)} of them hostile.")
