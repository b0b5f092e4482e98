"""The Python packages that the book is made with, in a virtual environment of the build tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import ensure, is_present, output_of
from cli.machine.trouble import explain_disk_trouble
from cli.running.children import GRACE_S, child
from cli.terminal.phases import Phase

_FOLDER = Path(__file__).resolve().parent
_WANTED = _FOLDER / "requirements.in"
_PINNED = _FOLDER / "requirements.txt"
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)$", re.MULTILINE)
_NO_NETWORK = re.compile(
    r"name resolution|Failed to establish a new connection|Network is unreachable|timed out|Connection refused|"
    r"Connection reset|ProxyError|NewConnectionError|No matching distribution found|Max retries exceeded"
)
_LAST_LINES = 12


def python_of(folder: Path) -> Path:
    """The Python of a virtual environment."""
    return folder / "bin/python"


def has_packages(folder: Path) -> bool:
    """Whether the virtual environment is there, with the packages in these versions."""
    pins = dict(_PIN.findall(_WANTED.read_text(encoding="utf-8")))
    program = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    found = output_of([str(python_of(folder)), "-c", program, *pins])
    return found is not None and found.split() == [*pins.values()]


def install_packages(folder: Path, root: Path) -> Path:
    """The Python to make the book with; installs what is missing. Raises MissingToolError where that is impossible."""
    if has_packages(folder):
        return python_of(folder)
    shown = folder.relative_to(root)
    pinned = _PINNED.relative_to(root)
    if os.environ.get("WORKBOOK_NO_INSTALL") == "1":
        raise MissingToolError(
            "The book is made with packages of Python's, and installing is switched off (WORKBOOK_NO_INSTALL=1).\n"
            "By hand:\n"
            f"  python3 -m venv {shown}\n"
            f"  {shown}/bin/python -m pip install --require-hashes -r {pinned}"
        )
    if not is_present("python3-venv"):
        ensure(["python3-venv"])
    with Phase(f"Installing Sphinx, MyST and the theme Furo into {shown}"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        made, words = _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        if made:
            pip = [str(python_of(folder)), "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "1"]
            made, words = _run([*pip, "--timeout", "20", "install", "--require-hashes", "-r", str(_PINNED)])
    if not made:
        raise _trouble(words, folder, pinned)
    return python_of(folder)


def _run(command: list[str]) -> tuple[bool, str]:
    """Whether it went well, and what it printed."""
    environment = {**os.environ, "LC_ALL": "C"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with child(command, GRACE_S, env=environment, **streams) as process:
        words, _ = process.communicate()
    return process.returncode == 0, words


def _trouble(words: str, folder: Path, pinned: Path) -> WorkbookError:
    disk = explain_disk_trouble(words, folder.name, False)
    if disk:
        return WorkbookError(f"{_last_lines(words)}\n\n{disk}")
    if _NO_NETWORK.search(words):
        return MissingToolError(
            "The book is made with packages of Python's, and they cannot be fetched: this machine has no network, or needs "
            "a proxy.\n"
            "Connect it, or name a proxy (https_proxy) or a mirror (PIP_INDEX_URL), and run the command again.\n"
            "Or fetch them on another machine with the same system and the same Python, and bring the folder here:\n"
            f"  there:  python3 -m pip download --require-hashes -r {pinned} -d packages\n"
            "  here:   PIP_NO_INDEX=1 PIP_FIND_LINKS=packages ./workbook book\n"
            "Without them, read the same pages as they are: README.md, docs/ and chapters/*/README.md."
        )
    return MissingToolError(
        f"{_last_lines(words)}\n\n"
        "The packages that the book is made with could not be installed; pip's last words are above."
    )


def _last_lines(words: str) -> str:
    return "\n".join(f"  {line}" for line in words.strip().splitlines()[-_LAST_LINES:])
