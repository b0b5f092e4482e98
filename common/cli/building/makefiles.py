"""Several targets in one run of make. `cmake --build --target A B` starts one for each target, and each of them reads
three megabytes of makefiles before it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_RULE = re.compile(r"^(\S+/([^/\s]+)\.dir/all):")


def goals_of(tree: Path, targets: Iterable[str]) -> list[str] | None:
    """What CMakeFiles/Makefile2 calls the targets, with all that they need; None where CMake has written no such
    makefile, or it does not have one of them.
    """
    try:
        lines = (tree / "CMakeFiles/Makefile2").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    goal_of = {rule[2]: rule[1] for rule in map(_RULE.match, lines) if rule}
    goals = [goal_of.get(target, "") for target in targets]
    return goals if all(goals) else None
