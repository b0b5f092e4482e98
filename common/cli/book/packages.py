"""The Python packages that build the book, in fixed versions."""

from __future__ import annotations

from pathlib import Path

from cli.machine import python_packages
from cli.machine.python_packages import Packages, install_packages, python_of

_FOLDER = Path(__file__).resolve().parent
_WANTED = _FOLDER / "requirements.in"
_PINNED = _FOLDER / "requirements.txt"


def has_packages(folder: Path) -> bool:
    """Whether the virtual environment exists and has the packages in these versions."""
    return python_packages.has_packages(folder, _WANTED)


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
