"""Starts the command. It uses only old syntax, so that an old Python can start a newer one without a syntax error."""

import os
import sys

MINIMUM_PYTHON = (3, 9)


def main() -> int:
    common = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.version_info < MINIMUM_PYTHON:
        launcher = os.path.join(os.path.dirname(common), "workbook")
        os.execv("/bin/sh", ["/bin/sh", launcher, "--newer-python"] + sys.argv[1:])

    # Replaces this folder in the path, because some modules here have names of the standard library.
    sys.path[0] = common
    try:
        from cli.application import run_command
        from cli.running.children import stop_as_with_ctrl_c
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith(("cli", "grading")):
            raise
        sys.stderr.write(
            "python3 on this machine is incomplete: the module '%s' is missing.\n"
            "Install the complete Python, on Debian and Ubuntu with: apt-get install python3\n" % error.name
        )
        return 3
    stop_as_with_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # for terminals with ASCII only, and for names that are not text
    return run_command(sys.argv[1:])


sys.exit(main())
