"""A stage's text as tokens, with the few queries about C++ that the operators need.

This is not a parser. It relies on clang-format's layout: a binary operator has white space on both sides, but the
brackets of a template do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cuda_source import mask

ASSIGNMENTS = ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
CONTROL = frozenset(("if", "for", "while", "switch", "catch"))
_NO_TYPE = CONTROL | {"return", "else", "case", "goto", "new", "delete", "do", "throw", "using", "typename", "sizeof"}
_QUALIFIERS = frozenset(("constexpr", "static", "inline", "__restrict__", "__shared__", "__device__", "__constant__"))
_CLOSES = {")": "(", "]": "[", "}": "{", ">>>": "<<<"}
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_STATIC_ASSERT = re.compile(r"\bstatic_assert\s*\([^;]*;")
_TOKEN = re.compile(
    r"""[A-Za-z_]\w*
      | \.?\d(?:[eEpP][-+]|[\w.'])*                         # a number, as the preprocessor sees it
      | <<<|>>>|<<=|>>=|->|::|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=
      | \S""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    text: str
    start: int  # offsets in the file's text
    end: int
    spaced: bool  # white space before and after

    @property
    def is_name(self) -> bool:
        return self.text[0].isalpha() or self.text[0] == "_"

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit() or (self.text[0] == "." and len(self.text) > 1)


def tokenize(text: str) -> list[Token]:
    """The tokens of the code, without comments, strings, characters, preprocessor lines and static_asserts."""
    code = _STATIC_ASSERT.sub(_blank, _PREPROCESSOR.sub(_blank, mask(text)))
    tokens = []
    for match in _TOKEN.finditer(code):
        start, end = match.span()
        spaced = code[start - 1 : start].isspace() and code[end : end + 1].isspace()
        tokens.append(Token(match.group(), start, end, spaced))
    return tokens


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


class Source:
    """Tokens are named by their index. A span is a pair of indices: the first token and the last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.partner: dict[int, int] = {}  # the matching bracket
        self.enclosing: list[int] = []  # the innermost bracket around a token; -1 at the file's level
        self._match_brackets()

    def _match_brackets(self) -> None:
        open_brackets: list[int] = []
        for i, token in enumerate(self.tokens):
            opens = _CLOSES.get(token.text)
            if opens and open_brackets and self.tokens[open_brackets[-1]].text == opens:
                partner = open_brackets.pop()
                self.partner[i], self.partner[partner] = partner, i
            self.enclosing.append(open_brackets[-1] if open_brackets else -1)
            if token.text in _CLOSES.values():
                open_brackets.append(i)

    def at(self, i: int) -> str:
        """A token's text; empty before the first and after the last."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def code(self, first: int, last: int) -> str:
        """A span's text in the file."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def shown(self, first: int, last: int) -> str:
        """A span's tokens on one line, for a message."""
        pieces = [self.tokens[first].text]
        for before, token in zip(self.tokens[first:last], self.tokens[first + 1 : last + 1]):
            pieces.append((" " if token.start > before.end else "") + token.text)
        return "".join(pieces)

    def is_call(self, opening: int) -> bool:
        """Whether a `(` or `<<<` contains arguments of a call, a launch or a constructor."""
        before = self.tokens[opening - 1] if opening > 0 else None
        if before is None or before.text in CONTROL:
            return False
        return self.at(opening) == "<<<" or before.is_name or before.text == ">>>" or self._closes_template(opening - 1)

    def arguments(self, opening: int) -> list[tuple[int, int]]:
        """The spans between the commas inside a bracket."""
        closing = self.partner.get(opening, opening)
        commas = [i for i in range(opening + 1, closing) if self.at(i) == "," and self.enclosing[i] == opening]
        borders = [opening, *commas, closing]
        spans = [(before + 1, after - 1) for before, after in zip(borders, borders[1:])]
        return [span for span in spans if span[0] <= span[1]]

    def launch_argument(self, i: int) -> int | None:
        """The number, from 0, of the argument between <<< and >>> that consists of the token i alone."""
        opening = self.enclosing[i]
        if self.at(opening) != "<<<":
            return None
        return next((k for k, span in enumerate(self.arguments(opening)) if span == (i, i)), None)

    def operands(self, i: int, stops: frozenset[str]) -> tuple[int, int]:
        """The first token of the left operand of operator i, and the last token of the right operand.

        Both operands end at the nearest stop, comma, semicolon or assignment, or at the bracket around the operator.
        """
        first, last = i - 1, i + 1
        while not self._ends_operand(first - 1, stops, i):
            first -= 1
        while not self._ends_operand(last + 1, stops, i):
            last += 1
        return first, last

    def _ends_operand(self, i: int, stops: frozenset[str], operator: int) -> bool:
        opening = self.enclosing[operator]
        if i < 0 or i >= len(self.tokens) or i in (opening, self.partner.get(opening)):
            return True
        if self.enclosing[i] != opening:
            return False
        return self.at(i) in stops or self.at(i) in (",", ";", "=", *ASSIGNMENTS, "return", "{", "}")

    def factor_before(self, i: int) -> int:
        """The first token of the factor that ends before operator i: a name with its subscripts, members and calls."""
        j = i - 1
        while True:
            if self.at(j) in (")", "]") and j in self.partner:
                j = self.partner[j]
                if not (self.tokens[j - 1].is_name or self.at(j - 1) in (")", "]", ">")) or self.at(j - 1) in _NO_TYPE:
                    return j
                j -= 1
            elif self._closes_template(j):
                j = self._template_open(j) - 1
            elif self.at(j - 1) in (".", "->", "::"):
                j -= 2
            else:
                return j

    def factor_after(self, i: int) -> int:
        """The last token of the factor that starts after operator i."""
        j = i + 1
        while self.at(j) in ("-", "!", "*", "&", "~", "++", "--"):
            j += 1
        j = self.partner.get(j, j)
        while True:
            if self.at(j + 1) in (".", "->", "::"):
                j += 2
            elif self.at(j + 1) in ("(", "[") and j + 1 in self.partner:
                j = self.partner[j + 1]
            elif self.at(j + 1) == "<" and not self.tokens[j + 1].spaced:
                close = self._template_close(j + 1)
                if close is None:
                    return j
                j = close
            else:
                return j

    def _closes_template(self, i: int) -> bool:
        return self.at(i) == ">" and not self.tokens[i].spaced and self._template_open(i) != i

    def _template_open(self, i: int) -> int:
        """The `<` that belongs to a `>`, or i itself if there is none."""
        depth = 0
        for j in range(i, max(self.enclosing[i], -1), -1):
            depth += (self.at(j) == ">") - (self.at(j) == "<") if not self.tokens[j].spaced else 0
            if depth == 0:
                return j
        return i

    def _template_close(self, i: int) -> int | None:
        depth = 0
        for j in range(i, len(self.tokens)):
            depth += (self.at(j) == "<") - (self.at(j) == ">") if not self.tokens[j].spaced else 0
            if depth == 0:
                return j
            if self.at(j) in (";", "{", "}"):
                return None
        return None

    def type_before(self, name: int) -> str:
        """The type before a declared name; empty if the name is only used.

        `const` counts only if it protects a pointer's target from being written.
        """
        j = name - 1
        while j >= 0 and self._is_part_of_type(j):
            j -= 1
        words = [self.at(i) for i in range(j + 1, name) if self.at(i) not in _QUALIFIERS]
        if not {"*", "&"} & set(words):
            words = [word for word in words if word != "const"]
        return " ".join(words) if any(word[0].isalpha() or word[0] == "_" for word in words) else ""

    def _is_part_of_type(self, i: int) -> bool:
        token = self.tokens[i]
        if token.is_name:
            return token.text not in _NO_TYPE
        return token.text == "::" or (token.text in ("*", "&", "<", ">") and not token.spaced)

    def declared_types(self) -> dict[str, set[str]]:
        """The types that the file's variables and parameters are declared with, by name."""
        types: dict[str, set[str]] = {}
        for i, token in enumerate(self.tokens):
            if token.is_name and self.at(i + 1) in (",", ")", "=", ";", "[", "{", "("):
                declared = self.type_before(i)
                if declared:
                    types.setdefault(token.text, set()).add(declared)
        return types

    def constants(self) -> dict[str, str]:
        """The names of constexpr constants that are plain numbers, with the number."""
        found = {}
        for i, token in enumerate(self.tokens):
            if token.text == "constexpr" and self.at(i + 3) == "=" and self.at(i + 5) == ";":
                if self.tokens[i + 4].is_number:
                    found[self.at(i + 2)] = self.at(i + 4)
        return found

    def functions(self) -> list[tuple[int, tuple[int, int]]]:
        """For each function that is defined: its `(`, and the braces of its body."""
        found = []
        for i, token in enumerate(self.tokens):
            if token.text != "(" or i not in self.partner:
                continue
            body = self.partner[i] + 1
            named = i > 0 and self.tokens[i - 1].is_name and self.at(i - 1) not in CONTROL
            if named and self.at(body) == "{" and body in self.partner:
                found.append((i, (body, self.partner[body])))
        return found

    def statements(self) -> list[tuple[int, int]]:
        """The spans of the expression statements, each with its `;`. Declarations are left out."""
        found = []
        for i, token in enumerate(self.tokens):
            if self._starts_statement(i) and self._starts_expression(i):
                end = self._statement_end(i)
                if end is not None:
                    found.append((i, end))
        return found

    def _starts_statement(self, i: int) -> bool:
        if self.at(self.enclosing[i]) != "{" or self.enclosing[i] < 0:
            return False
        before = self.at(i - 1)
        if before == ")" and i - 1 in self.partner:
            keyword = self.at(self.partner[i - 1] - 1)
            return keyword in CONTROL or keyword == "constexpr"  # if constexpr (...)
        return before in (";", "{", "}", "else", "do")

    def _starts_expression(self, i: int) -> bool:
        token = self.tokens[i]
        if not token.is_name:
            return token.text in ("*", "(", "++", "--")
        if token.text in _NO_TYPE:
            return False
        while self.at(i + 1) == "::":
            i += 2
        if self.at(i + 1) == "<" and not self.tokens[i + 1].spaced:
            close = self._template_close(i + 1)
            i = i if close is None else close
        following = self.at(i + 1)
        return following in ("(", "[", ".", "->", "++", "--", "<<<") or following.endswith("=")

    def _statement_end(self, i: int) -> int | None:
        while i < len(self.tokens):
            if self.at(i) == ";":
                return i
            if self.at(i) == "{" and self.at(i - 1) not in ("=", "(", ","):
                return None
            if self.at(i) in ("}", ")", "]"):
                return None
            i = self.partner.get(i, i) + 1
        return None
