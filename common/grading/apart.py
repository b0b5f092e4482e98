"""Builds a stranger's answer for two processes: one that runs it and records its calls, and the judge.

Its object is compiled like any answer's. Then its symbols are renamed or hidden: the tests cannot call the answer
directly, and only the functions that the exercise asks for can be called at all.
"""

from __future__ import annotations

from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import compile_command, link_command
from cli.building.device_rules import read_headers
from cli.catalogue import Program
from cli.checking.answer_build import BuildSteps, Programs, build_parts
from cli.checking.screening.object_file import Symbol, demangle, is_defined, is_global, symbols_in
from cli.errors import BuildError, WorkbookError
from cli.running.runner import Runner
from cli.workbook import Workbook

_SUBMISSION = "submission::"
# The objects of common/grading/transcripts that an answer's programs are linked with.
_OBJECTS = ("streams", "record", "exit", "files", "before")
TARGETS = tuple(f"workbook_{name}" for name in _OBJECTS)


def judge_program(exercise: Program, tree: BuildTree) -> Path:
    return tree.program(f"{exercise.target}_judge")


def build_parts_apart(exercise: Program, workbook: Workbook, tree: BuildTree) -> None:
    """Builds all objects that every answer to an exercise is linked with, and the judge. Raises BuildError."""
    if tree.cached("WORKBOOK_TESTS") == "OFF":
        raise WorkbookError(
            f"{exercise.target} has no judge in {tree.folder}: that tree is configured without tests. Configure it with "
            "-DWORKBOOK_TESTS=ON."
        )
    read_headers(workbook.root, tree.headers_of_rules)
    build_parts(exercise, tree, (f"{exercise.target}_judge", _reference(exercise), *TARGETS))


def _reference(exercise: Program) -> str:
    return f"{exercise.target}_solution_kernels_traced"


def build_apart(
    exercise: Program, file: Path, workbook: Workbook, tree: BuildTree, folder: Path, run: Runner
) -> Programs:
    """Builds the tests that write a transcript, and the traced program. `build_parts_apart` has run.

    Raises BuildError as `build_elsewhere` does, and Refused for an answer that contains something forbidden.
    """
    steps = BuildSteps(exercise, file, workbook, tree, folder, run)
    in_tree, _, reference = compile_command(tree, _reference(exercise))
    symbols = steps.make_object(("-fno-gnu-unique",), in_tree.folder / reference)  # a unique name cannot be hidden
    link = _LinkedObjects(exercise, tree)
    alone, beside_tests = folder / "answer_alone.o", folder / "answer_tested.o"
    own = link.to_hide(symbols)
    renamed = link.names_in_tests()
    defined = {symbol.name for symbol in symbols if is_defined(symbol) and is_global(symbol)}
    missing = sorted(set(renamed) - defined - link.left_to_the_harness())
    if missing:
        names = ", ".join(demangle(missing))
        raise BuildError(f"Fix {file.name}: it does not define {names}. Is the signature the same as in the header?")
    ends = {"exit": "workbook_exit_early"}  # never with success
    ungrouped = folder / "answer_ungrouped.o"
    steps.do_each(
        [
            # Move inline functions to ordinary sections. The linker drops a group if another object has a copy of it,
            # and a hidden name in the dropped group would be undefined.
            ["ld", "-r", "--force-group-allocation", str(steps.answer_object), "-o", str(ungrouped)],
            _copying(ungrouped, beside_tests, own | (link.asked_for() - set(renamed)), {**renamed, **ends}),
            _copying(ungrouped, alone, own, ends),
        ]
    )
    streams, record, early, files, before = (_grading_object(tree, name) for name in _OBJECTS)
    target = exercise.target
    tests = steps.linking(
        f"{target}_judge", {link.replay: [streams, record, early]}, f"{target}_test", last=beside_tests
    )
    traced = steps.linking(
        f"{target}_inspect", {steps.tree_object: [streams, early, files, before]}, f"{target}_inspect", last=alone
    )
    # The program can read its own symbol table, and so could find the functions that forget findings.
    nameless = ["objcopy", "--wildcard", "--strip-symbol=*cuda_simulator*", "--strip-symbol=*take_*"]
    steps.do_each([tests[0], [*nameless, str(tests[1])], traced[0], [*nameless, str(traced[1])]])
    return Programs(tests[1], traced[1])


def grading_objects(tree: BuildTree) -> list[Path]:
    """The object files of common/grading that programs are linked with. Raises WorkbookError."""
    return [_grading_object(tree, name) for name in (*_OBJECTS, "replay")]


def _grading_object(tree: BuildTree, name: str) -> Path:
    """An object file of common/grading, from the list that its CMakeLists.txt writes. Raises WorkbookError."""
    note = tree.folder / "common/grading/transcripts" / f"{name}_objects.txt"
    try:
        return Path(note.read_text(encoding="utf-8").strip())
    except OSError as error:
        raise WorkbookError(f"{note} cannot be read ({error.strerror}): configure the build tree again.") from error


class _LinkedObjects:
    """The objects that the answer is linked with, and the names that they and the answer define."""

    def __init__(self, exercise: Program, tree: BuildTree) -> None:
        link = link_command(tree, f"{exercise.target}_judge")
        replay = _grading_object(tree, "replay").resolve()
        self.replay = next((word for word in link.words if (link.folder / word).resolve() == replay), "")
        files = [file.resolve() for file in link.files()]
        calls = tuple(file for file in files if file.suffix == ".o" and "_graded_calls.dir" in str(file))
        if not self.replay or not calls:
            raise WorkbookError(f"{exercise.target}_judge is not linked with replay_calls.cpp and the graded calls.")
        self._calls = symbols_in(calls)
        facts = tuple(file for file in files if "_main.dir" in str(file))
        self._facts = symbols_in(facts) if facts else ()

    def asked_for(self) -> set[str]:
        """The functions that an answer defines."""
        return {symbol.name for symbol in self._calls if symbol.kind == "T"}

    def left_to_the_harness(self) -> set[str]:
        """The functions that an answer can leave out, because the operation's file defines them, as weak ones."""
        return {symbol.name for symbol in self._facts if symbol.kind in "TW"} & self.asked_for()

    def names_in_tests(self) -> dict[str, str]:
        """The new names of the functions, so that the tests call the recorder's functions of the original names."""
        asked_for = sorted(self.asked_for())
        plain = dict(zip(demangle(asked_for), asked_for))
        wanted = [symbol.name for symbol in self._calls if symbol.kind == "w"]
        renamed = {}
        for name, text in zip(wanted, demangle(wanted)):
            if text.startswith(_SUBMISSION):
                renamed[plain[text[len(_SUBMISSION) :]]] = name
        return renamed

    def to_hide(self, symbols: list[Symbol]) -> set[str]:
        """All other names that an answer defines: no other object can use them."""
        defined = {symbol.name for symbol in symbols if is_defined(symbol) and is_global(symbol)}
        return defined - self.asked_for()


def _copying(whole: Path, copy: Path, hidden: set[str], renamed: dict[str, str]) -> list[str]:
    """The command that copies an object and changes its names. Writes the lists that the command reads."""
    hidden_file, renamed_file = (copy.with_name(f"{copy.stem}_{kind}.txt") for kind in ("hidden", "renamed"))
    hidden_file.write_text("\n".join(sorted(hidden)) + "\n", encoding="utf-8")
    renamed_file.write_text("".join(f"{old} {new}\n" for old, new in sorted(renamed.items())), encoding="utf-8")
    # Code that would run before main() is left out; in answers that pass the screening only <iostream> has such code.
    options = ["--remove-section=.init_array", "--remove-section=.rela.init_array"]
    options += [f"--localize-symbols={hidden_file}", f"--redefine-syms={renamed_file}"]
    return ["objcopy", *options, str(whole), str(copy)]
