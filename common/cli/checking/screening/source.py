"""Checks the source of an answer in its preprocessed form: real tokens, under real line markers.

An answer shares a process with the simulator, which counts its accesses and finds its errors. So it must not have
assembler, code that the simulator does not follow, or text that pretends to belong to a header. It can include headers of
the chapter, of common/ and of the system, and its own headers, which are screened too.
"""

from __future__ import annotations

import functools
import glob
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.checking.screening.own_headers import HEADER_SUFFIXES, own_headers
from cli.errors import Refused, WorkbookError

_LITERAL = r"""
    (?<![\w$])(?:u8|[uUL])?R"(?P<tag>[^()\\\s"]{0,16})\(.*?\)(?P=tag)"
  | (?:(?<![\w$])(?:u8|[uUL]))?"(?:[^"\\\n]|\\[^\n])*"
  | (?<![\w$])(?:u8|[uUL])?'(?:[^'\\\n]|\\[^\n])+'
"""
_MARKER_OR_LITERAL = re.compile(
    r'^\#\ (?P<line>\d{1,9})\ "(?P<file>(?:[^"\\\n]|\\[^\n])*)"(?P<flags>[ \d]*)$|' + _LITERAL,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_FIRST_LINE = re.compile(r'^\# 1 "(?P<file>(?:[^"\\\n]|\\[^\n])*)"[ ]*$', re.MULTILINE)
_TOKEN = re.compile(
    rf"(?P<literal>{_LITERAL})"
    r"""
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<name>[^\W\d][\w$]*|\$[\w$]*)
  | (?P<directive>^[ \t]*\#)
  | (?P<bracket><:(?!:[^:>])|:>)
  | \S
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_KINDS = {"tag": "literal", "bracket": ""}
_BRACKETS = {"<:": "[", ":>": "]"}
_INCLUDE = re.compile(r"\s*(?:#|%:)\s*include\s*<([^<>\n]+)>")

_BANNED = (
    (re.compile(r"_*no_(?:sanitize|instrument|profile)\w*"), "an attribute that hides code from the simulator"),
    (re.compile(r"__(?:tsan|sanitizer|ubsan)_\w+"), "a function that belongs to the simulator"),
    (re.compile(r"_fileno|_IO_\w+"), "the inside of a FILE"),
)
_ASSEMBLER = re.compile(r"_*asm_*(?:volatile_*)?")
_LINKERS = re.compile(r"_*(?:section|constructor|destructor|init_priority|ifunc|alias|weakref)_*")
_COMPILERS = re.compile(r"_*(?:optimize|target|target_clones|naked)_*")
_PRAGMAS = ("GCC", "weak", "redefine_extname", "scalar_storage_order")
_OWN_SECTION = ("(", '"cuda_constant"', ")")  # of the macro __constant__
_SIMULATOR = "cuda_simulator"  # the namespace, and the beginning of its other names

# Preprocesses a text with the answer's command; returns the result and the name of the text's file.
Preprocessor = Callable[[str], "tuple[str, str]"]


@dataclass(frozen=True)
class _Piece:
    """Text of one file, between two line markers."""

    file: str
    line: int
    flags: str
    text: str


@dataclass(frozen=True)
class Answer:
    """The files of an answer: the learner's, and what the rewriter made of it."""

    source: Path
    rewritten: Path
    root: Path  # the workbook's folder
    folders: tuple[Path, ...]  # the chapter's folders with headers for the answer

    @functools.cached_property
    def sources(self) -> tuple[Path, ...]:
        """The files that the learner has written: the .cu file and its own headers."""
        return (self.source, *own_headers(self.source, (*self.folders, self.root)))

    @functools.cached_property
    def texts(self) -> dict[Path, str]:
        return {source: text_of(source) for source in self.sources}

    @functools.cached_property
    def own_files(self) -> dict[str, Path]:
        """The learner's files and their rewritten copies, by name."""
        written = {_rewritten_name(source): source for source in self.sources[1:]}
        copies = self.rewritten.parent.glob(f"{glob.escape(self.rewritten.name)}.*")
        own_copies = [copy for copy in copies if copy.suffix in HEADER_SUFFIXES and _named_in(copy) in written]
        return {str(file): file for file in (*self.sources, self.rewritten, *own_copies)}

    def is_own(self, file: str) -> bool:
        return os.path.normpath(file) in self.own_files

    def may_include(self, file: str) -> bool:
        """Whether an answer can include a header that is not part of the system."""
        path = Path(file).resolve()
        if self.root / "common/simulator/include" in path.parents:  # CUDA's headers, also <cuda/atomic>
            return True
        if path.suffix not in HEADER_SUFFIXES:
            return False
        copied = str(path).startswith(f"{self.rewritten.resolve()}.")
        return copied or any(folder.resolve() in path.parents for folder in (self.root / "common", *self.folders))


def text_of(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def _named_in(copy: Path) -> str:
    """The line of a rewritten header that names the original."""
    return "".join(text_of(copy).split("\n", 2)[1:2])


def _rewritten_name(header: Path) -> str:
    quoted = str(header).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"'


def with_marks(text: str, answer: Answer, mark: str) -> str:
    """Text under line markers, with `mark` instead of the simulator's name in the answer's own files.

    No file of a learner contains that name, so each one there was written by the rewriter. A name that the answer's
    macros paste appears only in the next step of the preprocessor, and has no mark: an answer cannot know the mark.
    """
    parts, end = [], 0
    for marker, next_end in _line_markers(text):
        part = text[marker.end() : next_end]
        is_own = answer.is_own(_file_of(marker))
        parts += [text[end : marker.end()], part.replace(_SIMULATOR, mark) if is_own else part]
        end = next_end
    return "".join([*parts, text[end:]])


def check_source(preprocessed: str, answer: Answer, preprocess: Preprocessor, mark: str) -> None:
    """Raises Refused for source text that contains something forbidden, WorkbookError if its start is unexpected.

    `preprocessed` is the output of g++ -E for the rewritten answer with_marks().
    """
    for text in answer.texts.values():
        if "CUDA_SIMULATOR" in text or _SIMULATOR in text:
            raise Refused("It uses names that belong to the simulator.")
    pieces = list(_pieces(from_start(preprocessed, answer.rewritten)))
    others = [piece for piece in pieces if not answer.is_own(piece.file)]
    for piece in pieces[1:]:
        if "1" in piece.flags and not answer.is_own(piece.file):
            _check_include(piece, answer)
    clean, name = preprocess(_only_includes(pieces, answer))
    expected = [piece for piece in _pieces(from_start(clean, Path(name))) if piece.file != name]
    if _squeezed(others) != _squeezed(expected):
        raise Refused(
            "It changes the text of a header that it includes: with a macro, which must be below the #include "
            "lines, or with #line."
        )
    for piece in pieces:
        if answer.is_own(piece.file):
            _check_tokens(piece.text, mark)


def _check_include(header: _Piece, answer: Answer) -> None:
    name = Path(header.file).name
    is_systems = "3" in header.flags or header.file.startswith("<")
    if not is_systems and not answer.may_include(header.file):
        raise Refused(
            f"It includes {name}: an answer can include only headers of its chapter, of common/, of the system, and its "
            "own headers in its own folder."
        )


def from_start(preprocessed: str, rewritten: Path) -> str:
    """The text from the start of the answer's file. The text before it, which is most of the text, comes from the
    compiler and the precompiled header.
    """
    first = next((m for m in _FIRST_LINE.finditer(preprocessed) if _file_of(m) == str(rewritten)), None)
    if not first:
        raise WorkbookError(f'g++ -E did not begin with # 1 "{rewritten}"')
    return preprocessed[first.start() :]


def _line_markers(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The line markers, each with the end of the text below it."""
    markers = [match for match in _MARKER_OR_LITERAL.finditer(text) if match["line"] is not None]
    return zip(markers, [*(marker.start() for marker in markers[1:]), len(text)])


def _pieces(text: str) -> Iterator[_Piece]:
    for marker, end in _line_markers(text):
        yield _Piece(_file_of(marker), int(marker["line"]), marker["flags"], text[marker.end() + 1 : end])


def _file_of(marker: re.Match[str]) -> str:
    return marker["file"].replace('\\"', '"').replace("\\\\", "\\")


def _squeezed(pieces: list[_Piece]) -> str:
    return "".join("".join(piece.text.split()) for piece in pieces)


def _only_includes(pieces: list[_Piece], answer: Answer) -> str:
    """A file with only the #include lines of the answer, in the same order."""
    lines = {name: text_of(file).split("\n") for name, file in answer.own_files.items()}
    included = []
    entered = None
    for before, piece in zip(pieces, pieces[1:]):
        if "1" in piece.flags and answer.is_own(before.file) and not answer.is_own(piece.file):
            entered = piece
        elif entered and "2" in piece.flags and answer.is_own(piece.file):
            own = lines[os.path.normpath(piece.file)]
            line = own[piece.line - 2] if 2 <= piece.line <= len(own) + 1 else ""
            if spelled := _INCLUDE.match(line):  # as it is, because a header can have an #include_next
                included.append(f"#include <{spelled.group(1)}>")
            elif "3" not in entered.flags:
                included.append(f'#include "{entered.file}"')
            else:
                raise Refused(f"It includes <{Path(entered.file).name}> with a macro, or it uses #line.")
            entered = None
    return "".join(f"{line}\n" for line in included)


@dataclass(frozen=True)
class _Token:
    kind: str  # "name", "literal", "number", "directive"; otherwise empty
    text: str
    offset: int


def _check_tokens(text: str, mark: str) -> None:
    found = [(match.lastgroup or "", match.group(), match.start()) for match in _TOKEN.finditer(text)]
    tokens = [_Token(_KINDS.get(kind, kind), _BRACKETS.get(part, part), offset) for kind, part, offset in found]
    in_attribute = _attribute_tokens(tokens)
    for i, token in enumerate(tokens):
        what = ""
        following = tuple(other.text for other in tokens[i + 1 : i + 4])
        if token.kind == "name":
            what = _banned_name(token.text, following, i in in_attribute, mark)
        elif token.kind == "directive" and following[:1] == ("pragma",) and following[1:2] and following[1] in _PRAGMAS:
            what = f"#pragma {following[1]}"
        if what:
            end = text.find("\n", token.offset)
            line = text[text.rfind("\n", 0, token.offset) + 1 : end if end >= 0 else len(text)]
            shown = "".join(c if c.isprintable() else " " for c in line)
            raise Refused(f"It uses {what}: {shown.strip()[:120]}")


def _banned_name(name: str, following: tuple[str, ...], in_attribute: bool, mark: str) -> str:
    if _ASSEMBLER.fullmatch(name) and following != ("(", f'"{mark}_dynamic_shared"', ")"):
        return "assembler"
    if in_attribute and _LINKERS.fullmatch(name) and following != _OWN_SECTION:
        return "an attribute for the linker"
    if in_attribute and _COMPILERS.fullmatch(name):
        return "an attribute that changes the compilation"
    if _SIMULATOR in name:
        return "a name that belongs to the simulator"
    return next((what for pattern, what in _BANNED if pattern.fullmatch(name)), "")


def _attribute_tokens(tokens: list[_Token]) -> set[int]:
    """The indices of the tokens that are inside __attribute__((...)) or [[...]]."""
    inside = set()
    closing, depth = "", 0
    for i, token in enumerate(tokens):
        if closing:
            inside.add(i)
            opening = "(" if closing == ")" else "["
            depth += (token.text == opening) - (token.text == closing)
            closing = closing if depth > 0 else ""
        elif token.text in ("__attribute__", "__attribute") and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            closing = ")"
        elif token.text == "[" and i + 1 < len(tokens) and tokens[i + 1].text == "[":
            closing, depth = "]", 1
        else:
            depth = 0
    return inside
