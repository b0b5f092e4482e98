"""A record in the build tree that a reference answer has passed; valid until anything changes on which that depends."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.contents import record_in


@dataclass(frozen=True)
class ReferenceCosts:
    """share_of_host: as in CheckResult. hidden_limits: the limits of the goals at a hidden shape (hidden_goals.py).
    """

    share_of_host: float = 0.0
    hidden_limits: tuple[float | None, ...] = ()


class ReferenceRecord:
    """The record of one exercise. hangs_on: the files and the settings with which the reference answer is tried."""

    def __init__(self, tree: BuildTree, target: str, hangs_on: tuple[Iterable[Path], str]) -> None:
        self._file = record_in(tree.folder, f"reference_of_{target}")
        self._digest = _digest(*hangs_on)

    def costs(self) -> ReferenceCosts | None:
        """The costs of the answer; None if it has not passed with these files and settings."""
        try:
            noted = json.loads(self._file.read_text(encoding="utf-8"))
            if noted["digest"] != self._digest:
                return None
            return ReferenceCosts(float(noted["share_of_host"]), tuple(noted["hidden_limits"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, costs: ReferenceCosts) -> None:
        """Records that the answer passed. If the record cannot be written, the answer will be tried again."""
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            new.write_text(json.dumps({"digest": self._digest, **asdict(costs)}), encoding="utf-8")
            new.replace(self._file)


def _digest(files: Iterable[Path], words: str) -> str:
    whole = hashlib.sha256(words.encode())
    for file in files:
        try:
            content = file.read_bytes()
        except OSError:
            content = b"absent"
        whole.update(f"\n{file} {hashlib.sha256(content).hexdigest()}".encode())
    return whole.hexdigest()
