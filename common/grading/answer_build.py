"""Building an answer: a source and an exercise become the programs that check it.

The build tree says how: its command lines, with another file in the place of the learner's, rewrite, compile and link any
answer (`BuildSteps`). Ninja itself runs them for the learner's own file (`build_in_place`).
"""

from __future__ import annotations

import functools
import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import Command, compile_command, has_command_lines, link_command
from cli.building.compiler_output import explain_failure, rule_lines
from cli.building.device_rules import broken_rules
from cli.catalogue import Program
from cli.errors import BuildError, WorkbookError
from cli.running.limited_run import MAX_OUTPUT_BYTES, Ended
from cli.running.runner import Runner, clean_environment
from cli.tracing.report import Finding
from cli.workbook import Workbook
from grading.screening.object_file import Symbol
from grading.screening.screening import Screening
from grading.screening.source import Answer


_ONLY_NVCC = "On a GPU this does not compile: nvcc, CUDA's compiler, refuses it. The simulator's compiler lets it pass."


@dataclass(frozen=True)
class Programs:
    """What an answer was linked into. `traced` is there in the simulator, `sanitizer` (NVIDIA's) on a GPU."""

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
        finally:  # that clang may look meanwhile; what breaks a rule is told before what is refused
            _require_device_rules(broken(), workbook)
    return Programs(tree.program(targets[0]), tree.program(targets[1]))


def build_parts(exercise: Program, tree: BuildTree, more: Iterable[str] = ()) -> None:
    """Builds all that an answer to an exercise is linked with, and `more` targets. The learner's own file is no part of
    it: it may not compile. Raises BuildError.
    """
    tree.build(exercise.target, sorted({*_parts_of(exercise, tree), *more}))


def _parts_of(exercise: Program, tree: BuildTree) -> set[str]:
    """The targets of CMake's that make what the answer's programs are linked from, and what compiles an answer."""
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
    """Builds a file as if it were the exercise's answer, into `folder`, and leaves the build tree alone. `build_parts`
    has run.

    Raises BuildError if the file does not compile or link, or takes the compiler over a limit; Refused if it has what
    no answer may have; WorkbookError if the parts are not built.
    """
    steps = BuildSteps(exercise, file, workbook, tree, folder, run)
    steps.make_object()
    return Programs(*(steps.link(target, [steps.answer_object], target) for target in _targets(exercise)))


def _require_device_rules(broken: list[Finding], workbook: Workbook) -> None:
    """Raises BuildError if there are any."""
    if broken:
        lines = [words for _, words in rule_lines(broken, workbook.root)]
        raise BuildError("\n".join([*lines, _ONLY_NVCC]))


@dataclass(frozen=True)
class BuildSteps:
    """The steps in which a file becomes an answer's programs, in `folder`. All raise as `build_elsewhere` does."""

    exercise: Program
    file: Path
    workbook: Workbook
    tree: BuildTree
    folder: Path
    run: Runner

    @property
    def rewritten(self) -> Path:
        return self.folder / "answer.cpp"

    @property
    def answer_object(self) -> Path:
        return self.folder / "answer.o"

    @functools.cached_property
    def _compilation(self) -> tuple[Command, str, str]:
        """Of the learner's file: the command, the source in it, and the object, as commands that link it name it."""
        return compile_command(self.tree, f"{self.exercise.target}_kernels_traced")

    def make_object(self, options: Iterable[str] = (), reference: Path | None = None) -> list[Symbol]:
        """Screens the file, compiles it to `answer_object`, and screens that. Returns the object's symbols.

        options: more for the compiler; reference: an object that has nothing of its own to start.
        """
        self._rewrite()
        screening = self._screening(self.rewritten)
        screening.look_at_source()
        self.compile(options)
        _require_device_rules(self._broken_rules(), self.workbook)
        return screening.look_at_object(self.answer_object, self.exercise, self.tree, reference)

    def look_through(self) -> None:
        """The screening of `make_object`, of the learner's own file, which the tree has built."""
        command, rewritten, output = self._compilation
        screening = self._screening(Path(rewritten))
        screening.look_at_source()
        screening.look_at_object(command.folder / output, self.exercise, self.tree)

    def _screening(self, rewritten: Path) -> Screening:
        command, compiled, _ = self._compilation
        answer = Answer(self.file, rewritten, self.workbook.root, self._include_folders)
        return Screening(answer, command, compiled, self.folder, self.do, self.do_each)

    def _rewrite(self) -> None:
        rewriter = self.workbook.root / "common/simulator/translate/rewrite_cuda.py"
        self.do([sys.executable, "-E", "-s", "-S", str(rewriter), str(self.file), str(self.rewritten), *map(str, self._include_folders)])

    def compile(self, options: Iterable[str] = ()) -> None:
        """`rewritten` to `answer_object`."""
        command, compiled, _ = self._compilation
        # Nobody is here to mend a warning.
        own = [*(f"-I{folder}" for folder in self._include_folders), "-w", *options]
        self.do([*command.replacing(compiled, self.rewritten, self.answer_object), *own])

    def link(self, target: str, answer: list[Path], name: str) -> Path:
        """Links what a target of the tree is linked from, with other objects in the place of the learner's."""
        command, program = self.linking(target, {self.tree_object: answer}, name)
        self.do(command)
        return program

    def linking(
        self, target: str, replaced: dict[str, list[Path]], name: str, last: Path | None = None
    ) -> tuple[list[str], Path]:
        """The command that links what a target of the tree is linked from, and the program that it makes.

        replaced: by the object that the tree links, what is linked in its place; last: an object behind all others.
        """
        link = link_command(self.tree, target)
        words = []
        for word in link.words:
            # A link command's own paths start from its folder, and it is run in ours.
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
        """The object of the learner's own file, as commands that link it name it."""
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
        """`do` for commands that take less than to get a room ready for each: one after the other in one room. What
        each has printed, without its errors.
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
        return self.workbook.files_of(self.exercise.chapter).include_folders


def _absolute(word: str, folder: Path) -> str:
    path = folder / word
    return str(path) if path.is_file() and not word.startswith(("-", "/")) else word


def _build_error(
    ended: Ended, workbook: Workbook, exercise: Program, file: Path, broken: list[Finding]
) -> BuildError:
    if ended.stopped:
        return BuildError(f"The compiler was stopped: it {ended.stopped}.")
    if "cannot find" in ended.output and ".o:" in ended.output:
        raise WorkbookError(f"What an answer to {exercise.target} is linked with is not built:\n{ended.output.rstrip()}")
    error = explain_failure(
        ended.output, workbook.root, exercise.target, file, simulated=True, broken_rules=broken
    )
    error.is_about_source = True  # only the answer is built here: it has also used up its limits by itself
    return error
