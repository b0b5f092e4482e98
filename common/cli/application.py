"""Finds the command that was typed, runs it, and turns errors into a message and an exit code."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError, WorkbookError
from cli.running.children import Stopped
from cli.terminal.bottom_line import bottom_line
from cli.terminal.console import complain, say, terminal_columns
from cli.terminal.fitting import unbroken
from cli.workbook import Workbook

# A new command is a module in commands/ and its name here, in the order in which `help` lists them.
# (Those with an empty SUMMARY it leaves out: they serve other tools.)
COMMANDS = (
    *("doctor", "list", "run", "test", "next", "check", "hint", "compare", "watch", "progress", "reset"),
    *("predict", "hunt", "book"),
    *("inspect", "debug", "claims", "bench", "plot", "data", "grade", "class", "completion"),
    *("check_built", "check_goals", "nearest", "targets"),
)

EXIT_CODE_HELP = """\
Exit codes: 0 all is well; 1 a program, a test or an exercise failed, or `inspect` found a mistake or no kernel; 2 an
unknown command, target, file or option; 3 a tool is missing; 4 the build failed.

Where something is missing, every command that builds installs it with apt-get if it may (as root or with sudo that
asks no password), and so does `plot`. WORKBOOK_NO_INSTALL=1 forbids that: they then say what to install."""


def run_command(arguments: list[str]) -> int:
    """Runs one command line, without the program's name, and returns its exit code (errors.py lists them)."""
    workbook = Workbook(Path(__file__).resolve().parents[2])
    bottom_line.shows_programs = True
    try:
        return _dispatch(arguments, workbook)
    except WorkbookError as error:
        if str(error):
            complain(str(error))
        return error.exit_code
    except KeyboardInterrupt as stopped:
        with contextlib.suppress(OSError):  # the terminal may be gone
            complain("\nStopped.")
        return stopped.exit_code if isinstance(stopped, Stopped) else EXIT_INTERRUPTED
    except BrokenPipeError:
        # Someone closed the pipe, as `| head` does; stdout must not be flushed into it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except OSError as error:
        complain(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
        return EXIT_FAILED
    except Exception as error:  # noqa: BLE001  # a learner gets a sentence, whatever we overlooked
        if os.environ.get("WORKBOOK_TRACEBACK"):
            raise
        complain(
            f"This is a mistake in ./workbook itself ({type(error).__name__}: {error}). "
            "Please report it, with what WORKBOOK_TRACEBACK=1 prints."
        )
        return EXIT_FAILED


def _dispatch(arguments: list[str], workbook: Workbook) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if name in ("help", "--help", "-h"):
        return _help(rest)
    command = _load(name)
    own_arguments = rest[: rest.index("--")] if "--" in rest else rest
    if "--help" in own_arguments or "-h" in own_arguments:
        return _help([name])
    return int(command.run(rest, workbook))


def described_commands() -> list[tuple[str, str, str]]:
    """Name, usage and summary of all that a user types, in the order in which `help` lists them."""
    commands = [(name, _load(name)) for name in COMMANDS]
    described = [(name, command.USAGE, command.SUMMARY) for name, command in commands if command.SUMMARY]
    return [*described, ("help", "help [COMMAND]", "this text, or more about one command")]


def _load(name: str) -> ModuleType:
    if name not in COMMANDS:
        nearest = difflib.get_close_matches(name, (*COMMANDS, "help"), n=1)
        guess = f" Did you mean '{nearest[0]}'?" if nearest else ""
        raise UsageError(f"There is no command '{name}'.{guess} './workbook help' lists them all.")
    return importlib.import_module(f"cli.commands.{name}")


def _help(names: list[str]) -> int:
    if names:
        command = _load(names[0]) if names[0] != "help" else None
        if command:
            details = command.DETAILS.strip("\n")
            say(f"Usage: ./workbook {command.USAGE}\n\n{unbroken(details) if terminal_columns() else details}".rstrip())
            return EXIT_OK
    say("Usage: ./workbook COMMAND [arguments]\n")
    for _, usage, summary in described_commands():
        say(f"  {usage}\n      {summary}")
    say(f"\nStart with: ./workbook run ch0_machine_one_program, and read chapters/ch0_machine/README.md\n\n{EXIT_CODE_HELP}")
    return EXIT_OK
