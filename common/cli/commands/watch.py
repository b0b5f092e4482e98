"""`./workbook watch`"""

from __future__ import annotations

import shlex
from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.checking.check_result import CheckResult, line_to_mend
from cli.commands import hint
from cli.errors import EXIT_OK, UsageError, WorkbookError
from cli.exercises.attempt import check_and_record, exercise_tree
from cli.exercises.course import current_exercise, is_solved, step_after, steps
from cli.exercises.directions import directions
from cli.exercises.lookup import find_exercise
from cli.exercises.progress import Progress
from cli.exercises.watching import LOOK_EVERY_S, Saves
from cli.running.processes import run_program
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.terminal.editor import editor_of, opening
from cli.terminal.keys import Keys
from cli.workbook import Workbook

SUMMARY = "check an exercise every time you save its file"
USAGE = "watch [EXERCISE|CHAPTER] [--open]"
DETAILS = """
Checks an exercise, as './workbook check' does, every time you save its file. Without a name it watches the exercise
that './workbook next' shows. After you have solved an exercise, it watches the next one. With CHAPTER it watches all
exercises of the chapter.

--open opens the file of a failed answer in your editor ($VISUAL or, if that is not set, $EDITOR), at the line of the
error. It can pass the line to vi, Vim, Neovim, nano, Emacs, micro, joe, Kakoune, gedit, VS Code, Helix, Sublime Text,
Zed and Kate. Other editors open only the file. If the editor runs in this terminal, your changes are checked after you
quit it.

On a terminal: h shows a hint, n goes to the next unsolved exercise, q ends; Ctrl-C also ends.
"""

_HINT, _NEXT, _QUIT, _HELP = "h", "n", "q", "?"
_KEYS = "h: a hint, n: the next exercise, q: quit"


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("watch", USAGE)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--open", action="store_true")
    parsed = parser.parse_args(arguments)
    name = parsed.exercise
    editor = editor_of() if parsed.open else []
    found = workbook.catalogue.find(name) if name else current_exercise(workbook)
    exercises = _exercises_of(found) if isinstance(found, Chapter) else [find_exercise(name or found.target, workbook)]
    exercise_tree(workbook, exercises[0].chapter)  # reports missing tools now, not after the first save
    with Keys() as keys:
        watch = _Watch(exercises, workbook, keys, editor, leads_on=not isinstance(found, Chapter))
        try:
            if not name:
                watch.show_the_way()
            elif len(exercises) == 1:
                watch.check(exercises[0])
            watch.go_on()
            say("No longer watching.")
        except KeyboardInterrupt:
            say("\nNo longer watching.")
    return EXIT_OK


def _exercises_of(chapter: Chapter) -> list[Program]:
    if not chapter.of_kind("exercise"):
        raise UsageError(f"{chapter.name} has no exercises yet.")
    return list(chapter.of_kind("exercise"))


class _Watch:
    """Watches one exercise, or several of a chapter, and reacts to saved files and keys."""

    def __init__(
        self, exercises: list[Program], workbook: Workbook, keys: Keys, editor: list[str], leads_on: bool
    ) -> None:
        self._leads_on = leads_on
        self._workbook = workbook
        self._keys = keys
        self._editor = editor  # its command line; empty without --open
        self._is_over = False
        self._take(exercises)

    def _take(self, exercises: list[Program]) -> None:
        self._watched = {exercise.source: exercise for exercise in exercises}
        self._current = exercises[0]  # the exercise for which `h` gives a hint
        self._saves = Saves(self._watched)

    def go_on(self) -> None:
        """Watches until a key ends it, or all exercises are solved."""
        self._tell_what_is_watched()
        while not self._is_over:
            self._do(self._keys.wait(LOOK_EVERY_S))
            for file in self._saves.since_last_look():
                say(f"\n{self._workbook.shown(file)} was saved.")
                exercise = self._watched[file]
                was_solved = is_solved(exercise, Progress(self._workbook.root))
                if self.check(exercise) and not was_solved and self._leads_on:
                    self._go_to_next()
                self._tell_what_is_watched()

    def _do(self, key: str) -> None:
        if key == _QUIT:
            self._is_over = True
        elif key == _HINT:
            try:
                hint.run([self._current.target], self._workbook)
            except WorkbookError as error:
                complain(str(error))
        elif key == _NEXT:
            self._go_to_next()
            self._tell_what_is_watched()
        elif key == _HELP:
            say(_KEYS)

    def check(self, exercise: Program) -> bool:
        """Whether it passes."""
        self._current = exercise
        try:
            result = check_and_record(exercise, self._workbook).result
        except WorkbookError as error:
            complain(str(error))
            return False
        if self._editor and not result.passed:
            self._open(result)
        return result.passed

    def _open(self, result: CheckResult) -> None:
        command = opening(self._editor, result.file, line_to_mend(result))
        shown = shlex.join([*command[:-1], command[-1].replace(f"{self._workbook.root}/", "")])
        say(f"\nOpening the file: {shown}", whole_lines=True)
        with self._keys.lent():
            run_program(Path(command[0]), command[1:])

    def _go_to_next(self) -> None:
        progress = Progress(self._workbook.root)
        step = step_after(self._current, steps(self._workbook), progress)
        if step is None:
            solved = is_solved(self._current, progress)
            say("All exercises are solved." if solved else "All other exercises are solved.")
            self._is_over = solved
            return
        self._leads_on = True
        self._take([step.exercise])
        self.show_the_way()

    def show_the_way(self) -> None:
        """Shows what to read and write for the watched exercise."""
        step = next(one for one in steps(self._workbook) if one.exercise == self._current)
        title = step.chapter.title() or step.chapter.name
        say(f"\n{title}\n\n{directions(step, Progress(self._workbook.root), self._workbook)}")

    def _tell_what_is_watched(self) -> None:
        if self._is_over:
            return
        names = [self._workbook.shown(file) for file in self._watched]
        what = names[0] if len(names) == 1 else f"{len(names)} exercises"
        say(f"\nWatching {what}. Save to check; {_KEYS if self._keys.available else 'Ctrl-C ends this'}.")
