"""Building the programs that check an exercise's answer: the learner's file in place, or any file beside the tree."""

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
    targets = [f"{exercise.target}_test", f"{exercise.target}_inspect"]
    folders = workbook.files_of(exercise.chapter).include_folders
    with tree.looking_for_broken_rules(exercise.source, folders, exercise.target) as broken:
        tree.build(exercise.target, targets, source=exercise.source, include_folders=folders, broken=broken)
        if not has_command_lines(tree):  # `grade` needs them
            return Programs(tree.program(targets[0]), tree.program(targets[1]))
        steps = BuildSteps(exercise, file, workbook, tree, folder, run)
        try:
            screening, answer_object = steps.screening_in_place()
            screening.look_at_source()
            screening.look_at_object(answer_object, exercise, tree)
        finally:  # that clang may look meanwhile; what breaks a rule is told before what is refused
            require_device_rules(broken(), workbook)
    return Programs(tree.program(targets[0]), tree.program(targets[1]))


def build_reference(exercise: Program, tree: BuildTree) -> None:
    """Builds the reference answer, whose parts `build_elsewhere` links with. Raises BuildError."""
    targets = _reference_targets(exercise, tree.workbook)
    if _has_reference(exercise, tree.workbook):
        tree.build(_reference(exercise, tree.workbook), targets)
    else:
        tree.build(exercise.target, _parts_without_answer(exercise, tree, targets))


def _has_reference(program: Program, workbook: Workbook) -> bool:
    return program.kind == "exercise" and not workbook.is_class_copy


def _reference(program: Program, workbook: Workbook) -> str:
    """The target in whose place a file is built. A stage's is its own, and in a class's copy so is an exercise's."""
    return f"{program.target}_solution" if _has_reference(program, workbook) else program.target


def _reference_targets(program: Program, workbook: Workbook) -> list[str]:
    return [f"{_reference(program, workbook)}_{kind}" for kind in ("test", "inspect")]


def _parts_without_answer(exercise: Program, tree: BuildTree, targets: list[str]) -> list[str]:
    """The targets of CMake's that the programs `targets` are linked from, and that compile an answer, but for the answer
    itself: where there is no reference answer it is the learner's file, which may not compile.
    """
    kernels = f"{exercise.target}_kernels_traced"
    words = list(compile_command(tree, kernels)[0].words)
    for target in targets:
        words += [word for word in link_command(tree, target).words if not word.startswith("/")]
    found = (re.search(r"(?:^|/)CMakeFiles/([\w.+-]+)\.dir/|(?:^|/)lib([\w.+-]+)\.a$", word) for word in words)
    return sorted({match[1] or match[2] for match in found if match} - {kernels})


def build_elsewhere(
    exercise: Program, file: Path, workbook: Workbook, tree: BuildTree, folder: Path, run: Runner
) -> Programs:
    """Builds a file as if it were the exercise's answer, into `folder`, and leaves the build tree alone.

    Raises BuildError if the file does not compile or link, or takes the compiler over a limit; Refused if it has what
    no answer may have; WorkbookError if the reference answer is not built.
    """
    steps = BuildSteps(exercise, file, workbook, tree, folder, run)
    steps.compile()
    steps.require_device_rules()
    screening = steps.screening()
    screening.look_at_source()
    screening.look_at_object(steps.answer_object, exercise, tree)
    programs = [
        steps.link(target, {steps.reference_object: [steps.answer_object]}, target.replace("_solution", ""))
        for target in _reference_targets(exercise, workbook)
    ]
    return Programs(*programs)


def require_device_rules(broken: list[Finding], workbook: Workbook) -> None:
    """Raises BuildError if there are any."""
    if broken:
        lines = [words for _, words in rule_lines(broken, workbook.root)]
        raise BuildError("\n".join([*lines, _ONLY_NVCC]))


@dataclass(frozen=True)
class BuildSteps:
    """The steps in which `build_elsewhere` builds a file. All raise as it does."""

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

    @property
    def reference_object(self) -> str:
        return self._compilation[2]

    @functools.cached_property
    def _compilation(self) -> tuple[Command, str, str]:
        return compile_command(self.tree, f"{_reference(self.exercise, self.workbook)}_kernels_traced")

    def screening(self) -> Screening:
        command, reference, _ = self._compilation
        answer = Answer(self.file, self.rewritten, self.workbook.root, self._include_folders)
        return Screening(answer, command, reference, self.folder, self.do, self.do_each)

    def screening_in_place(self) -> tuple[Screening, Path]:
        """Of the learner's file, which the tree has built; and the object that it has made."""
        command, rewritten, output = compile_command(self.tree, f"{self.exercise.target}_kernels_traced")
        answer = Answer(self.file, Path(rewritten), self.workbook.root, self._include_folders)
        screening = Screening(answer, command, rewritten, self.folder, self.do, self.do_each)
        return screening, command.folder / output

    def compile(self) -> None:
        """The file to `rewritten`, and that to `answer_object`."""
        self.rewrite()
        self.compile_to(self.answer_object)

    def rewrite(self) -> None:
        rewriter = self.workbook.root / "common/simulator/translate/rewrite_cuda.py"
        self.do([sys.executable, "-E", "-s", "-S", str(rewriter), str(self.file), str(self.rewritten), *map(str, self._include_folders)])

    def compile_to(self, output: Path, options: Iterable[str] = ()) -> None:
        command, reference, _ = self._compilation
        # Nobody is here to mend a warning.
        own = [*(f"-I{folder}" for folder in self._include_folders), "-w", *options]
        self.do([*command.replacing(reference, self.rewritten, output), *own])

    def link(self, target: str, replaced: dict[str, list[Path]], name: str, last: Path | None = None) -> Path:
        """Links what a target of the tree is linked from, with files in place of some of its objects, and one more
        behind the last object.
        """
        command, program = self.linking(target, replaced, name, last)
        self.do(command)
        return program

    def linking(
        self, target: str, replaced: dict[str, list[Path]], name: str, last: Path | None = None
    ) -> tuple[list[str], Path]:
        """The command that `link` runs, and the program that it makes."""
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

    def require_device_rules(self) -> None:
        """Raises BuildError for what g++ compiles and nvcc refuses."""
        require_device_rules(self._broken_rules(), self.workbook)

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
                stopped = Ended(1, stopped=f"printed over {MAX_OUTPUT_BYTES >> 20} MiB")
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
        raise WorkbookError(f"The reference answer of {exercise.target} is not built:\n{ended.output.rstrip()}")
    error = explain_failure(
        ended.output, workbook.root, exercise.target, file, simulated=True, broken_rules=broken
    )
    error.is_about_source = True  # only the answer is built here: it has also used up its limits by itself
    return error
