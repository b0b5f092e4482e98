"""Random edits of a text's tokens, lines and bytes, and nonsense words."""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\s+|<<<|>>>|::|->|\S")
_NUMBERS = ("0", "-1", "1", "2147483648", "18446744073709551616", "-0", "1e999", "nan", "0x10", "1.5", "\u0663", "9" * 5000)
_TEXTS = ("", " ", "\t", "\n", "\r\n", "\0", "\x1b[2J", "\x07", "\u2028", "\u202e", "\ufeff", '"', "'", "\\", "%s%n", "ä", "x" * 3000)
_CODE = ("<<<", ">>>", "{", "}", "(", ")", ";", ",", "#", "//", "/*", "*/", 'R"(', ")\"", "\\\n", "::", "__shared__", "extern",
         "template", "[", "]", "<", ">", "#define X", "#if 0\n", "#endif\n", "asm", "__global__", "= 0", "&", "*")  # fmt: skip
_STRUCTURE = (",", ",,", '"', "[", "]", "{", "}", ":", "## ", "### ", "- ", "== ", "@@", "+", "null", "true", "[[[[", "```")
_MOST_EDITS = 6


def nonsense(chance: random.Random) -> str:
    """A word to replace a number, a name or an option's value."""
    return chance.choice((*_NUMBERS, *_TEXTS, *_STRUCTURE))


def edited_code(text: str, chance: random.Random, others: str = "") -> str:
    """The text with some tokens left out, repeated, swapped, or replaced by tokens of `others` or of the rewriter."""
    return _edited(_TOKEN.findall(text), (*_CODE, *_NUMBERS, *_TEXTS), _TOKEN.findall(others), chance)


def edited_data(text: str, chance: random.Random) -> bytes:
    """The same for tables and reports; sometimes lines or bytes are edited instead of tokens."""
    kind = chance.random()
    if kind < 0.6:
        return _encoded(_edited(_TOKEN.findall(text), (*_NUMBERS, *_TEXTS, *_STRUCTURE), [], chance))
    if kind < 0.8:
        return _encoded(_edited(text.splitlines(keepends=True), (*_TEXTS, *_STRUCTURE), [], chance))
    content = bytearray(_encoded(text))
    for _ in range(chance.randint(1, _MOST_EDITS)):
        begin = chance.randint(0, len(content))
        content[begin : begin + chance.choice((0, 1, 1, 7))] = chance.randbytes(chance.choice((0, 1, 1, 9)))
    return bytes(content) if chance.random() < 0.9 else bytes(content[: chance.randint(0, len(content))])


def _edited(parts: list[str], words: tuple[str, ...], others: list[str], chance: random.Random) -> str:
    for _ in range(chance.randint(1, _MOST_EDITS)):
        if not parts:
            break
        place, other = chance.randrange(len(parts)), chance.randrange(len(parts))
        kind = chance.randrange(6)
        if kind == 0:
            del parts[place]
        elif kind == 1:
            parts.insert(place, parts[other])
        elif kind == 2:
            parts[place], parts[other] = parts[other], parts[place]
        elif kind == 3:
            parts.insert(place, chance.choice(words))
        elif kind == 4:
            parts[place] = chance.choice(others or words)
        else:
            parts[place : place + chance.randint(1, 12)] = []
    return "".join(parts)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
