"""Starts the command. Kept to old syntax, so that an old Python gets the message below and not a syntax error."""

import os
import sys

MINIMUM_PYTHON = (3, 9)


def main() -> int:
    if sys.version_info < MINIMUM_PYTHON:
        sys.stderr.write(
            "The workbook needs Python %d.%d or newer; python3 here is %d.%d.\n"
            "Install a newer one and make sure that `python3` starts it.\n" % (MINIMUM_PYTHON + sys.version_info[:2])
        )
        return 3

    # Replaces this folder on the path: it holds modules named like ones of the standard library.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        from cli.application import run_command
        from cli.running.children import stop_as_with_ctrl_c
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("cli"):
            raise
        sys.stderr.write(
            "python3 here is incomplete: it has no module '%s'.\n"
            "Install the whole of it, on Debian and Ubuntu with: apt-get install python3\n" % error.name
        )
        return 3
    stop_as_with_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII only, and a name be no text at all
    return run_command(sys.argv[1:])


sys.exit(main())
