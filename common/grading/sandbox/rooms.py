"""Running a stranger's program where it can do no harm: in bubblewrap's namespaces, under a seccomp filter.

The program sees the compiler, the workbook and one folder; only the folder can be written. It has no network, sees no
other process, has no privileges and none of the teacher's environment, and may not ask the kernel for what no test
needs. It is stopped, with all that it started, when it takes too much time, memory, disk or output.

Not contained: bugs of the Linux kernel in what it may ask for; how busy it keeps the machine within its limits.
"""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import ensure
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended, Limits, run_within, took_memory, usage_of_tree
from cli.running.removal import remove_folder
from grading.sandbox import inside
from grading.sandbox.control_groups import ControlGroup, control_group, place_for_groups
from grading.sandbox.seccomp import seccomp_filter

MAX_PROCESSES = 64
MAX_FILE_BYTES = 512 << 20  # the traced programs with their debug information take 10 MB
MAX_FOLDER_BYTES = 1 << 30  # of its folder and its /tmp together, and so are the entries
MAX_FOLDER_ENTRIES = 10_000
MAX_FOLDER_DEPTH = 50
MAX_WORKERS = 14  # users from 65534 down that no system gives to anybody
_OWN_PROCESSES = 3  # bubblewrap, the first process of its namespaces, and what either is starting
_NOBODY = 65534
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_KEPT_SETTINGS = ("WORKBOOK_", "GTEST_", "CUDA_SIMULATOR_")
_INSIDE = Path(inside.__file__)
# With the room, the status and, if there is one, the group's members as arguments before the command.
_ENTER = f'exec {inside.ROOM_FD}<"$1" {inside.STATUS_FD}>"$2"; [ -z "$3" ] || echo $$ > "$3" || exit; shift 3; exec "$@"'


@dataclass(frozen=True)
class Sandbox:
    """`readable` are folders and files outside the system's that programs may read."""

    readable: tuple[Path, ...]
    limits: Limits
    worker: int = 0  # of those that grade side by side; as root each has a user of its own, whose processes are counted

    def run(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        """Runs a command with `folder` to write in; files that are there already can only be read.

        Only plain files are left in it afterwards: no link or pipe that whoever reads it could follow or wait for, and
        no folder where a file is to be. Raises MissingToolError where this machine forbids sandboxes.
        """
        with contextlib.ExitStack() as stack:
            room_folder = stack.enter_context(temporary_folder("workbook-room-"))
            room_file, status, scratch = (room_folder / name for name in ("room", "status", "tmp"))
            scratch.mkdir()
            scratch.chmod(0o1777)
            status.touch()
            user = _NOBODY - self.worker % MAX_WORKERS if os.geteuid() == 0 else None
            room_file.write_bytes(marshal.dumps(self._room(folder, environment, user)))
            self._open(folder, user)
            group = self._group(stack)
            ended = run_within(
                self.limits,
                ["/bin/sh", "-c", _ENTER, "sh", str(room_file), str(status), str(group.members) if group else ""]
                + [*self._walls(folder, scratch), sys.executable, "-I", "-S", str(_INSIDE), *command],
                folder,
                {"PATH": os.defpath, "LC_ALL": "C"},
                usage_of_tree,
                functools.partial(_folder_limit_reached, (folder, scratch)),
            )
            if group and not ended.stopped and group.ran_out_of_memory():
                ended = replace(ended, stopped=took_memory(self.limits))
            begun, _, reason = status.read_text(encoding="utf-8").partition("\n")
            if not begun:  # what makes the walls has itself failed
                reason = ended.output.strip()
        remove_what_is_not_plain(folder)
        if reason and not ended.stopped:
            raise MissingToolError(_refusal(reason))
        if ended.returncode > 128:
            return replace(ended, returncode=128 - ended.returncode)
        return ended

    @classmethod
    def require(cls) -> None:
        """Has bubblewrap installed where it is missing. Raises MissingToolError otherwise."""
        ensure(["bwrap"])

    @classmethod
    def words(cls) -> str:
        """What holds an answer, and what counts its memory and processes, for a report."""
        return f"bubblewrap and a seccomp filter; {_limits_words()}"

    def _walls(self, folder: Path, scratch: Path) -> list[str]:
        """The command that shuts another one in."""
        walls = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--as-pid-1"]
        walls += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        if os.geteuid() == 0:  # inside.py becomes another user, and gives these up with the rest
            walls += ["--cap-drop", "ALL"]
            walls += [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
        else:
            walls += ["--unshare-user"]
        walls += ["--bind", str(scratch), "/tmp"]
        for path in _parents([*self._shown, *map(Path, _DEVICES), folder]):
            walls += ["--dir", str(path)]  # else they are their owner's alone
        for path in map(str, self._shown):
            # /bin is a link to usr/bin on most systems
            walls += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
        walls += [word for device in _DEVICES for word in ("--dev-bind", device, device)]
        walls += ["--proc", "/proc", "--bind", str(folder), str(folder)]
        protected = sorted(str(path) for path in folder.iterdir() if path.is_file())
        walls += [word for path in protected for word in ("--ro-bind", path, path)]
        return [*walls, "--remount-ro", "/", "--"]

    @functools.cached_property
    def _shown(self) -> list[Path]:
        """What programs may read, the system's and ours."""
        named = [Path(path) for path in _SYSTEM] + _python_folders() + [_INSIDE, *self.readable]
        return _outermost(path for path in named if path.exists())

    def _open(self, folder: Path, user: int | None) -> None:
        """Lets the program write in its folder."""
        if user is not None:
            os.chown(folder, user, user)

    def _group(self, stack: contextlib.ExitStack) -> ControlGroup | None:
        place = place_for_groups()
        if not place:
            return None
        return stack.enter_context(control_group(place, self.limits.memory_bytes, MAX_PROCESSES + _OWN_PROCESSES))

    def _room(self, folder: Path, environment: dict[str, str], user: int | None) -> dict:
        if user is not None:
            _require_open_to_others(self.readable)
        kept = {name: value for name, value in environment.items() if name.startswith(_KEPT_SETTINGS)}
        return {
            "folder": str(folder),
            "user": user,
            "filter": seccomp_filter(platform.machine()),
            "limits": {
                "RLIMIT_CORE": 0,
                "RLIMIT_FSIZE": MAX_FILE_BYTES,
                "RLIMIT_NPROC": MAX_PROCESSES + _tasks_of(os.geteuid() if user is None else user),
                "RLIMIT_NOFILE": 256,
            },
            "environment": {**kept, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C"},
        }


class Contained(Sandbox):
    """For a container that is thrown away and lets nobody make namespaces: another user's rights, and the filter.

    What other users may read there can be read, and /tmp is everybody's. Limits, and the end of all that a program has
    started, are the sandbox's.
    """

    @classmethod
    def require(cls) -> None:
        """Raises MissingToolError but for root, WorkbookError where another user cannot come to Python."""
        if os.geteuid() != 0:
            raise MissingToolError("--contained runs answers as another user, which root alone can do.")
        _require_ways_to(_python_folders())

    @classmethod
    def words(cls) -> str:
        return f"the container, another user's rights and a seccomp filter; {_limits_words()}"

    def _walls(self, folder: Path, scratch: Path) -> list[str]:
        return []

    def _open(self, folder: Path, user: int | None) -> None:
        """What is in it stays root's: in a folder with the sticky bit nobody else removes or replaces that."""
        folder.chmod(0o1777)
        temporary = Path(tempfile.gettempdir()).resolve()
        for path in folder.resolve().parents:
            if temporary in path.parents:  # one of ours, around it
                path.chmod(path.stat().st_mode | 0o001)
        _require_ways_to([folder, *self.readable])

    def _room(self, folder: Path, environment: dict[str, str], user: int | None) -> dict:
        room = super()._room(folder, environment, user)
        room["environment"].update({"HOME": str(folder), "TMPDIR": str(folder)})
        return room


def require_sandbox(kind: type[Sandbox] = Sandbox) -> None:
    """Raises MissingToolError where this machine cannot make one, WorkbookError where an answer's build cannot run in it."""
    kind.require()
    with temporary_folder() as folder:
        ended = kind((), Limits(wall_s=30)).run(["/bin/true"], folder, {})
    if ended.returncode != 0:
        raise MissingToolError(_refusal(ended.output.strip()))


def _limits_words() -> str:
    return "memory and processes limited by a control group" if place_for_groups() else "memory measured, processes limited"


def _refusal(reason: str) -> str:
    return (
        f"This machine does not let programs be shut in ({reason}).\n"
        "Linux has to allow user namespaces: Ubuntu 24.04 needs\n"
        "  sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\n"
        "and a container needs --security-opt seccomp=unconfined, or a virtual machine in its place. Root of a container\n"
        "that is thrown away afterwards can do without, with less held off: --contained (docs/for_teachers.md)."
    )


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
    folders: set[Path] = set()
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if folders.isdisjoint(path.parents):
            kept.append(path)
            if not path.is_symlink():
                folders.add(path)
    return kept


def _parents(paths: list[Path]) -> list[Path]:
    """All folders that lead to these, the outermost first, but for what lies behind one of them that is a link."""
    links = {path for path in paths if path.is_symlink()}
    parents = {parent for path in paths for parent in path.parents if parent != Path("/")}
    kept = [parent for parent in parents if links.isdisjoint((parent, *parent.parents))]
    return sorted(kept, key=lambda path: (len(path.parts), path))


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


def _folder_limit_reached(roots: Iterable[Path]) -> str:
    entries = total_bytes = 0
    for root in roots:
        for path, folders, files in os.walk(root):
            if path.count(os.sep) - str(root).count(os.sep) > MAX_FOLDER_DEPTH:
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
