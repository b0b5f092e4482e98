"""Reads the workbook's Containerfiles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SIMULATOR = ROOT / ".devcontainer/Containerfile"
CUDA = ROOT / ".devcontainer/cuda/Containerfile"
KNOWN = ("ARG", "FROM", "RUN", "USER", "WORKDIR")


@dataclass(frozen=True)
class Instruction:
    name: str
    words: str


def instructions(file: Path) -> list[Instruction]:
    """The instructions of a file, each in one line. Raises ValueError for one that is not KNOWN, so cannot be replayed.
    """
    text = re.sub(r"^\s*#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.strip():
            name, _, words = line.partition(" ")
            if name not in KNOWN:
                raise ValueError(f"{file}: {name} is not supported here.")
            found.append(Instruction(name, words.strip()))
    return found


def packages(file: Path) -> set[str]:
    """The packages that apt-get installs in it."""
    runs = " && ".join(one.words for one in instructions(file) if one.name == "RUN")
    installed = re.findall(r"apt-get install ([^&]*)", runs)
    return {word for words in installed for word in words.split() if not word.startswith("-")}
