"""The completion of a command line as a script for bash, zsh or fish.

A script holds all words, so that no key press waits for Python. It asks for files where the usage line has FILE, FOLDER
or DIR.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from cli.completion.usage_words import Completion

_FOLDERS = ("FOLDER", "DIR")


def _is_file(placeholder: str) -> bool:
    return placeholder.startswith("FILE")


def _words(completion: Completion, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The names that the arguments stand for, and the options."""
    words = [name for argument in completion.arguments for name in names.get(argument, ())]
    return list(dict.fromkeys(words)) + [option for option, _ in completion.options]


def bash_script(completions: Sequence[Completion], names: Mapping[str, Sequence[str]]) -> str:
    cases = []
    for one in completions:
        lines = []
        for option, value in one.options:
            if value in _FOLDERS or _is_file(value):
                kind = "-d" if value in _FOLDERS else "-f"
                lines.append(f'[[ $before == {option} ]] && _workbook_files {kind} "$word" && return')
        lines.append(f'COMPREPLY=($(compgen -W "{" ".join(_words(one, names))}" -- "$word"))')
        if any(map(_is_file, one.arguments)):
            lines.append('_workbook_files -f "$word"')
        elif any(argument in _FOLDERS for argument in one.arguments):
            lines.append('_workbook_files -d "$word"')
        cases.append(f"    {one.command})\n" + "".join(f"      {line}\n" for line in lines) + "      ;;\n")
    commands = " ".join(one.command for one in completions)
    return f"""\
_workbook_files() {{ # -f|-d WORD: adds files, or folders, that begin with WORD
  local name
  compopt -o filenames 2>/dev/null  # only inside a completion
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$2")
}}
_workbook() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{commands}" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{"".join(cases)}  esac
}}
complete -F _workbook workbook
"""


def zsh_script(completions: Sequence[Completion], names: Mapping[str, Sequence[str]]) -> str:
    cases = []
    for one in completions:
        lines = []
        for option, value in one.options:
            if value in _FOLDERS or _is_file(value):
                what = "_files -/" if value in _FOLDERS else "_files"
                lines.append(f"[[ $words[CURRENT-1] == {option} ]] && {what} && return")
        lines.append(f"compadd -- {' '.join(_words(one, names))}")
        if any(map(_is_file, one.arguments)):
            lines.append("_files")
        elif any(argument in _FOLDERS for argument in one.arguments):
            lines.append("_files -/")
        cases.append(f"    {one.command})\n" + "".join(f"      {line}\n" for line in lines) + "      ;;\n")
    described = " ".join(shlex.quote(f"{one.command}:{one.summary.replace(':', ' -')}") for one in completions)
    return f"""\
_workbook() {{
  if ((CURRENT == 2)); then
    local -a commands=({described})
    _describe command commands
    return
  fi
  case $words[2] in
{"".join(cases)}  esac
}}
compdef _workbook workbook
"""


def fish_script(completions: Sequence[Completion], names: Mapping[str, Sequence[str]]) -> str:
    lines = ["complete -c workbook -f"]
    for one in completions:
        summary = shlex.quote(one.summary)
        lines.append(f"complete -c workbook -n __fish_use_subcommand -a {one.command} -d {summary}")
        of_command = f"complete -c workbook -n '__fish_seen_subcommand_from {one.command}'"
        words = [word for word in _words(one, names) if not word.startswith("--")]
        if words:
            lines.append(f"{of_command} -a '{' '.join(words)}'")
        if any(map(_is_file, one.arguments)):
            lines.append(f"{of_command} -F")
        elif any(argument in _FOLDERS for argument in one.arguments):
            lines.append(f"{of_command} -a '(__fish_complete_directories)'")
        for option, value in one.options:
            takes = "" if not value else " -r -F" if _is_file(value) or value in _FOLDERS else " -x"
            lines.append(f"{of_command} -l {option[2:]}{takes}")
    return "\n".join(lines) + "\n"


SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
