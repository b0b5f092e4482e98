"""Puts room behind every __shared__ variable of traced code: an access past its end is then in no other one.

g++ runs this in front of its steps (-wrapper), with a step's command as the arguments. The compiler proper's output,
which is assembly, is changed; other steps are left as they are.

Usage: pad_shared_memory.py PROGRAM ARGUMENT...
"""

from __future__ import annotations

import os
import re
import sys

# More than what a block's threads reach when one element each is too many. A multiple of 128: banks stay the same.
PADDING_BYTES = 4096

_ENCODING = "latin-1"  # whatever the bytes are, they stay

_SECTION = re.compile(r"\s*\.(?:section|text|data|bss|pushsection|popsection|previous)\b")
_THREAD_LOCAL = re.compile(r"\s*\.section\s+\.tbss(?:[.,\s]|$)")
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


def output_of(command: list[str]) -> str | None:
    """Where the compiler proper writes assembly, "-" for stdout; None for another command."""
    is_compiler = os.path.basename(command[0]).startswith("cc1") and "-E" not in command
    return command[command.index("-o") + 1] if is_compiler and "-o" in command[:-1] else None


def main(command: list[str]) -> int:
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    output = output_of(command)
    if output is None:
        os.execvp(command[0], command)
    if output == "-":
        return _pad_in_pipe(command)
    returncode = os.spawnvp(os.P_WAIT, command[0], command)
    if returncode != 0:
        return returncode if returncode > 0 else 1
    if os.path.isfile(output):  # not with -fsyntax-only
        with open(output, encoding=_ENCODING, newline="") as file:
            assembly = file.read()
        with open(output, "w", encoding=_ENCODING, newline="") as file:
            file.write(pad(assembly))
    return 0


def _pad_in_pipe(command: list[str]) -> int:
    import subprocess  # here, as this script is in the way of every traced file, and few come through a pipe

    compiler = subprocess.run(command, stdout=subprocess.PIPE, encoding=_ENCODING, check=False)
    if compiler.returncode != 0:
        return compiler.returncode if compiler.returncode > 0 else 1
    sys.stdout.reconfigure(encoding=_ENCODING)
    sys.stdout.write(pad(compiler.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
