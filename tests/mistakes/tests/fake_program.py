"""Adds the modules that these tests use to the path, and writes test programs that are shell scripts."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [
    str(ROOT / folder) for folder in ("tests/mistakes", "tests", "common", "common/simulator/translate")
]

MATCHES, KEEPS = "Matrix.MatchesReference/1x9", "Matrix.KeepsEveryBit"
WRONG = "MatchesReference/1x9\n1 of 9 elements are wrong\n"
ONE_WRONG = "pattern=last_element wrong=1 size=9"


def ending(test: str, verdict: str, exit_status: int, output: str = "", facts: str = "") -> str:
    """A test's result in the format of tests/support/each_test_alone.h."""
    return f"{verdict} {exit_status} {len(facts)} {len(output.encode())} {test}\n{facts}{output}\n"


def passed(test: str, output: str = "") -> str:
    return ending(test, "passed", 0, output)


def failed(test: str, output: str = "", facts: str = "") -> str:
    return ending(test, "failed", 1, output, facts)


def write_program(file: Path, *endings: str, is_whole: bool = True, **endings_in: str) -> Path:
    """A program whose tests have these endings; in the block order of a keyword's name, those of its value."""
    file.with_name(f"{file.name}.forward").write_text("".join(endings) + ("done\n" if is_whole else ""))
    for order, in_order in endings_in.items():
        file.with_name(f"{file.name}.{order}").write_text(in_order + "done\n")
    file.write_text(
        "#!/bin/sh\n"
        "echo words of the program\n"
        'for option; do case "$option" in\n'
        '  --each-test-alone=*) cp "$0.$CUDA_SIMULATOR_BLOCK_ORDER" "${option#*=}";;\n'
        "esac; done\n"
    )
    file.chmod(0o755)
    return file
