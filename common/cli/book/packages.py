"""The Python packages that build the book, in fixed versions."""

from __future__ import annotations

import re
from pathlib import Path

from cli.machine.python_packages import Packages, install_packages, python_of
from cli.machine.tools import output_of

_FOLDER = Path(__file__).resolve().parent
_WANTED = _FOLDER / "requirements.in"
_PINNED = _FOLDER / "requirements.txt"
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)$", re.MULTILINE)


def has_packages(folder: Path) -> bool:
    """Whether the virtual environment exists and has the packages in these versions."""
    pins = dict(_PIN.findall(_WANTED.read_text(encoding="utf-8")))
    program = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    found = output_of([str(python_of(folder)), "-c", program, *pins])
    return found is not None and found.split() == [*pins.values()]


def book_python(folder: Path, root: Path) -> Path:
    """The Python that builds the book; installs missing packages. Raises MissingToolError if it cannot."""
    if has_packages(folder):
        return python_of(folder)
    packages = Packages(
        command="book",
        names="Sphinx, MyST and the theme Furo",
        folder=folder,
        requirements=_PINNED,
        instead="Without them, read the pages' Markdown files directly: README.md, docs/ and chapters/*/README.md.",
        has_hashes=True,
    )
    return install_packages(packages, root)
