"""The glossary's terms, which the book explains where they are used."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

PAGE = "docs/glossary.md"
_ENTRY = re.compile(r"^\*\*(?P<term>[^*]+)\.\*\*[ \n](?P<text>.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_FIRST_USED_IN = re.compile(r"\s*\bFirst\s+used\s+in:.*\Z", re.DOTALL)
_REFERS = re.compile(r"See (?P<term>[^.]+)\.")
_BRACKET = re.compile(r"(?P<name>.+?) \((?P<inside>[^)]+)\)")
_ALSO_CALLED = re.compile(r"[Aa]lso\s+called\s+\*(?P<name>[^*]+)\*")


@dataclass(frozen=True)
class Term:
    """A term, the words for it in a text, and its meaning, in Markdown without links."""

    name: str
    words: tuple[str, ...]
    meaning: str

    @property
    def anchor(self) -> str:
        return "term-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


def read_terms(page: str) -> list[Term]:
    """The terms in the page's order. An entry that only refers to a different entry adds its word to that entry."""
    found = [(entry["term"], " ".join(_FIRST_USED_IN.sub("", entry["text"]).split())) for entry in _ENTRY.finditer(page)]
    referring = {name: _REFERS.fullmatch(text) for name, text in found}
    others: dict[str, list[str]] = {}
    for name, refers in referring.items():
        if refers:
            others.setdefault(refers["term"].lower(), []).append(name)
    return [
        Term(name, (*_words(name, text), *others.get(name.lower(), ())), _plain(text))
        for name, text in found
        if not referring[name]
    ]


def with_anchors(page: str) -> str:
    """The glossary's page, with an anchor at each entry."""
    anchors = {term.name: term.anchor for term in read_terms(page)}

    def marked(entry: re.Match[str]) -> str:
        anchor = anchors.get(entry["term"])
        return f'<span id="{anchor}"></span>{entry[0]}' if anchor else entry[0]

    return _ENTRY.sub(marked, page)


def meaning_html(term: Term) -> str:
    """The meaning of a term as HTML; it can contain only code and emphasis."""
    text = html.escape(term.meaning, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"(?<!\*)\*([^*]+)\*(?!\*)", r"<em>\1</em>", text)


def pattern_of(words: str) -> str:
    """A regular expression for a term's words, also in the plural. Words in capitals match only in capitals."""
    if words.upper() == words:
        return rf"{re.escape(words)}s?"
    stem = re.escape(words[:-1]) if words.endswith("y") else ""
    plural = rf"{stem}(?:y|ies)" if stem else rf"{re.escape(words)}(?:s|es)?"
    return rf"(?i:{plural})".replace(r"\ ", r"\s+")


def _words(name: str, text: str) -> Iterator[str]:
    """The words for a term. Words in brackets can be an abbreviation, or its long form. If they are neither, they
    restrict the term to a field, and the term gets no words, because it can mean something different elsewhere.
    """
    bracket = _BRACKET.fullmatch(name)
    if not bracket:
        yield name
    elif _initials(bracket["inside"]) == bracket["name"].upper() or _initials(bracket["name"]).startswith(
        bracket["inside"]
    ):
        yield from (bracket["name"], bracket["inside"])
    also = _ALSO_CALLED.search(text)
    if also:
        yield also["name"]


def _initials(words: str) -> str:
    return "".join(word[0] for word in re.findall(r"[A-Za-z]+", words)).upper()


def _plain(text: str) -> str:
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
