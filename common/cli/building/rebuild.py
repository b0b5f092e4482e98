"""Building what one changed .cu file is in, when all else is known to be as it was: by the few steps of make that are
concerned, each by its own makefile in the tree. make itself would look at a thousand other targets first.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.building.contents import named_in
from cli.building.made_of import MadeOf, Unknown, target_folders
from cli.running.children import GRACE_S, child


@dataclass(frozen=True)
class Rebuild:
    """Targets in the order in which they have to be built, those of one step side by side."""

    tree: Path
    steps: tuple[tuple[str, ...], ...]  # folders of targets, relative to the tree
    objects: tuple[Path, ...]
    products: tuple[Path, ...]  # that are removed before, these among them: make would go by their times

    def run(self) -> tuple[int, str]:
        """The exit code, and what make and the compiler print."""
        for product in self.products:
            product.unlink(missing_ok=True)
        printed = []
        for step in self.steps:
            ended = list(self._run_together(step))
            printed += [output for _, output in ended]
            failed = [returncode for returncode, _ in ended if returncode != 0]
            if failed:
                return failed[0], "".join(printed)
        return 0, "".join(printed)

    def _run_together(self, step: tuple[str, ...]) -> Iterator[tuple[int, str]]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
        environment = {**os.environ, "LC_ALL": "C"}  # as for all builds: explain_failure reads what they print
        with contextlib.ExitStack() as stack:
            started = []
            for target in step:
                command = ["make", "-f", f"{target}/build.make", f"{target}/build"]
                started.append(stack.enter_context(child(command, GRACE_S, cwd=self.tree, env=environment, **streams)))
            for process in started:
                output = process.stdout.read() if process.stdout else ""
                yield process.wait(), output


def rebuild_of(source: Path, targets: Iterable[str], made_of: MadeOf) -> Rebuild | None:
    """How to build the targets when `source` alone has changed; None where only make knows."""
    tree = made_of.tree
    files = made_of.files()
    noted = set(files)
    rewritten = [Path(path) for path in files if f"{path}.contents" in noted and _is_made_of(path, source, tree)]
    names = {f"{file.name}.o" for file in rewritten}
    objects = [Path(path) for path in files if os.path.basename(path) in names]
    archives = [Path(path) for path in files if path.endswith(".a") and path.startswith(f"{tree}/")]
    folder_of = target_folders(str(tree))
    try:
        if not objects or any(_holds(archive, objects, folder_of) for archive in archives):
            return None
        steps = (
            dict.fromkeys(str(path.parent) for path in objects),
            [folder_of[target] for target in targets],
        )
        programs = made_of.programs()
    except (KeyError, OSError, Unknown):
        return None
    return Rebuild(
        tree,
        tuple(tuple(os.path.relpath(folder, tree) for folder in step) for step in steps),
        tuple(objects),
        (*rewritten, *objects, *programs),
    )


def _is_made_of(rewritten: str, source: Path, tree: Path) -> bool:
    return str(source) in named_in(f"{rewritten}.d", str(tree))


def _holds(archive: Path, objects: list[Path], folder_of: dict[str, str]) -> bool:
    script = Path(folder_of[archive.stem.removeprefix("lib")], "link.txt").read_text(encoding="utf-8")
    return any(path.name in script for path in objects)
