"""What CUDA has and the simulator has not: why a program that nvcc compiles does not build here."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

_HEADERS = (
    (r"(cublas|cufft|curand|cusparse|cusolver|cutensor|cudnn|nccl|npp|nvjpeg|nvrtc)", "NVIDIA's libraries"),
    (r"(thrust|cub|cuda)/", "NVIDIA's C++ libraries (Thrust, CUB, libcu++)"),
    (r"(cutlass|cute)/", "what CUTLASS is made of, inline PTX"),
    (r"(mma\.h|crt/mma)", "tensor cores"),
    (r"cuda_(fp8|fp6|fp4)", "floating point narrower than two bytes"),
    (r"cooperative_groups", "this part of cooperative groups"),
    (r"cuda_awbarrier", "barriers with a token"),
    (r"(texture|surface)_", "textures and surfaces"),
    (r"(cuda|cudaGL|cuda_gl_interop)\.h", "CUDA's driver API and graphics"),
    (r"(nvtx3/|nvToolsExt|cuda_profiler)", "profilers' ranges"),
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
_INLINE_PTX = re.compile(r"\b(?:asm|__asm__)\b\s*(?:(?:volatile|__volatile__)\b\s*)?\(")
_ASSEMBLER_OBJECTS = re.compile(r": Error: |\bconstraint\b|'asm'")
_UNDECLARED = re.compile(
    r"error: '(?P<name>[\w:]+)' (?:was not declared|does not name a type|has not been declared|is not a member)[^\n;]*"
    r"(?:; did you mean '(?P<guess>[^']+)')?"
)
_CUDA_NAME = re.compile(r"(?:cuda|CU|cu)[A-Z]\w*|__\w+|__?nv_?\w+|(?:tex|surf)[123]D\w*|wmma|nvcuda|half2?")
_LIKE_A_TYPING_ERROR = 0.9
_CUDA_IN_CPP = re.compile(
    r"\.(?:cuh|h|hpp|inl|cpp|cc|cxx):\d+:\d+: error: "
    r"(?:expected primary-expression before '[<>]'|conflicting specifiers)"
)
_DRIVER_FUNCTION = re.compile(r"undefined reference to [`'\"]cu[A-Z]\w*")

ELSEWHERE = "With a GPU, build it with nvcc; docs/simulator.md lists what is absent."


def explain_absence(output: str, source: Path, simulator: Path) -> str:
    """What the program uses and the simulator lacks, in a sentence or two; empty if that did not fail the build.

    `output` is the compiler's, `source` the .cu file, `simulator` the folder common/simulator.
    """
    text = _text(source)
    for header in _INCLUDE.findall(text):
        if (simulator / "include" / header).is_file() or (source.parent / header).is_file():
            continue
        for pattern, what in _HEADERS:
            if re.match(pattern, header):
                return f"The simulator has no <{header}>: it does not model {what}. {ELSEWHERE}"
    if _INLINE_PTX.search(text) and _ASSEMBLER_OBJECTS.search(output):
        return f"The simulator does not run inline PTX (asm). {ELSEWHERE}"
    if _CUDA_IN_CPP.search(output):
        return (
            "A launch <<< >>> and extern __shared__ are understood in .cu files and in the headers that these include. "
            "Rename a .cpp file with either to .cu."
        )
    if _DRIVER_FUNCTION.search(output):
        return f"The simulator does not model CUDA's driver API. {ELSEWHERE}"
    return ""


def suspect_absence(output: str) -> str:
    """A hint at an undeclared name that looks like CUDA's; empty if there is none, or only a typing error."""
    for match in _UNDECLARED.finditer(output):
        name, guess = match["name"], match["guess"] or ""
        likeness = difflib.SequenceMatcher(None, name, guess).ratio()
        if _CUDA_NAME.fullmatch(name) and likeness < _LIKE_A_TYPING_ERROR:
            return f"If '{name}' is CUDA's own: the simulator does not have it. {ELSEWHERE}"
    return ""


def _text(source: Path) -> str:
    try:
        return source.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
