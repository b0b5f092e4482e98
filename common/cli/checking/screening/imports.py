"""The functions and variables of other objects that an answer can use: a list, whatever the libraries define.

The simulator's own functions (of its findings, counts and memory) are in the same libraries as CUDA's functions.
"""

from __future__ import annotations

import re

# What CUDA's public headers declare. `cuda...` and `__syncthreads...` are functions of no namespace.
_CUDA = r"""
    _Z\d+(?:cuda|nvtx|__[a-z])\w+ | _Z7clock64v
  | threadIdx | blockIdx | blockDim | gridDim
"""
# The simulator's functions and variables that the inline code of these headers needs, and the rewriter's code.
SIMULATORS = (
    *("active_mask", "ballot", "dynamic_shared_memory", "lane", "match_any", "refuse_grid_as_thread_group"),
    *("refuse_shuffle_width", "refuse_tile_size", "running_lane", "shuffle", "is_cooperative_launch", "in_device_code"),
    *("synchronise_block", "synchronise_grid", "synchronise_warp", "trace_access", "LocalArray", "run_grid"),
    *("blocks_per_multiprocessor", "get_kernel_attributes", "set_kernel_attribute", "symbol_address"),
    *("copy_from_symbol", "copy_from_symbol_async", "copy_to_symbol", "copy_to_symbol_async"),
    *("add_library_work", "say_computed", "say_that_random_numbers_differ", "store_kernel", "launch_by_address"),
    *("init_barrier", "arrive_at", "complete_phase", "phase_of", "wait_at", "arrive_and_wait_at", "try_wait_at"),
    *("copy_asynchronously", "wait_for_batches", "synchronise_tile", "fetch_texel"),
)
_SIMULATOR = rf"""
    _ZN14cuda_simulator\d+(?:{"|".join(SIMULATORS)})(?:[CD][12])?E\w*
  | cuda_simulator_(?:mem(?:p?cpy|move|set|cmp)|malloc|free|new|delete|dynamic_shared)
"""
_CPP = r"""
    _ZNK?St\w* | _ZNK?S[absiod]\w* | _ZSt\w* | _ZT[ISTV](?:\w|\.)* | _Z(?:nw|na|dl|da)\w*
  | __cxa_\w+ | __gxx_personality_v0 | _Unwind_Resume | __(?:tsan|sanitizer_cov|ubsan)_\w+ | __dso_handle | _GLOBAL_OFFSET_TABLE_ | __tls_get_addr
  | __errno_location | __stack_chk_fail | __assert_fail | __libc_single_threaded | pthread_mutex_(?:un)?lock
"""
_C = r"""
    abort | exit | (?:__)?mem(?:cpy|move|set|cmp|chr)(?:_chk)? | (?:__)?str\w+ | (?:__isoc\d+_)?(?:str\w+|v?sscanf)
  | (?:__)?v?(?:f|s|sn)?printf(?:_chk)? | puts | putchar | f?putc | fputs | fwrite | fflush | perror | stdout | stderr
  | (?:m|c|re)alloc | free | aligned_alloc | qsort | bsearch | rand | srand | l{0,2}abs | l{0,2}div | ato(?:i|l|ll|f)
  | is[a-z]+ | to(?:upper|lower) | __ctype_\w+ | clock | clock_gettime | time | difftime | gettimeofday
"""
# The last line: g++'s own functions, such as those of __int128 and complex numbers.
_MATHEMATICS = r"""
    (?: c?a?(?:sin|cos|tan)h? | sincos | atan2 | c?exp | exp2 | exp10 | expm1 | c?log | c?log10 | log2 | log1p | i?logb
      | c?pow | c?sqrt | cbrt | hypot | [lt]?gamma | erfc? | [jy][01n] | cabs | carg | cproj | fabs | fma | fmax | fmin
      | fmod | fdim | ceil | floor | trunc | l{0,2}r(?:int|ound) | roundeven | nearbyint | remainder | remquo | drem
      | frexp | ldexp | modf | scalbl?n | nan | next(?:after|toward) | copysign | significand | finite )(?:f|l|f128)?
  | lgamma[fl]?_r | fe(?:get|set|test|clear|raise|hold|update)[a-z]+ | signgam
  | __(?:fpclassify|signbit|finite|issignaling|iseqsig)(?:f|l|f128)? | __[a-z0-9]+_finite
  | __[a-z]+(?:[sdt]i|[hsdxt]f|[hsdxt]c)[234]?
"""
_ALLOWED = re.compile("|".join((_CUDA, _SIMULATOR, _CPP, _C, _MATHEMATICS)), re.VERBOSE)
_OF_NCCL = re.compile(r"_Z\d+nccl\w+")
_OF_SIMULATOR = re.compile(_SIMULATOR, re.VERBOSE)
_FORBIDDEN = re.compile(
    r"fstream|filebuf|basic_file|filesystem|6thread|7jthread|future|condition_variable|set_terminate|random_device"
    r"|basic_string\w*4copyE|isatty"
)


def may_import(name: str, has_nccl: bool) -> bool:
    """Whether an answer can use a symbol of another object. name: without its version, as nm prints it. has_nccl: the
    exercise is linked with NCCL; no exercise is linked with other libraries.
    """
    if "cuda_simulator" in name:
        return _OF_SIMULATOR.fullmatch(name) is not None
    if _OF_NCCL.fullmatch(name):
        return has_nccl
    return _ALLOWED.fullmatch(name) is not None and not _FORBIDDEN.search(name)
