"""The answers of answers.txt: each is the reference answer of an exercise with a change, or another file."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support import ROOT, WORKBOOK

_TEXT = r"`[^`]*`"
_PART = rf"(?:(?:\w+ )?{_TEXT}(?: => {_TEXT})?|\w+)"
_VERDICT = r'(?P<verdict>[a-z |]+); "(?P<words>.*)"(?:; (?P<points>\d+))?'
_ROW = re.compile(rf"(?P<name>[^:;#`\n]+)(?:: (?P<parts>{_PART}(?:,\s+{_PART})*))?(?:; {_VERDICT})?\n")
_SECTION = re.compile(r"== (?P<exercise>\w+)(?P<how>[\w ]*)\n")
_BETWEEN = re.compile(r"(?:(?:#.*)?\n)*")
_LAUNCH = re.compile(r"^  (?P<kernel>\w+)<<<(?P<configuration>.*?)>>>\((?P<arguments>.*?)\);", re.MULTILINE | re.DOTALL)


def _huge_name() -> str:
    """A name of 250 bytes whose demangled form has megabytes: each level names the previous one twice."""
    digits = ("0123456789ABCDEFGHIJ"[number] for number in range(18))
    return "_Z1fSt4pairIiiE" + "".join(f"S_IS{digit}_S{digit}_E" for digit in digits)


_PLACEHOLDERS = {"many_lines": "\n" * 3000, "many_comments": "/**/" * 60, "huge_name": _huge_name()}
# Forms of the file.
_FORMS: dict[str, Callable[[str], bytes]] = {
    "windows": lambda text: ("\ufeff" + text.replace("\n", "\r\n")).encode(),
    "utf_16": lambda text: text.encode("utf-16"),
    "half": lambda text: text[: len(text) // 2].encode(),
    "twice": lambda text: (text + text[text.index("__global__") :]).encode(),
}


def _deep_folders(folder: Path, _: str) -> None:
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)


# Forms of the folder; the other argument is the file's name.
_FOLDERS: dict[str, Callable[[Path, str], None]] = {
    "link": lambda folder, name: (folder / name).symlink_to("/etc/passwd"),
    "link_to_itself": lambda folder, name: (folder / name).symlink_to(name),
    "deep_folders": _deep_folders,
}


@dataclass(frozen=True)
class Answer:
    name: str
    exercise: str
    how: tuple[str, ...]  # its section: how it is judged
    parts: tuple[tuple[str, ...], ...]  # the kind, empty for a change, and one or two texts
    verdict: str = "passed"
    words: str = "tests, and"
    points: int | None = None

    def put(self, folder: Path) -> Path:
        """Writes the answer and its header into an existing folder. Returns the path of the answer."""
        (name,) = self._texts("in") or [f"{self.exercise}.cu"]
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        (form, *_) = [part[0] for part in self.parts if part[0] in (*_FORMS, *_FOLDERS)] or [""]
        if form in _FOLDERS:
            _FOLDERS[form](folder, name)
            return file
        file.write_bytes(_FORMS.get(form, str.encode)(self._text()))
        for header in self._texts("header"):
            (folder / "brought_along.cuh").write_text(header, encoding="utf-8")
        return file

    def _texts(self, kind: str) -> list[str]:
        return [part[1] for part in self.parts if part[0] == kind]

    def _text(self) -> str:
        texts = self._texts
        program = WORKBOOK.catalogue.find_program(self.exercise)
        (file,) = texts("file") or [WORKBOOK.files_of(program.chapter).solutions / program.source.name]
        (text,) = texts("whole") or [(ROOT / file).read_text(encoding="utf-8")]
        for _, old, new in (part for part in self.parts if not part[0]):
            found = list(re.finditer(r"\s+".join(map(re.escape, old.split())), text))
            assert len(found) == 1, f"{self.name}: `{old}` occurs {len(found)} times, and it must occur once."
            text = text[: found[0].start()] + new + text[found[0].end() :]
        known = dict(_PLACEHOLDERS)
        if texts("before") or texts("launch"):
            launch = _LAUNCH.search(text)
            assert launch, f"{self.name}: the answer has no launch."
            known |= launch.groupdict()
            blocks = "".join(f"  {{ {code} }}\n" for code in texts("before"))
            own = "".join(texts("launch")) or launch.group()
            text = text[: launch.start()] + blocks + own + text[launch.end() :]
        top = "".join(f"{code}\n" for code in texts("top")).splitlines(keepends=True)
        top.sort(key=lambda line: not line.startswith("#include"))
        end = max((match.end() for match in re.finditer(r"^#include.*\n", text, re.MULTILINE)), default=0)
        return string.Template(text[:end] + "".join(top) + text[end:]).safe_substitute(known)


def read_answers(text: str) -> Iterator[Answer]:
    section, at = None, _BETWEEN.match(text).end()
    while at < len(text):
        found = _SECTION.match(text, at) or _ROW.match(text, at)
        assert found, f"answers.txt: this is neither a section nor an answer: {text[at : at + 200]}"
        at = _BETWEEN.match(text, found.end()).end()
        if found.re is _SECTION:
            section = found
        else:
            name, parts, verdict, words, points = found.group("name", "parts", "verdict", "words", "points")
            how = tuple(section["how"].split())
            judged = (verdict, words, int(points) if points else None) if verdict else ()
            yield Answer(name, section["exercise"], how, tuple(_parts(parts or "")), *judged)


def _parts(text: str) -> Iterator[tuple[str, ...]]:
    for part in re.findall(_PART, text):
        kind, *texts = part.split("`")
        yield (kind.strip(), *texts[::2])


ANSWERS = list(read_answers((Path(__file__).parent / "answers.txt").read_text(encoding="utf-8")))
