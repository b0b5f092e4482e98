"""Passes if a program of the simulator prints the same, whatever the order in which it runs blocks.

Usage: expect_same_output.py PROGRAM [OPTION...]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))

from cli.running.processes import run_program

# Forwards, backwards, shuffled; and whatever comes of several OS threads.
_ORDERS = ("forward", "reverse", "1", "2", "3")
_RUNS_EACH = 2


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    program, *options = arguments
    first_output = None
    for order in _ORDERS:
        for _ in range(_RUNS_EACH):
            ended = run_program(Path(program), options, {"CUDA_SIMULATOR_BLOCK_ORDER": order}, capture=True)
            if not ended.passed:
                print(f"{ended.output.rstrip()}\n{ended.explanation()}")
                return 1
            first_output = first_output or ended.output
            if ended.output != first_output:
                print(f"With the blocks in order '{order}':\n{ended.output}\nThe first run printed:\n{first_output}")
                return 1
    print(f"{len(_ORDERS) * _RUNS_EACH} runs, each with this output:\n{first_output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
