"""The book itself, for tests: built once, where its packages are."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

from cli.book.packages import has_packages
from cli.book.site import book_of
from cli.workbook import Workbook

BOOK = book_of(Workbook(ROOT))
_SERVE = "import sys; from pathlib import Path; from cli.book.serving import serve; serve(Path(sys.argv[1]))"


def has_simulator() -> bool:
    """Whether the command's own build tree is that of the tests: then stages need not be built anew."""
    tree = os.environ.get("WORKBOOK_SIMULATOR_TREE", "")
    return bool(tree) and Path(tree).resolve() == (ROOT / "build").resolve()


@functools.lru_cache(maxsize=None)
def built_book() -> Path:
    """Its site, with the steps where the simulator is built. Skips the test where its packages are not installed."""
    if not has_packages(BOOK.environment):
        raise unittest.SkipTest("The book's packages are not installed: ./workbook book --build-only")
    command = [str(ROOT / "workbook"), "book", "--build-only", *([] if has_simulator() else ["--no-steps"])]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0 or "Sphinx warns" in finished.stderr:
        raise AssertionError(f"{finished.stdout}\n{finished.stderr}")
    return BOOK.site


def pages_of(site: Path) -> list[str]:
    """All pages of the book itself, as a browser asks for them; not those to step through, which stand in others."""
    pages = (file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    return sorted(page for page in pages if not page.startswith(("_static/", "steps/")))


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """The address at which the command's web server has the site."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "common")}
    command = [sys.executable, "-c", _SERVE, str(site)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://\S+", server.stdout.readline() if server.stdout else "")
            assert address
            yield address[0]
        finally:
            server.terminate()
