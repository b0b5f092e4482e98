"""The files that programs need to run: a sealed room contains nothing else."""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from cli.errors import WorkbookError

_LIBRARY = re.compile(r"^\s+(?:\S.* => )?(/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


def python_program() -> Path:
    """The program of this Python, also in a virtual environment."""
    return Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()


@functools.lru_cache(maxsize=None)
def python_files() -> tuple[Path, ...]:
    """The files that Python needs for a program that imports only modules that this process has imported too."""
    library = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    files = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    extensions = (Path(file).resolve() for file in files if file.endswith(".so"))
    extensions = (file for file in extensions if not library.isdisjoint(file.parents))
    program = python_program()
    return (program, *library, *shared_libraries((program, *sorted(extensions))))


@functools.lru_cache(maxsize=None)
def shared_libraries(programs: tuple[Path, ...]) -> tuple[Path, ...]:
    """The shared libraries of our own programs, and the links on the paths to them. Raises WorkbookError.

    Never for a stranger's program, because ldd can run code of a program.
    """
    command = ["ldd", *map(str, programs)]
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise WorkbookError(f"Grading needs ldd, which cannot be started: {error.strerror}. Install libc-bin.") from error
    text = finished.stdout.decode(errors="surrogateescape")
    problem = finished.stderr.decode(errors="replace").strip()
    is_static = "not a dynamic executable" in text + problem
    if "=> not found" in text or finished.returncode != 0 and not is_static:
        raise WorkbookError(f"{shlex.join(command)} does not find all libraries:\n{problem or text.strip()}")
    return tuple(sorted({path for name in _LIBRARY.findall(text) for path in _with_links(Path(name))}))


def _with_links(path: Path) -> set[Path]:
    """The path of a file without links, and the links that lead from `path` to it."""
    path = Path(os.path.normpath(path))
    links = [one for one in (path, *path.parents) if one.is_symlink()]
    if not links:
        return {path}
    outermost = links[-1]
    target = outermost.parent / os.readlink(outermost)
    return {outermost} | _with_links(target / path.relative_to(outermost))
