"""The version of this copy, from CITATION.cff; CHANGELOG.md lists the changes."""

from __future__ import annotations

import re
from pathlib import Path

from cli.errors import WorkbookError
from cli.running.git import git_output


def released_version(root: Path) -> str:
    """The version, such as "1.0.0". Raises WorkbookError if CITATION.cff is missing or contains no version."""
    citation = root / "CITATION.cff"
    stated = re.search(r"^version: (\S+)$", citation.read_text(encoding="utf-8"), re.M) if citation.is_file() else None
    if not stated:
        raise WorkbookError("The line 'version: ...' is missing in CITATION.cff.")
    return stated.group(1)


def described_version(root: Path) -> str:
    """A text such as "workbook 1.0.0 (commit 1a2b3c4)", without the commit if there is no git history."""
    version = f"workbook {released_version(root)}"
    try:
        commit = git_output(root, ["rev-parse", "--short", "HEAD"], "", "").decode().strip()
    except WorkbookError:
        return version
    return f"{version} (commit {commit})"
