"""The message of a drawing script if matplotlib, or a package that it needs, is not installed."""

from __future__ import annotations

import sys

from cli.errors import EXIT_MISSING_TOOL


def say_what_is_missing(error: ModuleNotFoundError) -> int:
    """Returns the exit code."""
    print(
        f"The picture needs {error.name}, which is not installed for {sys.executable}. "
        "'./workbook plot ch3_transpose' downloads it into build/venv; then start this script with build/venv/bin/python.",
        file=sys.stderr,
    )
    return EXIT_MISSING_TOOL
