"""The preprocessor's directives in the learner's own files, and the names in their conditions.

A condition on the compiler would show one text to g++ and another to clang, which checks CUDA's rules; a condition on
files (__has_include) would show one text when the answer is screened and another when it is compiled.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.errors import Refused

# Stands for a backslash and a line end, which g++ removes everywhere except in a raw string.
_SPLICE = "\ufffe"
_TOKEN = re.compile(
    r"""
    (?P<skipped>/@*/[^\n]*|/@*\*.*?(?:\*@*/|\Z)|[ \t\r\f\v\0@]+)
  | (?P<newline>\n\s*)
  | (?P<literal>(?:u@*8@*|[uUL]@*)?R@*"(?P<tag>[^()\\\s"@]{0,16})\(.*?(?:\)(?P=tag)"|\Z)
      |"(?:[^"\\\n]|\\@*[^\n])*"|'(?:[^'\\\n]|\\@*[^\n])+')
  | (?P<number>\.?@*\d(?:[eEpP]@*[+-]|'@*\w|[\w.@])*)
  | (?P<name>[^\W\d](?:[\w$]|@)*)
  | (?P<paste>\#@*\#|%@*:@*%@*:)
  | (?P<hash>\#|%@*:)
  | .
    """.replace("@", _SPLICE),
    re.DOTALL | re.VERBOSE,
)
# Each line that can be a directive, except the usual ones that are left: most texts, which are long, have none.
_UNUSUAL = re.compile(
    r"^(?:[^\n]*\*/)?[ \t\r\f\v\0\\]*(?:%|\#(?![ \t]*(?:define|undef|pragma|\d+)\b))", re.MULTILINE
)
_MAX_TEXT = 120  # characters
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef")
_LEFT = ("define", "undef", "pragma", "warning", "ident", "")
# These have the same value for g++ and for clang's check. CUDA's samples ask which of CUDA's headers are included.
_ALLOWED = re.compile(
    r"__CUDA_ARCH_\w+|__CUDACC_\w+|__NVCC__|__cplusplus|_WIN(?:32|64)|_MSC_VER|__linux__|__unix__|__APPLE__|__MACH__"
    r"|_OPENMP|__INTELLISENSE__|__LINE__"
    r"|__x86_64__|__aarch64__|__(?:CUDA_RUNTIME(?:_API)?|DRIVER_TYPES|cuda_cuda)_[Hh]__"
)
_GUARD = re.compile(r"_+(?!STD|CLANG)[A-Z]\w*?_(?:H|HH|HPP|HXX|CU|CUH|INC|INCLUDED|GUARD)_*", re.IGNORECASE)
_OF_COMPILERS = ("CUDA", "CLANG", "LLVM", "PTX", "NVPTX", "OPTIMIZE", "GNUC")
_ADVICE = (
    "An answer must be the same text for every compiler. A condition can ask for __CUDA_ARCH__, __CUDACC__, NDEBUG, "
    "__cplusplus and macros of your own whose names do not begin with an underscore"
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Directive:
    """A directive without comments; `name` is `if`, `define`, ..., or a number for the compiler's line marker."""

    line: int
    text: str
    tokens: tuple[_Token, ...]  # after the #

    @property
    def name(self) -> str:
        return self.tokens[0].text if self.tokens else ""

    @property
    def names(self) -> list[str]:
        return [token.text for token in self.tokens[1:] if token.kind == "name"]

    @property
    def pastes(self) -> bool:
        return any(token.kind == "paste" for token in self.tokens)


def have_same_code(text: str, other: str) -> bool:
    """Whether two C++ texts have the same tokens: comments, white space and continued lines do not count."""
    return all(one == two for one, two in itertools.zip_longest(_code_of(text), _code_of(other)))


def _code_of(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(_joined(text)):
        if match.lastgroup not in ("skipped", "newline"):
            yield match.group().replace(_SPLICE, "")


def _joined(text: str) -> str:
    """The text with _SPLICE where a line is continued."""
    return re.sub(r"\\[ \t\r\f\v\0]*\n", _SPLICE, text.replace(_SPLICE, " ").lstrip("\ufeff"))


def directives(text: str) -> Iterator[Directive]:
    """The directives of a C++ text, as g++ finds them: with continued lines joined, and not in comments or literals."""
    joined = _joined(text)
    begins_line, line, begin = True, 1, 0
    found: list[_Token] | None = None
    for match in _TOKEN.finditer(joined + "\n"):
        kind = match.lastgroup or ""
        if kind == "newline":
            if found is not None:
                end = found[-1].end if found else match.start()
                yield Directive(line, " ".join(joined[begin:end].replace(_SPLICE, "").split()), tuple(found))
            begins_line, found = True, None
        elif kind != "skipped":
            if found is not None:
                shown = match.group().replace(_SPLICE, "")
                found.append(_Token("literal" if kind == "tag" else kind, shown, match.start(), match.end()))
            elif kind == "hash" and begins_line:
                line += sum(joined.count(end, begin, match.start()) for end in ("\n", _SPLICE))
                found, begin = [], match.start()
            begins_line = False


def check_conditions(texts: Mapping[Path, str]) -> None:
    """Raises Refused for a condition on the compiler, or on files, in one of the learner's files."""
    found = [(file, directive) for file, text in texts.items() for directive in directives(text)]
    own: dict[str, list[Directive]] = {}
    for _, directive in found:
        if directive.name == "define" and directive.names:
            own.setdefault(directive.names[0], []).append(directive)
    files = {_in_capitals(file.stem) for file in texts} - {""}
    for file, directive in found:
        if directive.name in _CONDITIONS:
            asked = next(_forbidden(directive, own, files), "")
            if asked:
                where = f"line {directive.line} of {file.name}"
                raise Refused(f"It asks for {asked} in a condition, {where}: {directive.text[:_MAX_TEXT]}. {_ADVICE}.")


def check_text(text: str) -> None:
    """Raises Refused if g++ -fdirectives-only has left a condition or an #include in the text."""
    for directive in directives(text) if _UNUSUAL.search(text) else ():
        if directive.name not in _LEFT and not directive.name.isdigit():
            raise Refused(f"It has a directive that g++ does not recognise in the usual place: {directive.text[:_MAX_TEXT]}.")


def _forbidden(condition: Directive, own: Mapping[str, list[Directive]], files: set[str]) -> Iterator[str]:
    """The names that a condition must not ask for, also through the macros of the learner."""
    seen: set[str] = set()
    names = condition.names
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        is_guard = name in own and (_GUARD.fullmatch(name) or _in_capitals(name) in files)
        if name.startswith("_") and not is_guard and not _ALLOWED.fullmatch(name):
            yield name
        for macro in own.get(name, ()):
            if macro.pastes:
                yield f"a name that {name} makes with ##"
            names += _names_in_body(macro)


def _names_in_body(macro: Directive) -> Iterable[str]:
    """The names in a macro's text, without its parameters."""
    name, *rest = macro.tokens[1:]
    parameters: set[str] = set()
    if rest and rest[0].text == "(" and rest[0].begin == name.end:
        closing = next((i for i, token in enumerate(rest) if token.text == ")"), len(rest))
        parameters, rest = {token.text for token in rest[:closing]}, rest[closing:]
    return [token.text for token in rest if token.kind == "name" and token.text not in parameters]


def _in_capitals(name: str) -> str:
    """A file's or macro's name without what an include guard adds to it; empty for a name that compilers use too."""
    capitals = re.sub(r"\W", "_", name).upper().strip("_")
    return "" if capitals in _OF_COMPILERS else capitals
