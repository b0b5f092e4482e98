"""The Sphinx extension of the book: source files with numbered lines, links to them, and explained terms."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from cli.book.search_index import write_index
from cli.book.sources import Sources, anchor
from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_GLOSSARY = "docs/glossary"
_NUMBER = re.compile(r'<span class="linenos">(?P<space>\s*)(?P<line>\d+)</span>')
_RESULT = re.compile(r"[0-9][0-9.,]*( \S{1,8})?")
_NO_TERMS_IN = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.raw, nodes.table, nodes.caption)


class SourceFile(SphinxDirective):
    """The lines of a file of the workbook, with line numbers that are links."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        file = Path(self.config.workbook_values["root"]) / self.arguments[0]
        self.env.note_dependency(str(file))
        formatter = HtmlFormatter(linenos="inline", linespans="L")
        lines = highlight(
            file.read_text(encoding="utf-8", errors="replace"), get_lexer_by_name("cuda", stripnl=False), formatter
        )
        lines = _NUMBER.sub(
            lambda found: (
                f'<a class="linenos" href="#{anchor(int(found["line"]))}">{found["space"]}{found["line"]}</a>'
            ),
            lines,
        )
        return [nodes.raw("", f'<div class="source-file highlight-cuda notranslate">{lines}</div>', format="html")]


class _Terms:
    """The glossary's terms, and the search for them in a text."""

    def __init__(self, terms: list[dict[str, Any]]) -> None:
        self._terms = [(term, pattern) for term in terms for pattern in term["patterns"]]
        # The longest first: "bank conflict" before "bank".
        self._terms.sort(key=lambda one: len(one[1]), reverse=True)
        groups = "|".join(f"(?P<t{number}>{pattern})" for number, (_, pattern) in enumerate(self._terms))
        self._pattern = re.compile(rf"(?<![\w-])(?:{groups})(?![\w-])") if groups else None

    def split(self, text: str, known: set[str], glossary: str) -> list[nodes.Node] | None:
        """The text with links at terms that are not in `known`, which are added to it; None if there are none."""
        found: list[nodes.Node] = []
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            term = self._terms[int((match.lastgroup or "t0")[1:])][0]
            if term["anchor"] in known:
                continue
            known.add(term["anchor"])
            found += [nodes.Text(text[end : match.start()]), _term_link(term, match[0], glossary)]
            end = match.end()
        return [*found, nodes.Text(text[end:])] if found else None


def _term_link(term: dict[str, Any], words: str, glossary: str) -> nodes.Node:
    link = (
        f'<a class="term" href="{glossary}#{term["anchor"]}" data-term="{html.escape(term["name"])}" '
        f'data-meaning="{html.escape(term["meaning"])}">{html.escape(words)}</a>'
    )
    return nodes.raw("", link, format="html")


def _link_files(app: Sphinx, doctree: nodes.document, name: str, page: str) -> None:
    """Names of source files in code become links to their pages, and to the line if there is one."""
    sources: Sources = app.workbook_sources  # type: ignore[attr-defined]
    for literal in list(doctree.findall(nodes.literal)):
        found = sources.named(literal.astext(), page)
        if not found or _inside(literal, (nodes.reference, nodes.title)) or found[0] not in app.env.all_docs:
            continue
        path, line = found
        address = app.builder.get_relative_uri(name, path) + (f"#{anchor(line)}" if line else "")
        link = nodes.reference("", "", refuri=address, internal=True, classes=["file"])
        literal.replace_self(link)
        link += literal


def _explain_terms(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """The first use of each term, in each section of the second level, becomes a link that explains it."""
    terms: _Terms = app.workbook_terms  # type: ignore[attr-defined]
    glossary = app.builder.get_relative_uri(name, _GLOSSARY)
    known: dict[int, set[str]] = {}
    for text in list(doctree.findall(nodes.Text)):
        if _inside(text, _NO_TERMS_IN):
            continue
        split = terms.split(str(text), known.setdefault(_section(text), set()), glossary)
        if split:
            text.parent.replace(text, split)


def _mark_shapes(doctree: nodes.document) -> None:
    """Classes for pictures, which narrow pages scroll, and for table cells with a result, which stay on one line."""
    for image in doctree.findall(nodes.image):
        if isinstance(image.parent, nodes.paragraph) and len(image.parent) == 1:
            image.parent["classes"].append("picture")
    for cell in doctree.findall(nodes.entry):
        if _RESULT.fullmatch(cell.astext()):
            cell["classes"].append("number")


def _inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def _section(node: nodes.Node) -> int:
    """A number for the second-level section that a node is in; 0 for the text before the first section."""
    sections = []
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.section):
            sections.append(id(node))
    return sections[-2] if len(sections) > 1 else 0


def _resolved(app: Sphinx, doctree: nodes.document, name: str) -> None:
    page = app.config.workbook_values["pages"].get(name)
    if page is None or app.builder.format != "html":
        return
    _link_files(app, doctree, name, page)
    _mark_shapes(doctree)
    if name != _GLOSSARY and app.config.workbook_values["terms"]:
        _explain_terms(app, doctree, name)


def _started(app: Sphinx) -> None:
    values = app.config.workbook_values
    app.workbook_sources = Sources(Path(values["root"]))  # type: ignore[attr-defined]
    app.workbook_terms = _Terms(values["terms"])  # type: ignore[attr-defined]
    app.builder.search = False  # the book has its own index, which works from a file too


def _finished(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    in_order = [name for name in app.env.collect_relations() if "nosearch" not in app.env.metadata[name]]
    write_index(Path(app.outdir), [app.builder.get_target_uri(name) for name in in_order])


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("workbook_values", {}, "env", dict)
    app.add_directive("source-file", SourceFile)
    app.add_lexer("csv", TextLexer)
    app.connect("builder-inited", _started)
    app.connect("doctree-resolved", _resolved)
    app.connect("build-finished", _finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
