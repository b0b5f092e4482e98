"""Reading a command's own arguments."""

from __future__ import annotations

import argparse
import shlex
from typing import NoReturn

from cli.errors import UsageError


class ArgumentParser(argparse.ArgumentParser):
    """argparse with errors that are UsageErrors."""

    def __init__(self, command: str, usage: str) -> None:
        super().__init__(prog=f"./workbook {command}", add_help=False, allow_abbrev=False)
        self._usage_line = f"Usage: ./workbook {usage}"

    def parse_beside_program_options(self, arguments: list[str]) -> argparse.Namespace:
        """parse_args for a command that starts a program, whose options follow `--`."""
        parsed, unknown = self.parse_known_args(arguments)
        if unknown:
            own = [argument for argument in arguments if argument not in unknown]
            raise UsageError(
                f"Unrecognized arguments: {' '.join(unknown)}.\n{self._usage_line}\n"
                f"Options of the program follow --: {self.prog} {shlex.join([*own, '--', *unknown])}"
            )
        return parsed

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}.\n{self._usage_line}")


def split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The command's own arguments, and those after `--`, which are the program's."""
    if "--" not in arguments:
        return arguments, []
    position = arguments.index("--")
    return arguments[:position], arguments[position + 1 :]
