"""Turns CUDA C++ into C++17: changes the few parts of a .cu file that a C++ compiler cannot parse.

    kernel<<<grid, block, bytes, stream>>>(args)   becomes a call of cuda_simulator::launch
    extern __shared__ T name[];                    becomes a pointer to the block's dynamic memory

and marks the local arrays that the tracer must follow (local_arrays.py).

Everything else is unchanged. The learner's text keeps its line AND its column in every message of
the compiler: each part of it is on its own physical line, after a #line directive and as many spaces
as it had columns to its left. (Inside a #define no #line is possible; there the columns after a
launch shift.)

A header with a launch or extern __shared__ memory is rewritten too, if it is next to the file, in a
FOLDER, or in another chapter ("chapters/..."). The copy is next to the output, OUTPUT.0_NAME, and the
output includes it instead.
-DNAME=VALUE gives a constant of the source a different value (definitions.py), or of another file of the program,
-other=FILE.
For the build, OUTPUT.d lists the input files.

Usage: rewrite_cuda.py INPUT.cu OUTPUT.cpp [-DNAME=VALUE...] [FOLDER...]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cuda_source import RewriteError, Source, read, write
from cuda_to_cpp import rewrite
from definitions import definitions_in_front, parse_definitions
from header_copies import Headers

_DEFINE = "-D"
_OTHER = "-other="


def _for_make(path: Path) -> str:
    return re.sub(r"([ #])", r"\\\1", str(path)).replace("$", "$$")


def _rewrite_file(path: Path, output: Path, words: list[str]) -> None:
    """Raises OSError and RewriteError."""
    definitions = parse_definitions(word[len(_DEFINE) :] for word in words if word.startswith(_DEFINE))
    others = [Path(word[len(_OTHER) :]) for word in words if word.startswith(_OTHER) and word != f"{_OTHER}{path}"]
    folders = [Path(word) for word in words if not word.startswith((_DEFINE, _OTHER))]
    headers = Headers(output.resolve(), folders, definitions)
    text = read(path)
    in_front = ""
    if definitions:
        others_have = {name for other in others for name in re.findall(r"\w+", read(other))}
        sources = headers.reached_from(path, Source(text, str(path)))
        in_front = definitions_in_front(sources, definitions, others_have)
    write(output, rewrite(text, str(path), lambda header: headers.replacement(path, header), definitions, in_front))
    inputs = "".join(f" \\\n {_for_make(file)}" for file in (path, *others, *headers.read))
    write(Path(f"{output}.d"), f"{_for_make(output)}:{inputs}\n")


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        _rewrite_file(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
    except (OSError, RewriteError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
