"""Builds an answer: makes the programs that check it from a source and an exercise.

`BuildSteps` takes the command lines of the build tree, with another file instead of the learner's, to rewrite, compile
and link any answer. Ninja itself runs them for the learner's own file (`build_in_place`).
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import Command, compile_command, has_command_lines, link_command
from cli.building.compiler_output import explain_failure, rule_lines
from cli.building.device_rules import ONLY_NVCC, broken_rules
from cli.building.gxx_warnings import WARNING_OPTIONS, gxx_warnings
from cli.building.nvcc import Nvcc, nvcc_record
from cli.catalogue import Program
from cli.checking.screening.object_file import Symbol
from cli.checking.screening.screening import OF_TEXT, Screening
from cli.checking.screening.source import Answer
from cli.errors import BuildError, WorkbookError
from cli.running.limited_run import MAX_OUTPUT_BYTES, Ended
from cli.running.runner import Runner, clean_environment
from cli.tracing.report import Finding
from cli.workbook import Workbook

# The object libraries of a program's kernels, after its target (common/cmake/Programs.cmake).
PLAIN, TRACED = "_kernels", "_kernels_traced"


@dataclass(frozen=True)
class Programs:
    """The programs of an answer. `traced` exists in the simulator, `sanitizer` (NVIDIA's) on a GPU."""

    tests: Path
    traced: Path | None = None
    sanitizer: Path | None = None


def build_in_place(
    exercise: Program, file: Path, workbook: Workbook, tree: BuildTree, folder: Path, run: Runner
) -> Programs:
    """Builds the learner's own file, in the tree. Raises BuildError, and Refused as `build_elsewhere` does."""
    targets = _targets(exercise)
    folders = workbook.files_of(exercise.chapter).include_folders
    with tree.looking_for_broken_rules(exercise.source, folders, exercise.target) as broken:
        tree.build(exercise.target, targets, source=exercise.source, include_folders=folders, broken=broken)
        if not has_command_lines(tree):  # `grade` needs them
            return Programs(tree.program(targets[0]), tree.program(targets[1]))
        try:
            BuildSteps(exercise, file, workbook, tree, folder, run).look_through()
        finally:  # clang checks the rules at the same time; a broken rule is reported before a refusal
            _require_device_rules(broken(), workbook)
    return Programs(tree.program(targets[0]), tree.program(targets[1]))


def build_parts(exercise: Program, tree: BuildTree, more: Iterable[str] = ()) -> None:
    """Builds all objects that an answer to an exercise is linked with, and `more` targets, but not the learner's own
    file, which might not compile. Raises BuildError.
    """
    tree.build(exercise.target, sorted({*_parts_of(exercise, tree), *more}))


def _parts_of(exercise: Program, tree: BuildTree) -> set[str]:
    """The CMake targets of the objects and libraries that the answer's programs are compiled and linked with."""
    answer = f"{exercise.target}_kernels_traced"
    words = list(compile_command(tree, answer)[0].words)
    for target in _targets(exercise):
        words += [word for word in link_command(tree, target).words if not word.startswith("/")]
    found = (re.search(r"(?:^|/)CMakeFiles/([\w.+-]+)\.dir/|(?:^|/)lib([\w.+-]+)\.a$", word) for word in words)
    return {match[1] or match[2] for match in found if match} - {answer}


def _targets(exercise: Program) -> list[str]:
    return [f"{exercise.target}_{kind}" for kind in ("test", "inspect")]


def build_elsewhere(
    exercise: Program, file: Path, workbook: Workbook, tree: BuildTree, folder: Path, run: Runner
) -> Programs:
    """Builds a file as if it were the exercise's answer, into `folder`. The build tree, in which `build_parts` has run,
    does not change.

    Raises BuildError if the file does not compile or link, or if the compiler exceeds a limit; Refused if it contains
    something forbidden; WorkbookError if the parts are not built.
    """
    steps = BuildSteps(exercise, file, workbook, tree, folder, run)
    steps.make_object()
    return Programs(*(steps.link(target, [steps.answer_object], target) for target in _targets(exercise)))


def _require_device_rules(broken: list[Finding], workbook: Workbook) -> None:
    """Raises BuildError if the answer breaks a rule."""
    if broken:
        lines = [words for _, words in rule_lines(broken, workbook.root)]
        raise BuildError("\n".join([*lines, ONLY_NVCC]))


def nvcc_refusal(
    exercise: Program, file: Path, workbook: Workbook, tree: BuildTree, folder: Path, run: Runner, nvcc: Nvcc
) -> BuildError | None:
    """The error of an answer that is built and that nvcc refuses; None if nvcc accepts it. Raises WorkbookError."""
    # What nvcc accepts is noted only for the learner's own file: other files can be in a folder that is removed.
    record = nvcc_record(workbook, exercise.target) if file == exercise.source else None
    root = tree.workbook.root
    folders = tree.workbook.files_of(exercise.chapter).include_folders
    return nvcc.refusal(file.resolve(), folders, root, run, folder, record=record)


@dataclass(frozen=True)
class BuildSteps:
    """The steps that build an answer's programs from a file, in `folder`. All raise as `build_elsewhere` does."""

    exercise: Program
    file: Path
    workbook: Workbook
    tree: BuildTree
    folder: Path
    run: Runner
    kernels: str = TRACED

    @property
    def rewritten(self) -> Path:
        return self.folder / "answer.cpp"

    @property
    def answer_object(self) -> Path:
        return self.folder / "answer.o"

    @functools.cached_property
    def _compilation(self) -> tuple[Command, str, str]:
        """The command that compiles the learner's file, its source, and its object as link commands name it."""
        return compile_command(self.tree, f"{self.exercise.target}{self.kernels}")

    def make_program(self, target: str) -> Path:
        """Builds a program of the author's own, which is not screened."""
        self._rewrite()
        self.compile(self.rewritten)
        return self.link(target, [self.answer_object], target)

    def make_object(self, options: Iterable[str] = (), reference: Path | None = None) -> list[Symbol]:
        """Screens the file, compiles it to `answer_object`, and screens the object. Returns the object's symbols.

        options: additional compiler options; reference: an object without code of its own that runs before main().
        """
        self._rewrite()
        screening = self._screening(self.rewritten)
        self.compile(screening.look_at_source(), (*OF_TEXT, *options))
        _require_device_rules(self._broken_rules(), self.workbook)
        return screening.look_at_object(self.answer_object, reference)

    def look_through(self) -> None:
        """Screens the learner's own file, which the tree has built, as `make_object` does."""
        command, rewritten, output = self._compilation
        screening = self._screening(Path(rewritten))
        screening.look_at_source()
        screening.look_at_object(command.folder / output)

    def _screening(self, rewritten: Path) -> Screening:
        command, compiled, _ = self._compilation
        answer = Answer(self.file, rewritten, self.tree.workbook.root, self._include_folders)
        linked = link_command(self.tree, _targets(self.exercise)[0]).files()
        has_nccl = any("cuda_simulator_nccl.dir" in file.parts for file in linked)
        return Screening(answer, command, compiled, has_nccl, self.folder, self.do, self.do_each)

    def _rewrite(self) -> None:
        rewriter = self.workbook.root / "common/simulator/translate/rewrite_cuda.py"
        self.do([sys.executable, "-E", "-s", "-S", str(rewriter), str(self.file), str(self.rewritten), *map(str, self._include_folders)])

    def compile(self, source: Path, options: Iterable[str] = ()) -> None:
        """Compiles a source to `answer_object`."""
        command, compiled, _ = self._compilation
        # Warnings are for the author alone.
        own = [*(f"-I{folder}" for folder in self._include_folders), "-w", *options]
        self.do([*command.replacing(compiled, source, self.answer_object), *own])

    def warnings(self) -> list[str]:
        """g++'s warnings about a file that compiles, as gxx_warnings() returns them."""
        self._rewrite()
        command, compiled, _ = self._compilation
        own = [*(f"-I{folder}" for folder in self._include_folders), *WARNING_OPTIONS]
        nowhere = Path(os.devnull)

        def output_of_gxx(file: Path) -> str:
            return self._start([*command.replacing(compiled, file, nowhere), *own]).output

        return gxx_warnings(self.file, self.rewritten, output_of_gxx)

    def link(self, target: str, answer: list[Path], name: str) -> Path:
        """Links a target of the tree, with other objects instead of the learner's."""
        command, program = self.linking(target, {self.tree_object: answer}, name)
        self.do(command)
        return program

    def linking(
        self, target: str, replaced: dict[str, list[Path]], name: str, last: Path | None = None
    ) -> tuple[list[str], Path]:
        """The command that links a target of the tree, and its program.

        replaced: for an object that the tree links, the objects to link instead; last: an object after all others.
        """
        link = link_command(self.tree, target)
        words = []
        for word in link.words:
            # Paths in a link command are relative to its folder, but it runs in ours.
            words += [str(file) for file in replaced[word]] if word in replaced else [_absolute(word, link.folder)]
        missing = [word for word in replaced if word not in link.words]
        if missing:
            raise WorkbookError(f"This command line should name {missing[0]}: {shlex.join(link.words)}")
        if last:
            position = max(number for number, word in enumerate(words) if word.endswith(".o"))
            words.insert(position + 1, str(last))
        program = self.folder / name
        return [*words, "-o", str(program)], program

    @property
    def tree_object(self) -> str:
        """The object of the learner's own file, as link commands name it."""
        return self._compilation[2]

    def _broken_rules(self) -> list[Finding]:
        headers = self.tree.headers_of_rules
        return broken_rules(self.file, self._include_folders, self.workbook.root, lambda c: self._start(c).output, headers)

    def do(self, command: list[str]) -> str:
        ended = self._start(command)
        if ended.returncode != 0:
            broken = [] if ended.stopped else self._broken_rules()
            raise _build_error(ended, self.workbook, self.exercise, self.file, broken)
        return ended.output

    def do_each(self, commands: list[list[str]]) -> list[str]:
        """`do` for short commands: runs them one after the other in one room, because a new room for each would take
        longer. Returns the standard output of each.
        """
        taken = len(list(self.folder.iterdir()))
        files = [self.folder / f"printed_{taken}_{number}" for number in range(len(commands))]
        lines = [f"{shlex.join(command)} > {shlex.quote(str(file))}" for command, file in zip(commands, files)]
        self.do(["sh", "-c", " && ".join(lines)])
        texts = []
        for file in files:
            if file.stat().st_size > MAX_OUTPUT_BYTES:
                stopped = Ended(1, stopped=f"printed more than {MAX_OUTPUT_BYTES >> 20} MiB")
                raise _build_error(stopped, self.workbook, self.exercise, self.file, [])
            texts.append(file.read_bytes().decode(errors="replace"))
            file.unlink()
        return texts

    def _start(self, command: list[str]) -> Ended:
        return self.run(command, self.folder, clean_environment({"LC_ALL": "C"}))

    @property
    def _include_folders(self) -> tuple[Path, ...]:
        """The folders whose headers the tree's command lines use, also if the tree is shared."""
        return self.tree.workbook.files_of(self.exercise.chapter).include_folders


def _absolute(word: str, folder: Path) -> str:
    path = folder / word
    return str(path) if path.is_file() and not word.startswith(("-", "/")) else word


def _build_error(
    ended: Ended, workbook: Workbook, exercise: Program, file: Path, broken: list[Finding]
) -> BuildError:
    if ended.stopped:
        return BuildError(f"The compiler was stopped: it {ended.stopped}.")
    if "cannot find" in ended.output and ".o:" in ended.output:
        raise WorkbookError(f"Objects that answers to {exercise.target} need are not built:\n{ended.output.rstrip()}")
    error = explain_failure(
        ended.output, workbook.root, exercise.target, file, simulated=True, broken_rules=broken
    )
    error.is_about_source = True  # only the answer is built here, so it alone used up the limits
    return error
