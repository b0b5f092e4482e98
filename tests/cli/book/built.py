"""The book for tests, built once if its packages are installed."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

from cli.book.packages import book_python, has_packages
from cli.book.site import book_of
from cli.errors import MissingToolError
from cli.workbook import Workbook

BOOK = book_of(Workbook(ROOT))
_SERVE = "import sys; from pathlib import Path; from cli.book.serving import serve; serve(Path(sys.argv[1]))"


def has_simulator() -> bool:
    """Whether the command's build tree is also the tests' tree; then stages do not have to be built again."""
    tree = os.environ.get("WORKBOOK_SIMULATOR_TREE", "")
    return bool(tree) and Path(tree).resolve() == (ROOT / "build").resolve()


def python_of_book() -> Path:
    """The Python that has the book's packages. Skips the test if they are not installed, and in CI only if they cannot be."""
    if not has_packages(BOOK.environment) and not os.environ.get("CI"):
        raise unittest.SkipTest("The book's packages are not installed: ./workbook book --build-only")
    try:
        return book_python(BOOK.environment, ROOT)
    except MissingToolError as error:
        raise unittest.SkipTest(str(error)) from error


def built_book() -> Path:
    """The book's site, with steps if the simulator is built."""
    python_of_book()
    finished = _build()
    if finished.returncode != 0 or "Sphinx reports" in finished.stderr:
        raise AssertionError(f"{finished.stdout}\n{finished.stderr}")
    return BOOK.site


@functools.lru_cache(maxsize=None)
def _build() -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "workbook"), "book", "--build-only", *([] if has_simulator() else ["--no-steps"])]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def pages_of(site: Path) -> list[str]:
    """The addresses of all pages of the book, without the stepping pages, which are shown inside other pages."""
    pages = (file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    return sorted(page for page in pages if not page.startswith(("_static/", "steps/")))


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of the site on the command's web server, which ends with Ctrl-C."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "common")}
    command = [sys.executable, "-c", _SERVE, str(site)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as server:
        try:
            address = re.search(r"http://\S+", server.stdout.readline() if server.stdout else "")
            assert address
            yield address[0]
        finally:
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=20)
        assert (server.returncode, errors) == (0, ""), errors
