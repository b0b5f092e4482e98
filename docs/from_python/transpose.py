#!/usr/bin/env python3
"""Calls the padded transpose of chapter 3 from Python. Needs an NVIDIA GPU and nvcc, and no Python package.

    python3 docs/from_python/transpose.py [ROWS COLS]

Builds build/from_python/libtranspose.so, transposes a matrix of ROWS x COLS floats, and checks the result.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from array import array
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHAPTER = ROOT / "chapters/ch3_transpose"
LIBRARY = ROOT / "build/from_python/libtranspose.so"
_TOOLKIT = "/usr/local/cuda/bin"


def build(architecture: str = "native") -> Path:
    """The shared library, compiled for the GPU of this machine. Raises RuntimeError without nvcc or if it fails."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=_TOOLKIT)
    if not nvcc:
        raise RuntimeError("nvcc is not installed: this example needs the CUDA Toolkit.")
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    options = ["-std=c++17", "-O3", f"-arch={architecture}", "-shared", "-Xcompiler", "-fPIC", f"-I{ROOT}", f"-I{CHAPTER}"]
    sources = [str(HERE / "transpose_library.cu"), str(CHAPTER / "03_padded.cu")]
    compiled = subprocess.run([nvcc, *options, *sources, "-o", str(LIBRARY)], capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        raise RuntimeError(compiled.stderr)
    return LIBRARY


def load(file: Path) -> ctypes.CDLL:
    """The library, with the types of its functions. Without these ctypes passes every argument as an int."""
    library = ctypes.CDLL(str(file))
    floats = ctypes.POINTER(ctypes.c_float)
    library.transpose_floats.argtypes = [floats, floats, ctypes.c_int, ctypes.c_int]
    library.transpose_error.restype = ctypes.c_char_p
    return library


def transpose(library: ctypes.CDLL, matrix: array[float], rows: int, cols: int) -> array[float]:
    """matrix: rows x cols floats, row-major. Raises ValueError for another size, RuntimeError if a CUDA call failed."""
    if matrix.typecode != "f" or len(matrix) != rows * cols:
        raise ValueError(f"The matrix must have {rows} x {cols} floats, not {len(matrix)} of type '{matrix.typecode}'.")
    result = array("f", bytes(4 * rows * cols))
    pointers = [(ctypes.c_float * len(numbers)).from_buffer(numbers) for numbers in (matrix, result)]
    if library.transpose_floats(*pointers, rows, cols) != 0:
        raise RuntimeError(library.transpose_error().decode())
    return result


def main(arguments: list[str]) -> int:
    if len(arguments) not in (0, 2) or not all(word.isdigit() and int(word) > 0 for word in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    rows, cols = map(int, arguments) if arguments else (33, 20)
    matrix = array("f", range(rows * cols))
    try:
        result = transpose(load(build()), matrix, rows, cols)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    right = all(result[col * rows + row] == matrix[row * cols + col] for row in range(rows) for col in range(cols))
    print(f"{rows} x {cols} floats: {'all right' if right else 'WRONG'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
