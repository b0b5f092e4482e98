"""The functions that an operation's header declares, parsed well enough to write a function that calls another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cuda_source import mask

_FUNCTION = re.compile(r"(?P<result>[\w:<>,*&\s]+?[\s*&])(?P<name>\w+)\s*\((?P<parameters>.*)\)", re.DOTALL)
_NO_FUNCTION = re.compile(r"\s*(?:using|typedef|template|struct|class|enum|constexpr|inline|static_assert)\b")
_DEFAULT = re.compile(r"\s*=.*", re.DOTALL)


@dataclass(frozen=True)
class Function:
    result: str
    name: str
    parameters: tuple[str, ...]  # with names, without default values

    @property
    def declaration(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.parameters)})"

    @property
    def arguments(self) -> str:
        return ", ".join(re.findall(r"\w+", parameter)[-1] for parameter in self.parameters)

    def is_defined_in(self, text: str) -> bool:
        return re.search(rf"^[\w:<>,*& ]*[ *&]{self.name}\s*\([^;{{}}]*\)\s*\{{", mask(text), re.MULTILINE) is not None


def declared_functions(header: str) -> list[Function]:
    """The functions that a header's text declares outside of namespaces and does not define."""
    functions = []
    for statement in _outer_statements(header):
        found = _FUNCTION.fullmatch(statement.strip())
        if found and not _NO_FUNCTION.match(statement):
            parameters = (_DEFAULT.sub("", parameter) for parameter in _split(found["parameters"]))
            words = tuple(" ".join(parameter.split()) for parameter in parameters)
            functions.append(Function(found["result"].strip(), found["name"], words))
    return functions


def _outer_statements(text: str) -> list[str]:
    """The statements that end with `;` and are not inside braces."""
    text = re.sub(r"^[ \t]*#.*", "", mask(text), flags=re.MULTILINE)
    statements, depth, begin = [], 0, 0
    for offset, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                begin = offset + 1
        elif character == ";" and depth == 0:
            statements.append(text[begin:offset])
            begin = offset + 1
    return statements


def _split(parameters: str) -> list[str]:
    """Splits at commas that are not inside brackets."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]
