"""`./workbook book`"""

from __future__ import annotations

from cli.book.book_source import BookSource
from cli.book.packages import book_python
from cli.book.serving import serve
from cli.book.site import Book, book_of, make_site, put_steps_beside
from cli.book.step_pages import make_step_pages
from cli.errors import EXIT_OK, BuildError
from cli.running.turns import turn
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import Workbook

SUMMARY = "read the lessons in a browser"
USAGE = "book [--build-only] [--no-steps]"
DETAILS = """
Makes a web site of all lessons and pages in build/book/html, and serves it on this machine until Ctrl-C. Reading it
needs no network. The first run downloads Sphinx and its packages into build/book/venv, then builds and traces the
stages of chapters 0 to 5, which takes some minutes. Later runs only update the pages that have changed.

--build-only makes the site and ends: any web server can serve the folder. --no-steps leaves out the pages in which you
step through a stage, so no program has to be compiled.

  ./workbook book
  ./workbook book --no-steps
  ./workbook book --build-only && cp -r build/book/html /var/www/workbook
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("book", USAGE)
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--no-steps", action="store_true")
    parsed = parser.parse_args(arguments)
    book = book_of(workbook)
    book.folder.mkdir(parents=True, exist_ok=True)
    with turn(book.folder, lambda: say("Another ./workbook is making the book. Waiting until it has finished ...")):
        _make(book, workbook, with_steps=not parsed.no_steps)
    if parsed.build_only:
        say(f"The book is in {workbook.shown(book.site)}. Any web server can serve that folder.")
    else:
        serve(book.site)
    return EXIT_OK


def _make(book: Book, workbook: Workbook, with_steps: bool) -> None:
    BookSource(workbook, with_steps).write(book.source)  # before the long steps: an unreadable page ends the command
    python = book_python(book.environment, workbook.root)
    if with_steps:
        try:
            make_step_pages(workbook, book.steps)
        except BuildError:
            complain("The stages to step through cannot be built. './workbook book --no-steps' leaves them out.\n")
            raise
    warnings = make_site(book, python)
    put_steps_beside(book, are_wanted=with_steps)
    if warnings:
        complain("Sphinx reports these problems in the pages:\n" + "\n".join(f"  {line}" for line in warnings))
