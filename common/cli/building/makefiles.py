"""What `./workbook` has make do, with fewer processes than `cmake --build` takes: that starts make once for each target
named, and each time it reads megabytes of makefiles, and asks of each target that these need what its files include.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_CMAKES = "CMakeFiles/Makefile2"
_OURS = "CMakeFiles/Makefile2.workbook"
_RULE = re.compile(r"^(\S+/([^/\s]+)\.dir/all):", re.MULTILINE)
_INCLUDES = re.compile(r"^\t\$\(MAKE\) .* (?P<folder>\S+\.dir)/depend\n", re.MULTILINE)


def makefile_of(tree: Path, targets: Iterable[str]) -> tuple[str, list[str]] | None:
    """A makefile of the tree's, and what it calls the targets, with all that they need. None where CMake has written no
    makefiles, or these do not have one of the targets.

    It is written for the build that follows, and is CMake's, but that a target none of whose files has been compiled is
    not asked what they include: there is nothing to tell. Nearly half of all targets are programs, which have no files.
    """
    try:
        text = (tree / _CMAKES).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    goal_of = {name: goal for goal, name in _RULE.findall(text)}
    goal_of["all"] = "all"
    goals = [goal_of.get(target, "") for target in targets]
    if not all(goals):
        return None
    ours = _INCLUDES.sub(lambda line: line[0] if _has_compiled(tree / line["folder"]) else "", text)
    (tree / _OURS).write_text(ours, encoding="utf-8", errors="surrogateescape")
    return _OURS, goals


def _has_compiled(target_folder: Path) -> bool:
    """Whether a compiler has noted there what a file includes."""
    return any(name.endswith(".d") for _, _, names in os.walk(target_folder) for name in names)
