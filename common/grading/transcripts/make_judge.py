"""Writes the judge of an operation whose functions return nothing or plain bytes; grading links its tests with it.

Usage: make_judge.py HEADER.h JUDGE.cpp

Each function that the header declares calls the answer's, in namespace `submission`, through transcribed() (see
transcript.h). An operation with other results has a judge written by hand, tests/chN_topic/<operation>_judge.cpp.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "simulator" / "translate"))

from interface import Function, declared_functions


def judge(header: Path) -> str:
    """The C++ text. Raises ValueError if the header declares no function."""
    functions = declared_functions(header.read_text(encoding="utf-8"))
    if not functions:
        raise ValueError(f"{header} declares no function that an answer could define.")
    own = "".join(f"[[gnu::weak]] {function.declaration};\n" for function in functions)
    includes = f'#include "{header}"\n\n#include "common/grading/transcripts/transcript.h"\n'
    return f"{includes}\nnamespace submission {{\n{own}}}\n" + "".join(map(_passed_on, functions))


def _passed_on(function: Function) -> str:
    call = f"submission::{function.name}({function.arguments})"
    body = f"transcribed([&] {{ {call}; }});" if function.result == "void" else f"return transcribed([&] {{ return {call}; }});"
    return f"\n{function.declaration} {{\n  {body}\n}}\n"


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        Path(arguments[1]).write_text(judge(Path(arguments[0])), encoding="utf-8")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
