"""Configures and builds with CMake; prints output only after a failure."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from cli.building.compiler_output import explain_failure
from cli.building.contents import record_in
from cli.building.device_rules import broken_rules, looking_for_broken_rules
from cli.errors import BuildError
from cli.machine.tools import choose_generator, ensure_build_tools, ensure_recent_cmake, is_present, recent_gxx
from cli.machine.trouble import explain_disk_trouble
from cli.running.children import GRACE_S, child
from cli.running.launcher import launcher
from cli.running.turns import turn
from cli.terminal.console import say
from cli.terminal.phases import Phase
from cli.tracing.report import Finding
from cli.workbook import Workbook

_TREE_VERSION = re.compile(r"^set\(tree_version (\d+)\)", re.MULTILINE)
# Set in the environment of a build's processes, which must not wait for the build.
_HAS_TURN = "WORKBOOK_BUILDS_ALREADY"
_FULL_BYTES = 1 << 20
_SAVING_S = 1  # editors set a file's mode after they have written it
# The chapter of a tree for the learner's own programs: for CMake, an empty name means all chapters.
NO_CHAPTER = "none"
# Does not match the steps of Ninja at the start of every build.
_STEP = re.compile(
    r"\[(?:\s*(?P<percent>\d+)%|(?P<done>\d+)/(?P<all>\d+))\](?! Re-checking globbed)"
    r"(?: (?:Building|Linking) .*?(?P<what>[^/\s]+?)(?:\.o)?$)?"
)


class BuildTree:
    """One build folder of the workbook. `backend`, "cuda" or "simulator", is known after the configuration.

    build_type: CMake's; empty for the default, which is optimized.
    """

    is_shared = False  # whether another user has built it, and it is read-only (checking/shared_tree.py)

    def __init__(self, workbook: Workbook, name: str, requested_backend: str, build_type: str = "") -> None:
        self.workbook = workbook
        self._build_type = build_type
        self.folder = workbook.root / name
        self._name = name
        self._requested_backend = requested_backend

    @property
    def backend(self) -> str:
        return self.cached("WORKBOOK_ACTIVE_BACKEND") or "simulator"

    @property
    def launcher(self) -> list[str]:
        """The command that starts programs on a GPU machine; empty for the simulator. Raises as launcher() does."""
        return launcher() if self.backend == "cuda" else []

    def program(self, target: str) -> Path:
        return self.folder / "bin" / target

    def configure(self, with_tests: bool = False, chapter: str | None = None) -> None:
        """Configures if needed. Without with_tests, tests are left out if GoogleTest is not installed. The chapter is
        added to the chapters in the tree; NO_CHAPTER adds none, None adds all.

        Raises BuildError or MissingToolError.
        """
        ensure_build_tools()
        with self._turn():
            self._configure(with_tests, chapter)

    def _configure(self, with_tests: bool, chapter: str | None) -> None:
        generated = (self.folder / "Makefile").is_file() or (self.folder / "build.ninja").is_file()
        fresh = []
        if self._belongs_elsewhere():
            home = self.cached("CMAKE_HOME_DIRECTORY")
            say(f"{self._name}/ was made for another folder ({home}): starting it again from scratch.")
            fresh = ["--fresh"]
        elif generated and self._is_of_another_version():
            say(f"{self._name}/ was made by another version of the workbook: starting it again from scratch.")
            shutil.rmtree(self.folder, ignore_errors=True)
            generated = False
        elif generated and not Path(self.cached("CMAKE_MAKE_PROGRAM") or "").is_file():
            program = self.cached("CMAKE_MAKE_PROGRAM")
            say(f"{self._name}/ was made for {program}, which is missing: starting it again from scratch.")
            fresh = ["--fresh"]
        is_new = bool(fresh) or not generated
        present = [] if is_new else self._chapters()
        chapters = _with_chapter(present, chapter)
        is_complete = not is_new and chapters == present and not self._can_have_thrust_now()
        if is_complete and (not with_tests or self._found_googletest()):
            return
        ensure_recent_cmake()
        options = [*fresh, f"-DWORKBOOK_CHAPTERS={';'.join(chapters or ())}"]
        if is_new:
            # Ignores CMAKE_GENERATOR, because the Makefile in the root folder uses this tree.
            options += ["-G", choose_generator(), f"-DWORKBOOK_BACKEND={self._requested_backend}"]
            options.append(f"-DPython3_EXECUTABLE={sys.executable}")  # the first python3 in PATH can be too old
            options += [f"-DCMAKE_BUILD_TYPE={self._build_type}"] if self._build_type else []
            compiler = None if self._requested_backend == "cuda" else recent_gxx()
            options += [f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else []
        options.append(f"-DWORKBOOK_TESTS={'ON' if with_tests or is_present('gtest') else 'OFF'}")
        self._run_cmake(options, f"Configuring {self._name}")

    def add(self, name: str) -> None:
        """Configures a configured tree again, after a file was added to its folder. Raises BuildError."""
        with self._turn():
            self._run_cmake([], f"Adding {name}")

    def _turn(self) -> contextlib.AbstractContextManager[None]:
        """Waits until no other command configures or builds: two would write the same files."""
        if os.environ.get(_HAS_TURN):
            return contextlib.nullcontext()
        words = "Another ./workbook is building here. Waiting until it has finished ..."
        return turn(self.workbook.root / "CMakeLists.txt", lambda: say(words))

    def _run_cmake(self, options: list[str], phase_name: str) -> None:
        command = ["cmake", *options, "-S", str(self.workbook.root), "-B", str(self.folder)]
        returncode, output = _run_quietly(command, Phase(phase_name), is_sure_to_work=True)
        if returncode != 0:
            reason = "\n".join(line for line in output.splitlines() if not line.startswith("-- ")).strip()
            trouble = explain_disk_trouble(reason, self._name, self._is_full())
            why = f": {trouble}" if trouble else "; its full output is above."
            advice = f"CMake could not configure {self._name}/{why}"
            raise BuildError(advice, words=reason, is_about_source=False)

    def left_out(self, target: str) -> str:
        """The reason why the configured tree lacks a program of the chapters; empty if it has the program."""
        return self.cached(f"WORKBOOK_LEFT_OUT_{target}") or ""

    def build(
        self,
        name: str,
        targets: list[str] | None = None,
        source: Path | None = None,
        include_folders: Iterable[Path] = (),
        broken: Callable[[], list[Finding]] | None = None,
    ) -> None:
        """Builds targets of a configured tree, by default the target `name`, which is also the name that is printed.

        source: the file to explain if the build fails. include_folders: the folders of its headers, in addition to its
        own. broken: returns the rules that it breaks, if they are already being checked. Raises BuildError.
        """
        targets = targets or [name]
        if source:
            _make_newer_if_put_back(source)
        with self._turn():
            returncode, output = _run_quietly(self._command_to_build(targets), Phase(f"Building {name}"))
        if returncode != 0:
            root, simulated = self.workbook.root, self.backend == "simulator"
            look = broken or functools.partial(broken_rules, source, include_folders, root)
            found = look() if source and simulated else []
            raise explain_failure(output, root, name, source, simulated, found, self._name, self._is_full())

    def _command_to_build(self, targets: list[str]) -> list[str]:
        if self.cached("CMAKE_GENERATOR") == "Ninja":  # cmake --build would start it too, but with one more process
            return [self.cached("CMAKE_MAKE_PROGRAM") or "ninja", "-C", str(self.folder), "-j", parallel_jobs(), *targets]
        return ["cmake", "--build", str(self.folder), "--parallel", parallel_jobs(), "--target", *targets]

    def _is_full(self) -> bool:
        """Whether the disk is full: CMake and the compiler do not always report it."""
        try:
            return shutil.disk_usage(self.folder if self.folder.is_dir() else self.workbook.root).free < _FULL_BYTES
        except OSError:
            return False

    @property
    def headers_of_rules(self) -> Path:
        """The file of device_rules.read_headers; it exists only after a call."""
        return record_in(self.folder, "headers_of_rules").with_suffix(".pch")

    def looking_for_broken_rules(
        self, source: Path, include_folders: Iterable[Path], target: str
    ) -> AbstractContextManager[Callable[[], list[Finding]]]:
        """device_rules.looking_for_broken_rules, with a record in the learner's build folder."""
        root, folder = self._learners_folders
        return looking_for_broken_rules(source, include_folders, root, record_in(folder, f"rules_of_{target}"))

    @property
    def _learners_folders(self) -> tuple[Path, Path]:
        """The workbook with the learner's sources, and the build folder for records about them."""
        return self.workbook.root, self.folder

    def _chapters(self) -> list[str] | None:
        """The chapters of the configured tree; None for all."""
        named = self.cached("WORKBOOK_CHAPTERS")
        return named.split(";") if named else None

    def _found_googletest(self) -> bool:
        directory = self.cached("GTest_DIR") or "NOTFOUND"
        return self.cached("WORKBOOK_TESTS") != "OFF" and not directory.endswith("NOTFOUND")

    def _can_have_thrust_now(self) -> bool:
        missing = self.cached("WORKBOOK_WITHOUT_THRUST")
        return bool(missing) and Path(missing).is_file()

    def _is_of_another_version(self) -> bool:
        lists = (self.workbook.root / "CMakeLists.txt").read_text(encoding="utf-8", errors="replace")
        version = _TREE_VERSION.search(lists)
        return version is not None and self.cached("WORKBOOK_TREE_VERSION") != version[1]

    def _belongs_elsewhere(self) -> bool:
        home = self.cached("CMAKE_HOME_DIRECTORY")
        folder = self.cached("CMAKE_CACHEFILE_DIR")
        return any(
            cached is not None and os.path.realpath(cached) != os.path.realpath(actual)
            for cached, actual in ((home, self.workbook.root), (folder, self.folder))
        )

    def cached(self, name: str) -> str | None:
        """A value of CMakeCache.txt; None before the tree is configured, or if there is no value of this name."""
        try:
            text = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        match = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
        return match.group(1) if match else None


def _make_newer_if_put_back(file: Path) -> None:
    """Gives a file the present time if it was moved or copied here with an older one, such as a backup of `reset`: it can
    be older than a program that was built from its predecessor, and builders compare only times.
    """
    with contextlib.suppress(OSError):  # missing, or read-only
        status = file.stat()
        if status.st_ctime > status.st_mtime + _SAVING_S:
            os.utime(file)


def _with_chapter(chapters: list[str] | None, chapter: str | None) -> list[str] | None:
    """The chapters after adding one; None means all."""
    if chapters is None or chapter is None:
        return None
    return chapters if chapter in chapters else [*chapters, chapter]


def main_tree(workbook: Workbook, with_tests: bool = False, chapter: str | None = None) -> BuildTree:
    """The tree that `make` uses too: with CUDA if there is nvcc and a GPU, otherwise with the simulator. chapter: the
    chapter that is needed, or NO_CHAPTER; None for all.

    WORKBOOK_BACKEND in the environment chooses for a new tree, as it does for `make`.
    """
    tree = BuildTree(workbook, "build", os.environ.get("WORKBOOK_BACKEND", "auto"))
    tree.configure(with_tests, chapter)
    return tree


def simulator_tree(workbook: Workbook, with_tests: bool = False, chapter: str | None = None) -> BuildTree:
    """A tree with the simulator: the main one, or a second one on a machine with a GPU."""
    tree = main_tree(workbook, with_tests, chapter)
    if tree.backend == "simulator":
        return tree
    second = BuildTree(workbook, "build-simulator", "simulator")
    second.configure(with_tests, chapter)
    return second


def debugged_tree(workbook: Workbook, backend: str, chapter: str | None = None) -> BuildTree:
    """A tree whose programs a debugger can step through line by line, for the simulator or for a GPU; with all chapters
    or with one, as in main_tree.
    """
    tree = BuildTree(workbook, "build-debug-cuda" if backend == "cuda" else "build-debug", backend, "Debug")
    tree.configure(chapter=chapter)
    return tree


def _run_quietly(command: list[str], phase: Phase, is_sure_to_work: bool = False) -> tuple[int, str]:
    """The exit code and the output. Unless the command is sure to work, nothing is shown until it starts to."""
    lines = []
    # English messages, because explain_failure reads them.
    environment = {**os.environ, "LC_ALL": "C", "NINJA_STATUS": "[%f/%t] ", _HAS_TURN: "1"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with contextlib.ExitStack() as shown, child(command, GRACE_S, env=environment, **streams) as process:
        is_shown = is_sure_to_work
        if is_shown:
            shown.enter_context(phase)
        for line in process.stdout or ():
            lines.append(line)
            progress = how_far(line)
            if progress and not is_shown:
                is_shown = bool(shown.enter_context(phase))
            if progress:
                phase.at(progress)
        process.wait()
    return process.returncode, "".join(lines)


def how_far(line: str) -> str:
    """The progress in a line of Ninja, make or CMake; empty if it has none. CMake's makefiles count in percent."""
    if line.startswith("-- "):  # from CMake, which runs again after a change of its lists
        return f"CMake: {line[3:].strip()}"
    step = _STEP.match(line)
    if not step:
        return ""
    done = f"{step['percent']} %" if step["percent"] else f"{step['done']} of {step['all']}"
    return f"{done}: {step['what']}" if step["what"] else done


def parallel_jobs() -> str:
    """The number of compilers that run at the same time, as a word of a command line."""
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(processor_count())


def processor_count() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
