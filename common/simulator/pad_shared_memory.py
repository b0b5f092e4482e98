"""Puts room behind every __shared__ variable of traced code: an access past its end is then in no other one.

g++ runs this in front of each of its steps (-wrapper). The assembler's input is changed, the other steps are not.

Usage: pad_shared_memory.py PROGRAM ARGUMENT...
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# More than what a block's threads reach when one element each is too many. A multiple of 128: banks stay the same.
PADDING_BYTES = 4096

_SECTION = re.compile(r"\s*\.(?:section|text|data|bss|pushsection|popsection|previous)\b")
_THREAD_LOCAL = re.compile(r'\s*\.section\s+\.tbss[^,]*,"[^"]*T')
_ZEROS = re.compile(r"\s*\.zero\s")


def pad(assembly: str) -> str:
    """The program with PADDING_BYTES behind each thread-local variable that begins as zeros."""
    lines = []
    is_thread_local = False
    for line in assembly.splitlines(keepends=True):
        if _SECTION.match(line):
            is_thread_local = _THREAD_LOCAL.match(line) is not None
        lines.append(line)
        if is_thread_local and _ZEROS.match(line):
            lines.append(f"\t.zero\t{PADDING_BYTES}\n")
    return "".join(lines)


def main(command: list[str]) -> int:
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    if re.fullmatch(r"(?:.*-)?as", Path(command[0]).name) is None:
        os.execvp(command[0], command)
    files = [Path(argument) for argument in command[1:] if argument.endswith(".s")]
    if not files:  # with -pipe
        return subprocess.run(command, input=pad(sys.stdin.read()), text=True, check=False).returncode
    for file in files:
        file.write_text(pad(file.read_text(encoding="latin-1")), encoding="latin-1")
    os.execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
