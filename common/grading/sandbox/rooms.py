"""Runs a stranger's program in a sandbox: in bubblewrap's namespaces, under a seccomp filter.

An answer is built in one kind of room, and its programs run in another. A room to build in contains the system with its
compiler, the named files and one folder, and can write only in that folder. A sealed room contains a finished program
and the files that it needs to run, and can write only to files that were opened for it. A program has no network, sees
no other process, has no privileges and none of the teacher's environment, and cannot use system calls that it does not
need. It is stopped, with all processes that it started, when it uses too much time, memory, disk or output.

Not contained: bugs of the Linux kernel in the allowed system calls; the load on the machine within the limits.
"""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import platform
import secrets
import shlex
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import ensure
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended, Limits, run_within, took_memory, usage_of_tree
from cli.running.removal import remove_folder
from grading.sandbox import inside
from grading.sandbox.control_groups import ControlGroup, control_group, place_for_groups
from grading.sandbox.needed_files import python_files, python_program
from grading.sandbox.seccomp import seccomp_filter

MAX_PROCESSES = 64
MAX_FILE_BYTES = 512 << 20  # the traced programs with their debug information take 10 MB
MAX_FOLDER_BYTES = 1 << 30  # in its folder and its /tmp together; the same for the entries
MAX_FOLDER_ENTRIES = 10_000
MAX_FOLDER_DEPTH = 50
MAX_WORKERS = 14  # user IDs from 65534 down that no system uses
_OWN_PROCESSES = 3  # bubblewrap, the first process of its namespaces, and a process that one of them is starting
_NOBODY = 65534
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_KEPT_SETTINGS = ("WORKBOOK_", "GTEST_", "CUDA_SIMULATOR_")
_INSIDE = Path(inside.__file__)
_FIRST_FD = 3  # of the files that are opened for a sealed program
_LOWEST = 1 << 37  # of the secret addresses; with less than 39 bits they exist on every machine


@dataclass(frozen=True)
class Sandbox:
    """readable: folders and files that programs can read, in addition to the system's; in a sealed room, to Python's."""

    readable: tuple[Path, ...]
    limits: Limits
    worker: int = 0  # number of a parallel worker; as root each has its own user, whose processes are counted
    is_sealed: bool = False  # for a finished program, which is named by its path

    def run(
        self, command: list[str], folder: Path, environment: dict[str, str], written: Sequence[Path] = ()
    ) -> Ended:
        """Runs a command that can write in `folder`; files that are already there can only be read.

        In a sealed room it can write only to the files `written`, at most five in `folder`. They are opened for it, and
        its environment names the open files instead (common/grading/transcripts/open_files.cpp).

        Only plain files are left in the folder afterwards, and another user cannot change them: no links or pipes, which
        a reader could follow or wait for, and no folders. Raises MissingToolError if this machine forbids sandboxes.
        """
        with contextlib.ExitStack() as stack:
            room_folder = stack.enter_context(temporary_folder("workbook-room-"))
            room_file, status, scratch = (room_folder / name for name in ("room", "status", "tmp"))
            scratch.mkdir()
            scratch.chmod(0o1777)
            status.touch()
            user = _NOBODY - self.worker % MAX_WORKERS if os.geteuid() == 0 else None
            for file in written:
                file.unlink(missing_ok=True)
                file.touch()
                file.chmod(0o644)
            room_file.write_bytes(marshal.dumps(self._room(folder, _naming_open_files(environment, written), user)))
            self._open(folder, user)
            group = self._group(stack)
            ended = run_within(
                self.limits,
                ["/bin/sh", "-c", _entering(written), "sh", str(room_file), str(status)]
                + [str(group.members) if group else "", *self._walls(folder, scratch, command[0])]
                + [str(python_program()), "-I", "-S", str(_INSIDE), *command],
                folder,
                {"PATH": os.defpath, "LC_ALL": "C"},
                usage_of_tree,
                functools.partial(_folder_limit_reached, (folder, scratch)),
            )
            if group and not ended.stopped and group.ran_out_of_memory():
                ended = replace(ended, stopped=took_memory(self.limits))
            begun, _, reason = status.read_text(encoding="utf-8").partition("\n")
            if not begun:  # bubblewrap itself has failed
                reason = ended.output.strip()
        keep_plain_files(folder)
        if reason and not ended.stopped:
            raise MissingToolError(_refusal(reason))
        if ended.returncode > 128:
            return replace(ended, returncode=128 - ended.returncode)
        return ended

    @classmethod
    def require(cls) -> None:
        """Installs bubblewrap if it is missing. Raises MissingToolError if that fails."""
        ensure(["bwrap"])

    @classmethod
    def words(cls) -> str:
        """For a report: the sandbox of an answer, and the way its memory and processes are counted."""
        return f"bubblewrap and a seccomp filter; {_limits_words()}"

    @classmethod
    def hide(cls, paths: Iterable[Path]) -> None:
        """Keeps files away from all programs: no room contains them."""

    def _walls(self, folder: Path, scratch: Path, program: str) -> list[str]:
        """The command that runs a program in a sandbox."""
        walls = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--as-pid-1"]
        walls += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        if os.geteuid() == 0:  # inside.py changes the user, and then drops these too
            walls += ["--cap-drop", "ALL"]
            walls += [word for name in ("SETUID", "SETGID", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")]
        else:
            walls += ["--unshare-user"]
        if not self.is_sealed:
            walls += ["--bind", str(scratch), "/tmp"]
        shown = self._shown(program)
        for path in _parents([*shown, *map(Path, _DEVICES), folder]):
            walls += ["--dir", str(path)]  # otherwise only their owner could read them
        for path in map(str, shown):
            # /bin is a link to usr/bin on most systems
            walls += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
        walls += [word for device in _DEVICES for word in ("--dev-bind", device, device)]
        walls += ["--proc", "/proc"]
        if self.is_sealed:
            return [*walls, "--dir", str(folder), "--remount-ro", "/", "--"]
        walls += ["--bind", str(folder), str(folder)]
        protected = sorted(str(path) for path in folder.iterdir() if path.is_file())
        walls += [word for path in protected for word in ("--ro-bind", path, path)]
        return [*walls, "--remount-ro", "/", "--"]

    def _shown(self, program: str) -> list[Path]:
        """The paths that a program can read, the system's and ours."""
        if self.is_sealed:
            named = [*python_files(), Path(program)]
        else:
            named = [*map(Path, _SYSTEM), *_python_folders()]
        return _outermost(path for path in (*named, _INSIDE, *self.readable) if path.exists())

    def _open(self, folder: Path, user: int | None) -> None:
        """Allows the program to write in its folder."""
        if user is not None and not self.is_sealed:
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
        entry = _secret_addresses() if self.is_sealed else None
        return {
            "folder": str(folder),
            "user": user,
            "entry": entry,
            "filter": seccomp_filter(platform.machine(), entry),
            "limits": {
                "RLIMIT_CORE": 0,
                "RLIMIT_FSIZE": MAX_FILE_BYTES,
                "RLIMIT_NPROC": MAX_PROCESSES + _tasks_of(os.geteuid() if user is None else user),
                "RLIMIT_NOFILE": 256,
            },
            "environment": {**kept, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C"},
        }


class Contained(Sandbox):
    """For a disposable container that does not allow namespaces: a different user, and the filter.

    Programs can read all that other users can read there, and a compiler can write to /tmp, which is shared. Limits, the
    filters, and the end of all started processes, are the same as in the sandbox.
    """

    @classmethod
    def require(cls) -> None:
        """Raises MissingToolError unless run as root, WorkbookError if another user cannot reach Python's folders."""
        if os.geteuid() != 0:
            raise MissingToolError("--contained runs answers as another user, so it must be started as root.")
        _require_ways_to(_python_folders())

    @classmethod
    def words(cls) -> str:
        return f"the container, another user and a seccomp filter; {_limits_words()}"

    @classmethod
    def hide(cls, paths: Iterable[Path]) -> None:
        """Only their owner and group can read them from now on."""
        for path in paths:
            path.chmod(path.stat().st_mode & 0o770)

    def _walls(self, folder: Path, scratch: Path, program: str) -> list[str]:
        return []

    def _open(self, folder: Path, user: int | None) -> None:
        """Root still owns the files in it: because of the sticky bit no other user can remove or replace them."""
        folder.chmod(0o755 if self.is_sealed else 0o1777)
        temporary = Path(tempfile.gettempdir()).resolve()
        for path in folder.resolve().parents:
            if temporary in path.parents:  # a folder of ours that contains it
                path.chmod(path.stat().st_mode | 0o001)
        _require_ways_to([folder, *self.readable])

    def _room(self, folder: Path, environment: dict[str, str], user: int | None) -> dict:
        room = super()._room(folder, environment, user)
        room["environment"].update({"HOME": str(folder), "TMPDIR": str(folder)})
        return room


def require_sandbox(kind: type[Sandbox] = Sandbox) -> None:
    """Raises MissingToolError if this machine cannot make one, WorkbookError if an answer cannot be built in it."""
    kind.require()
    python = [str(python_program()), "-I", "-S", "-c", ""]
    for command, is_sealed in ((["/bin/true"], False), (python, True)):
        with temporary_folder() as folder:
            ended = kind((), Limits(wall_s=30), is_sealed=is_sealed).run(command, folder, {})
        if ended.returncode != 0:
            raise MissingToolError(_refusal(ended.output.strip()))


def _limits_words() -> str:
    return "memory and processes limited by a control group" if place_for_groups() else "memory measured, processes limited"


def _refusal(reason: str) -> str:
    return (
        f"This machine does not allow sandboxes ({reason}).\n"
        "Linux has to allow user namespaces: Ubuntu 24.04 needs\n"
        "  sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\n"
        "A container needs --security-opt seccomp=unconfined, or use a virtual machine instead. As root of a container\n"
        "that you remove afterwards you can use --contained, which protects against less (docs/for_teachers.md)."
    )


def _require_open_to_others(paths: Iterable[Path]) -> None:
    """Raises WorkbookError for a path that only its owner can read, as after `umask 077`."""
    for path in paths:
        needed = 0o5 if path.is_dir() else 0o4
        if path.exists() and path.stat().st_mode & needed != needed:
            raise WorkbookError(
                f"Only its owner can read {path}, but grading as root runs answers as another user, who must read it. "
                f"Allow all users to read the workbook's folder and the build folder: chmod -R o+rX {path}"
            )


def _require_ways_to(paths: Iterable[Path]) -> None:
    """Raises WorkbookError if only its owner can enter a folder on the path to one of these."""
    for folder in sorted({parent for path in paths for parent in path.resolve().parents}):
        if not folder.stat().st_mode & 0o001:
            raise WorkbookError(
                f"Only its owner can enter {folder}, but answers run as another user. Move its contents, or allow "
                f"other users to enter it: chmod o+x {folder}"
            )


def _python_folders() -> list[Path]:
    """The folders of the rewriter's Python, if it is not the system's."""
    named = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))]
    return [Path(path).resolve() for path in named]


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that are not inside another path of the list."""
    kept: list[Path] = []
    folders: set[Path] = set()
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if folders.isdisjoint(path.parents):
            kept.append(path)
            if not path.is_symlink():
                folders.add(path)
    return kept


def _parents(paths: list[Path]) -> list[Path]:
    """All parent folders of these, the outermost first, except the folders inside a path that is a link."""
    links = {path for path in paths if path.is_symlink()}
    parents = {parent for path in paths for parent in path.parents if parent != Path("/")}
    kept = [parent for parent in parents if links.isdisjoint((parent, *parent.parents))]
    return sorted(kept, key=lambda path: (len(path.parts), path))


def _tasks_of(user: int) -> int:
    """The number of the user's tasks: kernels before 5.14 count all of them against the limit of the sandbox."""
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


def keep_plain_files(folder: Path) -> None:
    """Removes all other entries of a folder, and second names of files. As root, takes the files from their users."""
    for entry in os.scandir(folder):
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            remove_folder(Path(entry.path))
        elif not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.unlink(entry.path)
        elif os.geteuid() == 0 and status.st_uid != 0:
            os.chown(entry.path, 0, 0)
            os.chmod(entry.path, 0o755 if status.st_mode & 0o100 else 0o644)


def _entering(written: Sequence[Path]) -> str:
    """A shell's program that opens files and joins the control group. Its arguments are the room, the status, and the
    group's members or "" if there is no group, followed by the command.
    """
    opened = "".join(f" {fd}<>{shlex.quote(str(file))}" for fd, file in enumerate(written, _FIRST_FD))
    files = f'{inside.ROOM_FD}<"$1" {inside.STATUS_FD}>"$2"{opened}'
    return f'exec {files}; [ -z "$3" ] || echo $$ > "$3" || exit; shift 3; exec "$@"'


def _naming_open_files(environment: dict[str, str], written: Sequence[Path]) -> dict[str, str]:
    for fd, file in enumerate(written, _FIRST_FD):
        environment = {name: value.replace(str(file), f"/proc/self/fd/{fd}") for name, value in environment.items()}
    return environment


def _secret_addresses() -> tuple[int, int, int]:
    """Addresses in the lower half of a program's memory, at which nothing is mapped with near certainty."""
    first, second, third = (_LOWEST + secrets.randbelow(_LOWEST) // 8 * 8 for _ in range(3))
    return first, second, third
