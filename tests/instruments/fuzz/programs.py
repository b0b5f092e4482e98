"""The chapters' programs: random options, and the CSV files that chapter 8 reads."""

from __future__ import annotations

import random
import re
from pathlib import Path

from cli.running.limited_run import Limits, run_within
from fuzz.area import wrong_output
from fuzz.edits import edited_data, nonsense

# The programs of chapter 0 are one file each, and take no arguments.
_PROGRAM = re.compile(r"ch[1-9]_(?!ex)\w+(?<!_inspect)(?<!_test)(?<!_mistakes)(?<!_judge)")
_OPTION = re.compile(r"\"(--[a-z][a-z-]*)[ \"=]")
_WHOLE_NUMBER = re.compile(r"[+-]?\d+")
_TABLE = "x,y,z\n0.5,-1.25,3\n1,2,3\n-4e2,.5,7.\n0,0,0\n"
_LIMITS = Limits(cpu_s=20.0, wall_s=120.0)


class Programs:
    name = "programs"
    is_isolated = False

    def __init__(self, root: Path, tree: Path) -> None:
        files = sorted((tree / "bin").iterdir())
        self._programs = [file for file in files if _PROGRAM.fullmatch(file.name) and file.is_file()]
        sources = [*root.glob("chapters/*/harness/*.cpp"), *root.glob("common/harness/*.h")]
        texts = [source.read_text(encoding="utf-8") for source in sources]
        self._options = sorted({option for text in texts for option in _OPTION.findall(text)})

    def run(self, chance: random.Random, folder: Path) -> str:
        if chance.random() < 0.4:
            readers = [program for program in self._programs if program.name == "ch8_tsne_naive"]
            table = folder / "table.csv"
            table.write_bytes(edited_data(_TABLE, chance))
            command = [str(chance.choice(readers or self._programs)), "--check", "--input", "table.csv"]
            makes_no_sense = False
        else:
            command, makes_no_sense = self._command_line(chance)
        (folder / "command_line.txt").write_text(f"{command!r}\n", encoding="utf-8", errors="surrogateescape")
        ended = run_within(_LIMITS, command, folder)
        if ended.stopped:
            return "" if "time" in ended.stopped or "memory" in ended.stopped else f"it {ended.stopped}"  # a large size
        if ended.returncode not in (0, 1, 2):
            return f"it ends with {ended.returncode}: {ended.output[-500:]!r}"
        if ended.returncode != 0 and not ended.output.strip():
            return f"it fails with {ended.returncode}, without a message"
        if ended.returncode == 0 and makes_no_sense:
            return f"it accepts nonsense: it ends with 0: {ended.output[-300:]!r}"
        return wrong_output(ended.output)

    def _command_line(self, chance: random.Random) -> tuple[list[str], bool]:
        words, makes_no_sense = [str(chance.choice(self._programs)), "--check"], False
        for _ in range(chance.randint(1, 3)):
            kind = chance.random()
            if kind < 0.15:
                words.append(chance.choice(("--frobnicate", "-n", "stray", "--\x1b[2J", "--n==3")))
                makes_no_sense = True
                continue
            option = chance.choice(self._options)
            value = nonsense(chance).replace("\0", "") if chance.random() < 0.5 else str(chance.choice((1, 2, 7, 33, 100)))
            words += [option, value] if chance.random() < 0.5 else [f"{option}={value}"]
            # Only the program can tell which options it takes, but no option takes a value that is not a number.
            is_text = option in ("--input", "--csv", "--check", "--help")
            makes_no_sense |= not is_text and not _WHOLE_NUMBER.fullmatch(value)
        return words, makes_no_sense and "--help" not in words
