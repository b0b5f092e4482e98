"""The cost of tracing: the traced build's time divided by the plain build's, for each kernel of the benchmark and some
stages of chapter 3. And the cost of simulating: both builds' times divided by that of a serial loop, for the kernels of
a textbook.

    make simulator_benchmark
    python3 common/simulator/benchmark/ratios.py build/bin [--size 1024] [--rounds 8]

Both builds use one OS thread. They alternate, round by round, and the best CPU time of each counts, because other
programs make times longer, never shorter. Prints two tables in Markdown.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from pathlib import Path

_CONFIGURATIONS = {
    "plain": ("plain", {"CUDA_SIMULATOR_THREADS": "1"}),
    "traced": ("traced", {}),
    "without global races": ("traced", {"CUDA_SIMULATOR_GLOBAL_RACES": "0"}),
}
_STAGES = ("naive", "padded", "swizzled", "vectorized", "sector_aligned")
_LINE = re.compile(
    r"(?P<kernel>\w[\w ]*?) +\d+ (?:threads|elements) .*best +(?P<ms>[\d.]+) ms(?: +serial +(?P<serial>[\d.]+) ms)?"
)


def programs() -> dict[str, str]:
    """The programs' name without the build, by the name of a row's stage. "" has rows with their own names."""
    return {**{f"stage `{stage}`": f"simulator_benchmark_{stage}" for stage in _STAGES}, "": "simulator_benchmark"}


def best_times_ms(folder: Path, size: int, rounds: int, programs: dict[str, str]) -> dict[str, dict[str, float]]:
    """The best time of each kernel in each configuration, and of its serial loop if it has one."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for stage, program in programs.items():
            for configuration, (build, settings) in _CONFIGURATIONS.items():
                output = subprocess.run(
                    [folder / f"{program}_{build}", str(size)],
                    env={**os.environ, **settings},
                    stdout=subprocess.PIPE,
                    text=True,
                    check=True,
                ).stdout
                for match in _LINE.finditer(output):
                    times = best.setdefault(stage or match["kernel"], {})
                    for name, ms in ((configuration, match["ms"]), ("serial", match["serial"] or "inf")):
                        times[name] = min(float(ms), times.get(name, float("inf")))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the benchmark's programs are")
    parser.add_argument("--size", type=int, default=1024, help="the side of the matrix, a multiple of 256")
    parser.add_argument("--rounds", type=int, default=8)
    arguments = parser.parse_args()
    print("| kernel | plain, ms | traced, ms | ratio | without global races, ms | ratio |")
    print("|---|---|---|---|---|---|")
    for kernel, times in best_times_ms(arguments.folder, arguments.size, arguments.rounds, programs()).items():
        plain = times["plain"]
        traced = [f"{times[name]:.1f} | {times[name] / plain:.1f}" for name in list(_CONFIGURATIONS)[1:]]
        print(f"| {kernel} | {plain:.1f} | {' | '.join(traced)} |")

    print("\n| kernel | serial loop, ms | plain, ms | ratio | traced, ms | ratio |")
    print("|---|---|---|---|---|---|")
    textbook = {"": "simulator_benchmark_textbook"}
    for kernel, times in best_times_ms(arguments.folder, arguments.size // 2, arguments.rounds, textbook).items():
        serial = times["serial"]
        builds = [f"{times[name]:.0f} | {times[name] / serial:.1f}" for name in ("plain", "traced")]
        print(f"| {kernel} | {serial:.1f} | {' | '.join(builds)} |")


if __name__ == "__main__":
    main()
