"""The Python packages that the book is made with, in the versions that it is made with."""

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
    """Whether the virtual environment is there, with the packages in these versions."""
    pins = dict(_PIN.findall(_WANTED.read_text(encoding="utf-8")))
    program = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    found = output_of([str(python_of(folder)), "-c", program, *pins])
    return found is not None and found.split() == [*pins.values()]


def book_python(folder: Path, root: Path) -> Path:
    """The Python to make the book with; installs what is missing. Raises MissingToolError where that is impossible."""
    if has_packages(folder):
        return python_of(folder)
    packages = Packages(
        command="book",
        names="Sphinx, MyST and the theme Furo",
        folder=folder,
        requirements=_PINNED,
        instead="Without them, read the same pages as they are: README.md, docs/ and chapters/*/README.md.",
        has_hashes=True,
    )
    return install_packages(packages, root)
