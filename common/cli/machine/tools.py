"""The tools that the workbook uses: whether they are installed, and how to install them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from cli.errors import MissingToolError
from cli.terminal.console import complain

MINIMUM_CMAKE = (3, 22)
MINIMUM_GXX = (12,)  # for the simulator
_INSTALLED_GXX = "g++-12"  # where the system's own is older, as on Ubuntu 22.04
NEWER_GXX = tuple(f"g++-{version}" for version in range(19, MINIMUM_GXX[0] - 1, -1))
BUILD_TOOLS = ("g++", "make", "cmake")
_BUILDER = "ninja"
NAMES = {"ninja": ("ninja", "ninja-build")}  # names of a program that differ between systems
PLOT_ENVIRONMENT = "build/venv"  # has matplotlib if the Python that runs this does not

_LAUNCHER = Path(__file__).resolve().parents[3] / "workbook"
_GOOGLETEST_PREFIXES = ("/usr", "/usr/local", "/opt/homebrew")


def ensure_build_tools() -> None:
    """Installs a missing compiler, make or CMake, and then also Ninja. Raises as ensure does."""
    if not all(map(is_present, BUILD_TOOLS)):
        ensure((*BUILD_TOOLS, _BUILDER))


def choose_generator() -> str:
    """CMake's name of the generator for a new tree: Ninja, which is installed if possible, or make."""
    if is_present(_BUILDER) or (_install([_BUILDER]) and is_present(_BUILDER)):
        return "Ninja"
    complain("Ninja is not installed, so make builds the programs, which takes longer.")
    return "Unix Makefiles"


def recent_gxx() -> str | None:
    """A newer g++ for the simulator, where the system's own is too old: an installed one, or one that the launcher
    installs. None where the system's is recent enough, where CXX names a compiler, and where no newer one is to be had:
    then CMake reports what is needed. Starts a process: call it before configuring only.
    """
    version = None if os.environ.get("CXX") else first_version(output_of(["g++", "-dumpfullversion"]))
    if not version or version >= MINIMUM_GXX:
        return None
    newer = installed_newer_gxx()
    if not newer and how_to_install(_INSTALLED_GXX).startswith("apt-get"):  # elsewhere the package has another name
        complain(f"g++ here is {as_text(version)}, and the simulator needs {as_text(MINIMUM_GXX)} or newer.")
        newer = installed_newer_gxx() if _install([_INSTALLED_GXX]) else None
    return newer


def installed_newer_gxx(is_there: Callable[[str], object] = shutil.which) -> str | None:
    """The newest g++ with a version in its name that the simulator can use."""
    return next((name for name in NEWER_GXX if is_there(name)), None)


def ensure_recent_cmake() -> None:
    """Raises MissingToolError for a CMake that is too old. Starts a process: call it before configuring only."""
    version = cmake_version()
    if version and version < MINIMUM_CMAKE:
        raise MissingToolError(
            f"CMake here is {as_text(version)}; the workbook needs {as_text(MINIMUM_CMAKE)} or newer. "
            f"Get a newer one with either of:\n"
            f"  python3 -m pip install --user 'cmake>={as_text(MINIMUM_CMAKE)}'\n"
            f"  sudo snap install cmake --classic\n"
            f"or from https://cmake.org/download, and put it first in PATH."
        )


def ensure(tools: Iterable[str]) -> None:
    """Lets the launcher install missing tools: it decides whether to ask the learner. Raises MissingToolError with an
    empty message if it did not, because then the launcher has printed one.
    """
    missing = [tool for tool in tools if not is_present(tool)]
    if missing and not _install(missing):
        raise MissingToolError("")
    still_missing = [tool for tool in missing if not is_present(tool)]
    if still_missing:
        raise MissingToolError(f"Installed, but still not found: {', '.join(still_missing)}. Check your PATH.")


def ensure_googletest() -> bool:
    """Installs GoogleTest if it is missing. False if that failed; CMake can still download it."""
    return is_present("gtest") or _install(["gtest"])


def _install(tools: list[str]) -> bool:
    return subprocess.run(["/bin/sh", str(_LAUNCHER), "--install", *tools], check=False).returncode == 0


def how_to_install(tool: str) -> str:
    """The install command of this system's package manager; empty if the package manager is unknown."""
    return (output_of(["/bin/sh", str(_LAUNCHER), "--how-to-install", tool]) or "").strip()


def is_present(tool: str) -> bool:
    if tool == "gtest":
        return googletest_prefix() is not None
    if tool == "python3-venv":
        return output_of([sys.executable, "-c", "import ensurepip, venv"]) is not None
    if tool == "g++" and os.environ.get("CXX"):
        return shutil.which(os.environ["CXX"].split()[0]) is not None
    return any(shutil.which(name) for name in NAMES.get(tool, (tool,)))


def cmake_version() -> tuple[int, ...] | None:
    """The version of CMake; None without CMake."""
    return first_version(output_of(["cmake", "--version"]))


def googletest_prefix() -> Path | None:
    """The folder that holds GoogleTest's header and library; None without both."""
    named = [os.environ.get(name, "") for name in ("GTest_ROOT", "GTEST_ROOT", "CONDA_PREFIX")]
    named += re.split(r"[:;]", os.environ.get("CMAKE_PREFIX_PATH", ""))
    for prefix in [Path(name) for name in (*named, *_GOOGLETEST_PREFIXES) if name]:
        libraries = (*prefix.glob("lib*/libgtest.*"), *prefix.glob("lib/*/libgtest.*"))
        if libraries and (prefix / "include/gtest/gtest.h").is_file():
            return prefix
    return None


def python_with_matplotlib(root: Path) -> str | None:
    """The Python to draw with: that of the environment for plots, otherwise this one. None without matplotlib."""
    for python in (str(root / PLOT_ENVIRONMENT / "bin/python"), sys.executable):
        if output_of([python, "-c", "import matplotlib; print(matplotlib.__version__)"]):
            return python
    return None


def output_of(command: list[str], timeout_s: float = 30.0) -> str | None:
    """The output of a command; None if it is missing, fails or takes too long."""
    try:
        finished = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return finished.stdout if finished.returncode == 0 else None


def first_version(text: str | None) -> tuple[int, ...] | None:
    """The first dotted number in a text: "cmake version 3.25.1" is (3, 25, 1)."""
    match = re.search(r"\d+(\.\d+)+", text or "")
    return tuple(int(part) for part in match.group().split(".")) if match else None


def as_text(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
