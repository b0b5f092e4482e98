"""The functions of a learner's source, to explain where a name is declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MOST = 200_000  # characters
_NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(
    r"(?P<head>[^;{}]*?)\b(?P<name>\w+)\s*\((?P<parameters>(?:[^;{}()]|\([^;{}()]*\))*)\)\s*"
    r"(?:(?:const|noexcept)\s*)*\{"
)
_BRACE = re.compile(r"[{}]")
_NO_TYPE = r"(?!(?:return|else|case|goto|new|delete|throw|typename|using|sizeof)\b)"
# A declaration of {0}: a type and the name, or a basic type, other names and the name.
_DECLARATION = (
    rf"(?<![\w.>]){_NO_TYPE}[A-Za-z_][\w:]*(?:<[^;{{{{}}}}]*?>)?(?:\s+const\b)?"
    r"(?:\s*[*&][\s*&]*|\s+)(?:(?:__restrict__|const)\s+)*{0}\s*(?=[=;,)\[{{(:]|\Z)"
    r"|[;{{(]\s*(?:const\s+)?(?:int|unsigned|float|double|(?:std::)?size_t|bool|char|long)\b"
    r"[^;(){{}}]*,[\s*]*{0}\s*[=;,\[]"
)


@dataclass(frozen=True)
class Function:
    name: str
    is_kernel: bool
    is_device: bool  # kernels are device code too
    parameters: str
    body: str
    first_line: int
    body_line: int
    last_line: int

    def parameter_names(self) -> list[str]:
        names = (re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?\Z", one.strip()) for one in self.parameters.split(","))
        return [name[1] for name in names if name]

    def line_of(self, name: str) -> int | None:
        """The line that declares a parameter or variable; None if there is none."""
        pattern = re.compile(_DECLARATION.format(re.escape(name)))
        if name in self.parameter_names() and pattern.search(self.parameters):
            return self.first_line
        declared = pattern.search(self.body)
        return self.body_line + self.body.count("\n", 0, declared.end()) if declared else None


def code_of(text: str) -> str:
    """The text with blanks for its comments, strings and characters."""
    return _NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text[:_MOST])


def functions_in(code: str) -> Iterator[Function]:
    """The functions with a body, in the order of the text."""
    position = 0
    while True:
        found = _FUNCTION.search(code, position)
        if not found:
            return
        position = _end_of_block(code, found.end())
        is_kernel = "__global__" in found["head"]
        yield Function(
            found["name"],
            is_kernel,
            is_kernel or "__device__" in found["head"],
            found["parameters"],
            code[found.end() : position],
            code.count("\n", 0, found.start("name")) + 1,
            code.count("\n", 0, found.end()) + 1,
            code.count("\n", 0, position) + 1,
        )


def _end_of_block(code: str, begin: int) -> int:
    depth = 1
    for brace in _BRACE.finditer(code, begin):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(code)
