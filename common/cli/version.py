"""The version of this copy: CITATION.cff states it, and CHANGELOG.md says what has changed."""

from __future__ import annotations

import re
from pathlib import Path

from cli.errors import WorkbookError
from cli.running.git import git_output


def released_version(root: Path) -> str:
    """As in "1.0.0". Raises WorkbookError where CITATION.cff is missing or states none."""
    citation = root / "CITATION.cff"
    stated = re.search(r"^version: (\S+)$", citation.read_text(encoding="utf-8"), re.M) if citation.is_file() else None
    if not stated:
        raise WorkbookError("The version is in the line 'version: ...' of CITATION.cff, which is missing here.")
    return stated.group(1)


def described_version(root: Path) -> str:
    """As in "workbook 1.0.0 (commit 1a2b3c4)"; without the commit where git does not know one."""
    version = f"workbook {released_version(root)}"
    try:
        commit = git_output(root, ["rev-parse", "--short", "HEAD"], "", "").decode().strip()
    except WorkbookError:
        return version
    return f"{version} (commit {commit})"
