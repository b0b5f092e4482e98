"""Finds the command that was typed, runs it, and converts errors into a message and an exit code."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
from pathlib import Path
from types import ModuleType

from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError, WorkbookError
from cli.machine.trouble import unwritable
from cli.old_names import renamed
from cli.running.children import Stopped
from cli.terminal.bottom_line import bottom_line
from cli.terminal.console import complain, say, table, terminal_columns, until_reader_ends
from cli.terminal.fitting import unbroken
from cli.version import described_version
from cli.workbook import Workbook

# The commands, in the order of `help`. Each is a module in commands/.
GROUPS = (
    (
        "Learn",
        *("list", "next", "run", "inspect", "check", "hint", "predict", "hunt", "compare", "watch", "reset"),
        *("progress", "update", "book", "debug", "doctor", "completion"),
    ),
    ("Measure", "test", "bench", "plot"),
    ("Teach", "class", "grade"),
)
_NEED_ANSWERS = ("compare", "class", "grade")  # a class's copy does not have these commands
_FOR_OTHER_TOOLS = ("check_built", "check_goals", "make", "targets")
_NOW_OPTIONS = {"data": ["run", "--data"], "claims": ["test", "--claims"]}
COMMANDS = (*(name for _, *names in GROUPS for name in names), *_FOR_OTHER_TOOLS)

EXIT_CODE_HELP = """\
Exit codes:
  0  success
  1  a program, a test or an exercise failed, or `inspect` found an error or no kernel
  2  an unknown command, target, file or option
  3  a tool is missing
  4  the build failed

`run`, `check` and `test` install missing build tools (Python, g++, make, CMake, Ninja, GoogleTest) with apt-get, if you
are root or sudo needs no password. Every other command asks first; without a terminal it only prints what to install.
`plot` and `book` download Python packages into build/. WORKBOOK_NO_INSTALL=1 forbids all of this."""


def run_command(arguments: list[str]) -> int:
    """Runs one command line, without the program's name, and returns its exit code (errors.py lists them)."""
    return until_reader_ends(lambda: _run_command(arguments))


def _run_command(arguments: list[str]) -> int:
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
        raise
    except OSError as error:
        complain(_explained(error, workbook))
        return EXIT_FAILED
    except Exception as error:  # noqa: BLE001  # a learner gets a sentence for every exception
        if os.environ.get("WORKBOOK_TRACEBACK"):
            raise
        complain(
            f"This is a bug in ./workbook itself ({type(error).__name__}: {error}). "
            "Please report it, with the output that WORKBOOK_TRACEBACK=1 prints."
        )
        return EXIT_FAILED


def _explained(error: OSError, workbook: Workbook) -> str:
    if not error.filename:
        return str(error)
    file = Path(os.fsdecode(error.filename))
    has_no_right = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    is_readable = os.access(file, os.R_OK) or not os.path.exists(file)
    if has_no_right and is_readable and workbook.root in file.parents:
        return unwritable(workbook.shown(file))
    return f"{error.strerror or error}: {file}"


def _dispatch(arguments: list[str], workbook: Workbook) -> int:
    name, *rest = _in_present_words(arguments or ["help"])
    if name in ("help", "--help", "-h"):
        return _help(rest, workbook)
    if name == "--version":
        say(described_version(workbook.root))
        return EXIT_OK
    command = _load(name)
    os.environ["WORKBOOK_COMMAND"] = name  # the launcher reads it to decide what it installs without a question
    own_arguments = rest[: rest.index("--")] if "--" in rest else rest
    if "--help" in own_arguments or "-h" in own_arguments:
        return _help([name], workbook)
    if name in _NEED_ANSWERS and workbook.is_class_copy:
        raise WorkbookError(
            f"'./workbook {name}' needs the reference answers. This copy is for a class and does not contain them: "
            "teachers run the command in the original workbook."
        )
    return int(command.run(rest, workbook))


def described_commands() -> list[tuple[str, str, str]]:
    """Name, usage and summary of every command for users, in the order of `help`."""
    commands = [(name, _load(name)) for name in COMMANDS if name not in _FOR_OTHER_TOOLS]
    described = [(name, command.USAGE, command.SUMMARY) for name, command in commands]
    return [*described, ("help", "help [COMMAND]", "list the commands, or explain one of them")]


def _in_present_words(words: list[str]) -> list[str]:
    """The command line with the option that has replaced an old command, and a message about it."""
    if words[0] not in _NOW_OPTIONS:
        return words
    present = _NOW_OPTIONS[words[0]]
    complain(renamed(f"./workbook {words[0]}", f"./workbook {' '.join(present)}"))
    return [*present, *words[1:]]


def _load(name: str) -> ModuleType:
    if name not in COMMANDS:
        import difflib  # imported here, because that takes time and few calls need it

        nearest = difflib.get_close_matches(name, (*COMMANDS, "help"), n=1)
        guess = f" Did you mean '{nearest[0]}'?" if nearest else ""
        raise UsageError(f"There is no command '{name}'.{guess} './workbook help' lists them all.")
    return importlib.import_module(f"cli.commands.{name}")


def _help(names: list[str], workbook: Workbook) -> int:
    if names and names[0] != "help":
        command = _load(_in_present_words(names)[0])
        details = command.DETAILS.strip("\n")
        say(f"Usage: ./workbook {command.USAGE}\n\n{unbroken(details) if terminal_columns() else details}".rstrip())
    elif names:
        say(f"Usage: ./workbook help [COMMAND]\n\n{unbroken(EXIT_CODE_HELP) if terminal_columns() else EXIT_CODE_HELP}")
    else:
        say(_overview(workbook))
    return EXIT_OK


def _overview(workbook: Workbook) -> str:
    width = max(len(name) for name in COMMANDS)
    lines = ["Usage: ./workbook COMMAND [arguments]"]
    for title, *names in GROUPS:
        shown = [name for name in names if not (name in _NEED_ANSWERS and workbook.is_class_copy)]
        rows = [[name.ljust(width), _load(name).SUMMARY] for name in shown]
        lines += [f"\n{title}", table(rows, columns=terminal_columns())] if rows else []
    lines.append("\nMore about one command: ./workbook help COMMAND (help help: the exit codes)")
    lines.append("Start with: ./workbook run ch0_machine_one_program")
    return "\n".join(lines)
