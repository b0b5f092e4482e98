"""Passes if a program ends with an exit code and prints a text, on stdout or stderr.

Usage: expect_message.py EXIT_CODE TEXT PROGRAM [ARGUMENT...]
"""

from __future__ import annotations

import subprocess
import sys


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    exit_code, text, *command = arguments
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ended.returncode == int(exit_code) and text in ended.stdout:
        return 0
    print(f"Expected exit code {exit_code} and '{text}'; it ended with {ended.returncode} and:\n{ended.stdout}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
