"""One rank of an MPI program is killed: the others end with a message, soon, and leave nothing behind.

killed_rank.py PROGRAM MPIEXEC FLAG    FLAG is the option for the number of ranks, such as -n

killed_rank.cmake writes PROGRAM. Open MPI ends the whole job when one of its processes is killed. Each case also runs
with that switched off, so the ranks themselves have to notice it. The exit code of Open MPI is then 0.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import unittest
from collections.abc import Callable
from pathlib import Path

PROGRAM, MPIEXEC, FLAG = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
RANKS = 3
# Rank 0 has created the unique id: the other ranks reach each other through its process.
CASES = [(victim, killed_while) for victim in (0, 2) for killed_while in ("computing", "all_reduce")]
LIMIT_S = 60
# With these, Open MPI runs as root too, and on fewer cores. Other libraries ignore them.
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def processes_left() -> list[str]:
    """Processes that run the program and are not ending."""
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.path.realpath(folder / "exe") == str(PROGRAM.resolve()):
                left.append(folder.name)
        except OSError:
            continue  # it has ended, or belongs to another user
    return left


def ports_left() -> list[str]:
    """Sockets with the names of the simulator's ids."""
    return re.findall(r"cuda-simulator-nccl-\S+", Path("/proc/net/unix").read_text(encoding="utf-8"))


def is_open_mpi() -> bool:
    version = subprocess.run([MPIEXEC, "--version"], stdout=subprocess.PIPE, text=True).stdout
    return "Open MPI" in version or "OpenRTE" in version


def seen_within(seconds: float, what: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


class KilledRank(unittest.TestCase):
    def ended(self, victim: int, killed_while: str, options: list[str]) -> subprocess.CompletedProcess[str]:
        """The end of the job. Fails if it takes too long, or leaves a process or a socket."""
        ports_before = set(ports_left())
        command = [MPIEXEC, *options, FLAG, str(RANKS), str(PROGRAM)]
        environment = {**os.environ, **ALLOWED, "KILLED_RANK": str(victim), "KILLED_WHILE": killed_while}
        ended = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S
        )
        self.assertNotIn("the sum of all is", ended.stdout)
        self.assertTrue(seen_within(10, lambda: not processes_left()), f"left: {processes_left()}\n{ended.stdout}")
        self.assertLessEqual(set(ports_left()), ports_before)
        return ended

    def test_the_job_ends(self) -> None:
        for victim, killed_while in CASES:
            with self.subTest(victim=victim, killed_while=killed_while):
                ended = self.ended(victim, killed_while, [])
                self.assertNotEqual(ended.returncode, 0, ended.stdout)
                self.assertRegex(ended.stdout, r"signal 9|Killed|KILLED|has ended")

    def test_the_ranks_see_it_themselves(self) -> None:
        if not is_open_mpi():
            self.skipTest("only Open MPI can be told not to end a job whose process is killed")
        for victim, killed_while in CASES:
            with self.subTest(victim=victim, killed_while=killed_while):
                words = self.ended(victim, killed_while, ["--enable-recovery"]).stdout
                self.assertRegex(words, r"rank \d of 3: .*has ended")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
