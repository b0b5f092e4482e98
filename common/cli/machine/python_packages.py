"""Python packages that one command needs, in a virtual environment of the build tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import ensure, output_of
from cli.machine.trouble import explain_disk_trouble, unwritable
from cli.running.children import GRACE_S, child
from cli.terminal.phases import Phase

_NO_NETWORK = re.compile(
    r"name resolution|Failed to establish a new connection|Network is unreachable|timed out|Connection refused|"
    r"Connection reset|ProxyError|NewConnectionError|No matching distribution found|Max retries exceeded"
)
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)$", re.MULTILINE)
_LAST_LINES = 12


@dataclass(frozen=True)
class Packages:
    """The packages of one command. `folder` is the virtual environment, and `instead` an alternative without it."""

    command: str
    names: str
    folder: Path
    requirements: Path
    instead: str
    has_hashes: bool = False

    @property
    def options(self) -> list[str]:
        """pip's options that name the packages."""
        return [*(["--require-hashes"] if self.has_hashes else []), "-r", str(self.requirements)]


def python_of(folder: Path) -> Path:
    """The Python of a virtual environment."""
    return folder / "bin/python"


def has_packages(folder: Path, pinned: Path) -> bool:
    """Whether the virtual environment exists and has the packages of the file `pinned`, in its versions."""
    pins = dict(_PIN.findall(pinned.read_text(encoding="utf-8")))
    program = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    found = output_of([str(python_of(folder)), "-c", program, *pins])
    return found is not None and found.split() == [*pins.values()]


def install_packages(packages: Packages, root: Path) -> Path:
    """Installs the packages and returns their Python. Raises MissingToolError if they cannot be installed."""
    folder = packages.folder
    shown = folder.relative_to(root)
    if os.environ.get("WORKBOOK_NO_INSTALL") == "1":
        raise MissingToolError(
            f"'./workbook {packages.command}' needs {packages.names}, but installing is disabled (WORKBOOK_NO_INSTALL=1).\n"
            "By hand:\n"
            f"  python3 -m venv {shown}\n"
            f"  {shown}/bin/python -m pip install {_options_shown(packages, root)}"
        )
    ensure(["python3-venv"])
    with Phase(f"Installing {packages.names} into {shown}"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        made, words = _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        if made:
            pip = [str(python_of(folder)), "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "1"]
            made, words = _run([*pip, "--timeout", "20", "install", *packages.options])
    if not made:
        raise _trouble(words, packages, root)
    return python_of(folder)


def _run(command: list[str]) -> tuple[bool, str]:
    """Whether the command succeeded, and its output."""
    environment = {**os.environ, "LC_ALL": "C"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with child(command, GRACE_S, env=environment, **streams) as process:
        words, _ = process.communicate()
    return process.returncode == 0, words


def _options_shown(packages: Packages, root: Path) -> str:
    return " ".join(packages.options).replace(f"{root}/", "")


def _trouble(words: str, packages: Packages, root: Path) -> WorkbookError:
    shown = str(packages.folder.relative_to(root))
    disk = explain_disk_trouble(words, shown)
    if disk:
        return WorkbookError(f"{_last_lines(words)}\n\n{disk}")
    if _NO_NETWORK.search(words):
        return MissingToolError(
            f"'./workbook {packages.command}' needs {packages.names}, which cannot be downloaded: this machine has no network, "
            "or needs a proxy.\n"
            "Connect it, or name a proxy (https_proxy) or a mirror (PIP_INDEX_URL), and run the command again.\n"
            "Or download them on another machine with the same system and the same Python, and copy the folder here:\n"
            f"  there:  python3 -m pip download {_options_shown(packages, root)} -d packages\n"
            f"  here:   PIP_NO_INDEX=1 PIP_FIND_LINKS=packages ./workbook {packages.command}\n"
            f"{packages.instead}"
        )
    if "Permission denied" in words:
        return WorkbookError(f"{_last_lines(words)}\n\n{unwritable(f'{shown}/')}")
    return MissingToolError(
        f"{_last_lines(words)}\n\n"
        f"{packages.names} could not be installed; the end of pip's output is above. {packages.instead}"
    )


def _last_lines(words: str) -> str:
    return "\n".join(f"  {line}" for line in words.strip().splitlines()[-_LAST_LINES:])
