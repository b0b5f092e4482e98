"""Running a stranger's program where it can do no harm, with what every Linux has: namespaces, through `unshare`.

The program sees the compiler, the workbook and one folder; only the folder can be written. It has no network, sees no
other process, has no privileges and none of the teacher's environment. It is stopped, with all that it started, when it
takes too much time, memory, disk or output.

Not contained: bugs of the Linux kernel, which the program shares; how busy it keeps the machine within its limits.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended, Limits, run_within, usage_of_tree
from cli.running.removal import remove_folder

MAX_PROCESSES = 64
MAX_FILE_BYTES = 512 << 20  # the traced programs with their debug information take 10 MB
MAX_FOLDER_BYTES = 1 << 30
MAX_FOLDER_ENTRIES = 10_000
MAX_FOLDER_DEPTH = 50
SCRATCH_BYTES = 256 << 20  # /tmp, in memory
_NOBODY = 65534
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache")
_KEPT_SETTINGS = ("WORKBOOK_", "GTEST_", "CUDA_SIMULATOR_")


@dataclass(frozen=True)
class Sandbox:
    """`readable` are folders and files outside the system's that programs may read."""

    readable: tuple[Path, ...]
    limits: Limits

    def run(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        """Runs a command with `folder` to write in; files that are there already can only be read.

        Only plain files are left in it afterwards: no link or pipe that whoever reads it could follow or wait for, and
        no folder where a file is to be. Raises MissingToolError where this machine forbids sandboxes.
        """
        with temporary_folder("workbook-room-") as room_folder:
            room_file, mount_point = room_folder / "room.json", room_folder / "root"
            mount_point.mkdir()
            room = self._room(folder, mount_point, environment)
            room_file.write_text(json.dumps(room), encoding="utf-8")
            self._open(folder, room["user"])
            inside = Path(__file__).with_name("inside.py")
            ended = run_within(
                self.limits,
                [*self._walls(), sys.executable, "-I", "-S", str(inside), str(room_file), *command],
                folder,
                {"PATH": os.defpath, "LC_ALL": "C"},
                usage_of_tree,
                functools.partial(_folder_limit_reached, folder),
            )
            failure = Path(f"{room_file}.failure")
            # Without the file, what makes the walls has itself failed.
            reason = failure.read_text(encoding="utf-8") if failure.is_file() else f"unshare: {ended.output.strip()}"
        remove_what_is_not_plain(folder)
        if reason and not ended.stopped:
            raise MissingToolError(_refusal(reason))
        if ended.returncode > 128:
            return replace(ended, returncode=128 - ended.returncode)
        return ended

    def _walls(self) -> list[str]:
        """The command that shuts another one in."""
        return _unshare()

    def _open(self, folder: Path, user: int | None) -> None:
        """Lets the program write in its folder."""
        if user is not None:
            os.chown(folder, user, user)

    def _room(self, folder: Path, mount_point: Path, environment: dict[str, str]) -> dict:
        readable = [Path(path) for path in _SYSTEM] + _python_folders() + list(self.readable)
        user = _NOBODY if os.geteuid() == 0 else None
        if user is not None:
            _require_open_to_others(self.readable)
        kept = {name: value for name, value in environment.items() if name.startswith(_KEPT_SETTINGS)}
        return {
            "mount_point": str(mount_point),
            "folder": str(folder),
            "readable": [str(path) for path in _outermost(path for path in readable if path.exists())],
            "protected": [str(path) for path in sorted(folder.iterdir()) if path.is_file()],
            "scratch_bytes": SCRATCH_BYTES,
            "user": user,
            "limits": {
                "RLIMIT_CORE": 0,
                "RLIMIT_FSIZE": MAX_FILE_BYTES,
                "RLIMIT_NPROC": MAX_PROCESSES + _tasks_of(os.geteuid() if user is None else user),
                "RLIMIT_NOFILE": 256,
            },
            "environment": {**kept, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C"},
        }


class Contained(Sandbox):
    """For a container that is thrown away and lets nobody make namespaces: another user's rights are all the walls.

    What other users may read there can be read, the network is the container's, and /tmp is everybody's. Limits, and the
    end of all that a program has started, are the sandbox's.
    """

    def _walls(self) -> list[str]:
        if os.geteuid() != 0:
            raise MissingToolError("--contained runs answers as another user, which root alone can do.")
        return []

    def _open(self, folder: Path, user: int | None) -> None:
        """What is in it stays root's: in a folder with the sticky bit nobody else removes or replaces that."""
        folder.chmod(0o1777)
        temporary = Path(tempfile.gettempdir()).resolve()
        for path in folder.resolve().parents:
            if temporary in path.parents:  # one of ours, around it
                path.chmod(path.stat().st_mode | 0o001)
        _require_ways_to([folder, *self.readable])

    def _room(self, folder: Path, mount_point: Path, environment: dict[str, str]) -> dict:
        room = super()._room(folder, mount_point, environment)
        room["environment"].update({"HOME": str(folder), "TMPDIR": str(folder)})
        return {**room, "mount_point": None}


def require_sandbox(kind: type[Sandbox] = Sandbox) -> None:
    """Raises MissingToolError where this machine cannot make one, WorkbookError where an answer's build cannot run in it."""
    if kind is Contained:
        _require_ways_to(_python_folders())
    with temporary_folder() as folder:
        ended = kind((), Limits(wall_s=30)).run(["/bin/true"], folder, {})
    if ended.returncode != 0:
        raise MissingToolError(_refusal(ended.output.strip()))


def _refusal(reason: str) -> str:
    return (
        f"This machine does not let programs be shut in ({reason}).\n"
        "Linux has to allow user namespaces: Ubuntu 24.04 needs\n"
        "  sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\n"
        "and a container needs --security-opt seccomp=unconfined, or a virtual machine in its place. Root of a container\n"
        "that is thrown away afterwards can do without, with less held off: --contained (docs/for_teachers.md)."
    )


def _unshare() -> list[str]:
    program = shutil.which("unshare")
    if not program:
        raise MissingToolError("There is no `unshare`. On Debian and Ubuntu: apt-get install util-linux")
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return [program, *as_root, "--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]


def _require_open_to_others(paths: Iterable[Path]) -> None:
    """Raises WorkbookError for what its owner alone may read, as after `umask 077`: answers run as another user."""
    for path in paths:
        needed = 0o5 if path.is_dir() else 0o4
        if path.exists() and path.stat().st_mode & needed != needed:
            raise WorkbookError(
                f"{path} can be read by its owner alone, and as root answers run as another user, who has to read it. "
                f"Open the workbook's folder and the build folder: chmod -R o+rX {path}"
            )


def _require_ways_to(paths: Iterable[Path]) -> None:
    """Raises WorkbookError where only its owner may go through a folder that leads to one of these."""
    for folder in sorted({parent for path in paths for parent in path.resolve().parents}):
        if not folder.stat().st_mode & 0o001:
            raise WorkbookError(
                f"Only its owner may go through {folder}, and answers run as another user. Move what lies in it, or let "
                f"others through: chmod o+x {folder}"
            )


def _python_folders() -> list[Path]:
    """What the rewriter's Python is made of, where that is not the system's."""
    named = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))]
    return [Path(path).resolve() for path in named]


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Without those that lie in another one of them."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(folder in path.parents and not folder.is_symlink() for folder in kept):
            kept.append(path)
    return kept


def _tasks_of(user: int) -> int:
    """Kernels before 5.14 count all processes of a user against the limit, not the sandbox's alone."""
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    count += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:
                continue
    return count


def _folder_limit_reached(folder: Path) -> str:
    entries = total_bytes = 0
    for path, folders, files in os.walk(folder):
        if path.count(os.sep) - str(folder).count(os.sep) > MAX_FOLDER_DEPTH:
            return f"made folders over {MAX_FOLDER_DEPTH} deep"
        entries += len(folders) + len(files)
        if entries > MAX_FOLDER_ENTRIES:
            return f"made over {MAX_FOLDER_ENTRIES} files"
        for name in files:
            try:
                total_bytes += os.lstat(os.path.join(path, name)).st_blocks * 512
            except OSError:
                continue
    return f"wrote over {MAX_FOLDER_BYTES >> 30} GiB" if total_bytes > MAX_FOLDER_BYTES else ""


def remove_what_is_not_plain(folder: Path) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            remove_folder(Path(entry.path))
        elif not entry.is_file(follow_symlinks=False):
            os.unlink(entry.path)
