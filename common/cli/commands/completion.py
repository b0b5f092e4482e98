"""`./workbook completion`"""

from __future__ import annotations

from cli.completion.scripts import SCRIPTS
from cli.completion.usage_words import completion_of
from cli.errors import EXIT_OK, UsageError
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "make the Tab key complete commands in your shell"
USAGE = "completion SHELL"
DETAILS = """
SHELL is bash, zsh or fish. For this terminal, in the workbook's folder:

  bash, zsh   source <(./workbook completion bash)          or zsh
  fish        ./workbook completion fish | source

For every terminal, put the script into the folder where your shell looks for completions:

  bash        ./workbook completion bash > ~/.local/share/bash-completion/completions/workbook
  zsh         ./workbook completion zsh > ~/.workbook.zsh, and in ~/.zshrc, after compinit: source ~/.workbook.zsh
  fish        ./workbook completion fish > ~/.config/fish/completions/workbook.fish

The script contains the names of the targets: write it again after you have added a target.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("completion", USAGE)
    parser.add_argument("shell")
    shell = parser.parse_args(arguments).shell
    if shell not in SCRIPTS:
        raise UsageError(f"'{shell}' is not one of the supported shells: bash, zsh, fish.")
    from cli.application import described_commands  # imported here, because it imports this module

    catalogue = workbook.catalogue
    programs = [program for chapter in catalogue.chapters for program in chapter.programs]
    chapters = [chapter.name for chapter in catalogue.chapters]
    names = {
        "CHAPTER": chapters,
        "TARGET": chapters + [program.target for program in programs],
        "EXERCISE": [program.target for program in programs if program.kind == "exercise"],
        "COMMAND": [name for name, _, _ in described_commands()],
        "SHELL": list(SCRIPTS),
    }
    completions = [completion_of(name, summary, usage) for name, usage, summary in described_commands()]
    say(SCRIPTS[shell](completions, names).rstrip())
    return EXIT_OK
