"""Parts of CUDA that the simulator lacks: the reason why a program that nvcc compiles does not build here."""

from __future__ import annotations

import re
from pathlib import Path

from cli.chapter_files import text_of

_HEADERS = (
    (r"(cublas|cufft|curand|cusparse|cusolver|cutensor|cudnn|nccl|npp|nvjpeg|nvrtc)", "NVIDIA's libraries"),
    (r"cuda/std/atomic$", "libcu++'s atomics"),
    (r"cuda/(std/)?(barrier|latch|semaphore)$", "this part of libcu++"),
    (r"cuda/std/", "libcu++'s copies of the C++ library"),
    (r"(cub|cuda)/", "NVIDIA's C++ libraries (CUB, libcu++)"),
    (r"(cutlass|cute)/", "inline PTX, which CUTLASS consists of"),
    (r"(mma\.h|crt/mma)", "tensor cores"),
    (r"cuda_(fp6|fp4)", "floating point narrower than one byte"),
    (r"cuda_awbarrier", "barriers with a token"),
    (r"(texture|surface)_", "surfaces and texture references"),
    (r"(cudaGL|cuda_gl_interop|cudaEGL|cuda_egl_interop|cuda_d3d)", "CUDA's graphics"),
    (r"nvtx3/", "this part of NVTX"),
)
_HIDDEN = ("mma.h",)  # the simulator's file of this name only hides the Toolkit's
# What the simulator lacks, by the names of the runtime API and of device code that belong to it.
_NAMES = (
    (
        r"surf(?:[123]D|Cubemap)\w*|cuda(?:Surface|BoundaryMode|ArraySurface|CreateSurface|DestroySurface)\w*",
        "surfaces",
    ),
    (r"texCubemap\w*|cudaArrayCubemap|tex2Dgather|cudaArrayTextureGather", "cubemaps and gathers of texels"),
    (r"cuda\w*Mipmapped\w*|tex\w+(?:Lod|Grad)", "mipmapped arrays"),
    (r"cuda(?:Unb|B)indTexture\w*|textureReference", "texture references: CUDA 12 removed them. Use texture objects"),
    (r"cudaGraph\w*|cuda\w+NodeParams", "this part of CUDA graphs"),
    (r"cudaIpc\w*|cudaMemPool(?:Ex|Im)port\w*|cudaMemPoolPtrExportData", "memory of other processes"),
    (r"cuda(?:Stream|Launch)Attr\w*|cudaLaunchKernelEx\w*|cudaLaunchConfig_t", "this attribute of a stream or launch"),
    (r"wmma|nvcuda", "tensor cores"),
    (r"nvrtc\w*", "NVRTC, the compiler at run time"),
    (r"cublas\w*|CUBLAS(?:LT)?_\w+", "this part of cuBLAS"),
    (r"curand\w*|CURAND_\w+", "this part of cuRAND"),
    (r"__nv_(?:cvt_)?\w*fp8\w*|__NV_(?:E5M2|NOSAT)", "this part of one-byte floats"),
    (r"cu[A-Z]\w*|CU[a-z]\w*|CUDA_(?:SUCCESS|ERROR_\w+)", "CUDA's driver API"),
)
# Replacements for the functions of a header, for code that runs here and on a GPU.
_INSTEAD_OF_HEADERS = (
    (
        r"cuda/std/atomic$",
        "Include <cuda/atomic>, for cuda::atomic_ref.",
    ),
    (
        r"cuda/(std/)?(barrier|latch|semaphore)$",
        "For the threads of a block, use cuda::barrier of <cuda/barrier>.",
    ),
    (r"cuda_awbarrier", "Use cuda::barrier of <cuda/barrier>."),
    (r"mma\.h|crt/mma", "Multiply with __fmaf_rn() or a * b + c."),
)
# The same for PTX instructions, by their first words.
_INSTEAD_OF_PTX = (
    (r"mov\.\w+ .*%laneid", "threadIdx.x % 32"),
    (r"mov\.\w+ .*%(globaltimer|clock)", "clock64()"),
    (r"(bar|barrier)\.", "__syncthreads()"),
    (r"(membar|fence)\.", "__threadfence() or __threadfence_block()"),
    (r"ld\.\S*(nc|ca|cg|cs|cv|lu)\b", "__ldg(), __ldcg() and their relatives"),
    (r"st\.\S*(wb|cg|cs|wt)\b", "__stcg() and its relatives"),
    (r"ld\.|st\.", "a plain load or store"),
    (r"(atom|red)\.", "atomicAdd() and its relatives"),
    (r"shfl\.", "__shfl_sync() and its relatives"),
    (r"(vote|match|redux|activemask)\b", "__ballot_sync(), __match_any_sync(), __reduce_add_sync()"),
    (r"cp\.async|mbarrier\.", "__pipeline_memcpy_async() of <cuda_pipeline.h>"),
    (r"(fma|mad)\.", "__fmaf_rn(), or a * b + c"),
    (r"(popc|clz|bfind|brev|prmt)\.", "__popc(), __clz(), __brev(), __byte_perm()"),
    (r"(sqrt|rcp|rsqrt|div|ex2|lg2|sin|cos|tanh)\.", "sqrtf(), __fdividef(), exp2f() and their relatives"),
    (r"nanosleep", "__nanosleep()"),
    (r"trap\b", "__trap()"),
)
_NO_INSTRUCTION = re.compile(r"no such instruction: [`'\"](?P<text>[^'\"\n]+)")
_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
_INLINE_PTX = re.compile(r"\b(?:asm|__asm__)\b\s*(?:(?:volatile|__volatile__)\b\s*)?\(")
_ASSEMBLER_OBJECTS = re.compile(r": Error: |\bconstraint\b|'asm'|before string constant")
_NO_HEADER = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: fatal error: (?P<header>[^:\n]+): No such", re.M)
_UNDECLARED = re.compile(
    r"error: '(?P<name>[\w:]+)' (?:was not declared|does not name a type|has not been declared|is not a member)[^\n;]*"
    r"(?:; did you mean '(?P<guess>[^']+)')?"
)
_NOT_IN_CUB = re.compile(
    r"error: '(?P<name>\w+)' (?:is not a member of|in \w+) '(?:struct )?(?P<scope>cub(?:::\w+)?)'"
)
_CUDA_NAME = re.compile(r"(?:cuda|CU|cu)[A-Z]\w*|__\w+|__?nv_?\w+|(?:tex|surf)[123]D\w*|wmma|nvcuda|half2?")
_LIKE_A_TYPING_ERROR = 0.9
_NO_TYPING_ERROR = re.compile(r"curand\w*(?:Log[Nn]ormal|2_double)\w*")  # CUDA has names that are so alike
_CUDA_IN_CPP = re.compile(
    r"\.(?:cuh|h|hpp|inl|cpp|cc|cxx):\d+:\d+: error: "
    r"(?:expected primary-expression before '[<>]'|conflicting specifiers)"
)
_OPENMP_FUNCTION = re.compile(r"undefined reference to [`'\"](?:omp_|GOMP_)\w+")
_DRIVER_FUNCTION = re.compile(r"undefined reference to [`'\"]cu[A-Z]\w*")

# common/cmake/FindUsableThrust.cmake has the folder and the command too.
_THRUST_COMMAND = "python3 -m pip install --target data/cccl -r common/simulator/thrust/requirements.txt"
_INSTALL_THRUST = f"Thrust's headers are not installed. In the folder of the workbook, run: {_THRUST_COMMAND}"
_OTHER_THRUST = "of Thrust are too old or too new for the simulator"
_REPLACE_THRUST = (
    "The compiler finds the headers of another version of Thrust, which the simulator does not support. For its own "
    f"version, run this in the folder of the workbook: {_THRUST_COMMAND}"
)
ELSEWHERE = "With a GPU, build it with nvcc; docs/simulator.md lists the missing parts."


def explain_absence(output: str, source: Path, simulator: Path) -> str:
    """One or two sentences on a part of CUDA that the simulator lacks; empty if that was not the reason.

    output: the compiler's. source: the .cu file. simulator: the folder common/simulator.
    """
    if _OTHER_THRUST in output:
        return _REPLACE_THRUST
    missing = _NO_HEADER.search(output)
    if missing:
        if missing["header"].startswith("thrust/"):
            return _INSTALL_THRUST
        words = _header_words(missing["header"])
        if words:
            return f"{Path(missing['file']).name}, line {missing['line']}: {words}"
    text = text_of(source)
    for header in _INCLUDE.findall(text):
        is_there = header not in _HIDDEN and (simulator / "include" / header).is_file()
        if is_there or (source.parent / header).is_file():
            continue
        words = _header_words(header)
        if words:
            return words
    ptx = _INLINE_PTX.search(text)
    if ptx and _ASSEMBLER_OBJECTS.search(output):
        return " ".join(filter(None, (_ptx_words(output, text[ptx.end() :]), ELSEWHERE)))
    if _CUDA_IN_CPP.search(output):
        return (
            "A launch <<< >>> and extern __shared__ work only in .cu files and in the headers that they include. "
            "Rename the .cpp file to .cu."
        )
    if _OPENMP_FUNCTION.search(output):
        return "The program uses OpenMP. Add the option --compiler=-fopenmp."
    if _DRIVER_FUNCTION.search(output):
        return f"The simulator does not model CUDA's driver API. {ELSEWHERE}"
    return ""


def _header_words(header: str) -> str:
    """Sentences on a header that the simulator lacks; empty if it is not one of CUDA."""
    for pattern, what in _HEADERS:
        if re.match(pattern, header):
            sentence = f"The simulator has no <{header}>: it does not model {what}."
            return " ".join(filter(None, (sentence, _instead_of_header(header), ELSEWHERE)))
    return ""


def _instead_of_header(header: str) -> str:
    return next((words for pattern, words in _INSTEAD_OF_HEADERS if re.match(pattern, header)), "")


def _ptx_words(output: str, after_asm: str) -> str:
    """after_asm: the source after the first asm's parenthesis."""
    sentence = "The simulator does not run inline PTX (asm)."
    string = _STRING.search(after_asm)
    texts = [match["text"] for match in _NO_INSTRUCTION.finditer(output)]
    if string:
        texts.append(string[1].replace("%%", "%").lstrip("{ \t"))
    for text in texts:
        for pattern, instead in _INSTEAD_OF_PTX:
            if re.match(pattern, text):
                return f"{sentence} Instead of '{text.split()[0].rstrip(';')}', write {instead}."
    return sentence


def suspect_absence(output: str) -> str:
    """A hint about an undeclared name that looks like one of CUDA; empty without one, or for a typing error."""
    import difflib  # imported here because the import is slow

    missing = _NOT_IN_CUB.search(output)
    if missing:
        return f"The simulator does not model {missing['scope']}::{missing['name']}. {ELSEWHERE}"
    for match in _UNDECLARED.finditer(output):
        name, guess = match["name"], match["guess"] or ""
        likeness = difflib.SequenceMatcher(None, name, guess).ratio()
        if likeness >= _LIKE_A_TYPING_ERROR and not _NO_TYPING_ERROR.fullmatch(name):
            continue
        for pattern, what in _NAMES:
            if re.fullmatch(pattern, name):
                return f"The simulator does not model {what}. {ELSEWHERE}"
        if _CUDA_NAME.fullmatch(name):
            return f"If '{name}' belongs to CUDA: the simulator does not have it. {ELSEWHERE}"
    return ""
