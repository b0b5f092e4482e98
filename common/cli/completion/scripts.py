"""The completion of a command line as a script for bash, zsh or fish.

A script contains all words, so that no key press waits for Python. It completes files if the usage line has FILE,
FOLDER or DIR.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from cli.completion.usage_words import Completion

_FILES, _FOLDERS = "files", "folders"


def _asked(placeholders: Sequence[str]) -> str:
    """What a placeholder asks the shell for: "files", "folders", or nothing."""
    if any(placeholder.startswith("FILE") for placeholder in placeholders):
        return _FILES
    return _FOLDERS if any(placeholder in ("FOLDER", "DIR") for placeholder in placeholders) else ""


def _words(completion: Completion, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The possible values of the arguments, and the options."""
    words = [name for argument in completion.arguments for name in names.get(argument, ())]
    return list(dict.fromkeys(words)) + [option for option, _ in completion.options]


def _cases(
    completions: Sequence[Completion],
    names: Mapping[str, Sequence[str]],
    *,
    after_option: str,
    words: str,
    ask: Mapping[str, str],
) -> str:
    """The branches of a `case` over the commands. `after_option` and `words` are templates
    with {option}, {words} and {ask}, the shell's code from `ask` that completes files or folders.
    """
    cases = []
    for one in completions:
        values = [(option, _asked([value])) for option, value in one.options]
        lines = [after_option.format(option=option, ask=ask[asked]) for option, asked in values if asked]
        lines.append(words.format(words=" ".join(_words(one, names))))
        if _asked(one.arguments):
            lines.append(ask[_asked(one.arguments)])
        cases.append(f"    {one.command})\n" + "".join(f"      {line}\n" for line in lines) + "      ;;\n")
    return "".join(cases)


def bash_script(completions: Sequence[Completion], names: Mapping[str, Sequence[str]]) -> str:
    cases = _cases(
        completions,
        names,
        after_option="[[ $before == {option} ]] && {ask} && return",
        words='COMPREPLY=($(compgen -W "{words}" -- "$word"))',
        ask={_FILES: '_workbook_files -f "$word"', _FOLDERS: '_workbook_files -d "$word"'},
    )
    commands = " ".join(one.command for one in completions)
    return f"""\
_workbook_files() {{ # -f|-d WORD: adds files, or folders, that begin with WORD
  local name
  compopt -o filenames 2>/dev/null  # fails outside a completion
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
{cases}  esac
}}
complete -F _workbook workbook
"""


def zsh_script(completions: Sequence[Completion], names: Mapping[str, Sequence[str]]) -> str:
    cases = _cases(
        completions,
        names,
        after_option="[[ $words[CURRENT-1] == {option} ]] && {ask} && return",
        words="compadd -- {words}",
        ask={_FILES: "_files", _FOLDERS: "_files -/"},
    )
    described = " ".join(shlex.quote(f"{one.command}:{one.summary.replace(':', ' -')}") for one in completions)
    return f"""\
_workbook() {{
  if ((CURRENT == 2)); then
    local -a commands=({described})
    _describe command commands
    return
  fi
  case $words[2] in
{cases}  esac
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
        asked = _asked(one.arguments)
        if asked:
            lines.append(f"{of_command} " + ("-F" if asked == _FILES else "-a '(__fish_complete_directories)'"))
        for option, value in one.options:
            takes = "" if not value else " -r -F" if _asked([value]) else " -x"
            lines.append(f"{of_command} -l {option[2:]}{takes}")
    return "\n".join(lines) + "\n"


SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
