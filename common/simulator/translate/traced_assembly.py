"""Changes the assembly of traced code: see pad_shared_memory.py, place_copies.py, heap_calls.py
and inline_steps.py.

g++ runs this script before each of its steps (-wrapper), with the step's command as the arguments. The script changes
the output of the compiler proper, which is assembly; other steps are unchanged.

Usage: traced_assembly.py [--calls] PROGRAM ARGUMENT...

With --calls every step stays a call: without inline_steps.py.
"""

from __future__ import annotations

import os
import sys

_ENCODING = "latin-1"  # any bytes are preserved


def changed(assembly: str, *, inlines_steps: bool) -> str:
    # Imported here, because this script also runs for the assembler, and regular expressions take as long as Python's
    # start.
    from heap_calls import replace_heap_calls
    from inline_steps import inline_steps
    from pad_shared_memory import pad
    from place_copies import place_copies

    with_places = replace_heap_calls(place_copies(pad(assembly)))
    return inline_steps(with_places) if inlines_steps else with_places


def output_of(command: list[str]) -> str | None:
    """The file to which the compiler proper writes assembly, "-" for stdout; None for another command."""
    is_compiler = os.path.basename(command[0]).startswith("cc1") and "-E" not in command
    return command[command.index("-o") + 1] if is_compiler and "-o" in command[:-1] else None


def main(command: list[str]) -> int:
    inlines_steps = command[:1] != ["--calls"]
    if not inlines_steps:
        command = command[1:]
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    output = output_of(command)
    if output is None:
        os.execvp(command[0], command)
    if output == "-":
        return _change_in_pipe(command, inlines_steps)
    returncode = os.spawnvp(os.P_WAIT, command[0], command)
    if returncode != 0:
        return returncode if returncode > 0 else 1
    if os.path.isfile(output):  # not with -fsyntax-only
        with open(output, encoding=_ENCODING, newline="") as file:
            assembly = file.read()
        with open(output, "w", encoding=_ENCODING, newline="") as file:
            file.write(changed(assembly, inlines_steps=inlines_steps))
    return 0


def _change_in_pipe(command: list[str], inlines_steps: bool) -> int:
    import subprocess  # imported here: this script runs for every traced file, and few come through a pipe

    compiler = subprocess.run(command, stdout=subprocess.PIPE, encoding=_ENCODING, check=False)
    if compiler.returncode != 0:
        return compiler.returncode if compiler.returncode > 0 else 1
    sys.stdout.reconfigure(encoding=_ENCODING)
    sys.stdout.write(changed(compiler.stdout, inlines_steps=inlines_steps))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
