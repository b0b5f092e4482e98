"""The errors of the command, and their exit codes for scripts."""

from __future__ import annotations

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_MISSING_TOOL = 3
EXIT_BUILD_FAILED = 4
EXIT_INTERRUPTED = 130


class WorkbookError(Exception):
    """Ends the command: the message is for the learner, exit_code for the shell. An empty message prints nothing."""

    exit_code = EXIT_FAILED


class UsageError(WorkbookError):
    """An unknown command, target, file or option."""

    exit_code = EXIT_USAGE


class MissingToolError(WorkbookError):
    """The machine lacks something that the command needs."""

    exit_code = EXIT_MISSING_TOOL


class BuildError(WorkbookError):
    """CMake or the compiler failed. `words` is their output, which comes before the advice.

    is_about_source: the error is in the learner's file, not in the machine or the workbook.
    """

    exit_code = EXIT_BUILD_FAILED

    def __init__(self, advice: str, words: str = "", is_about_source: bool = True) -> None:
        super().__init__(f"{words}\n\n{advice}" if words else advice)
        self.advice = advice
        self.words = words
        self.is_about_source = is_about_source


class Refused(WorkbookError):
    """An answer contains something that answers must not contain; the message names it."""
