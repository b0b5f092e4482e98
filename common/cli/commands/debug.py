"""`./workbook debug`"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cli.building.build_tree import NO_CHAPTER, BuildTree, debugged_tree, main_tree
from cli.building.own_program import BUILD_USAGE, add_target_arguments, build_options, find_own_program
from cli.catalogue import Program
from cli.errors import EXIT_OK, MissingToolError, UsageError
from cli.exercises.lookup import source_or_reset
from cli.running.processes import run_program
from cli.terminal.arguments import ArgumentParser, split_at_dashes
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "step through a program line by line in a debugger"
USAGE = f"debug TARGET|FILE.cu... {BUILD_USAGE} [--simulator] [--build-only] [-- program options]"
# The link's name in the build folder is the same for every program.
PROGRAM_LINK = "program"
DETAILS = f"""
TARGET is a program from './workbook list', FILE.cu a program of your own. It is built without optimization, in a build
folder of its own: build-debug/ for the simulator, build-debug-cuda/ for a GPU. Then the debugger starts: gdb, or
cuda-gdb on a machine with nvcc and a GPU. 'break 02_localmem.cu:25' sets a breakpoint, 'run' starts the program, 'next'
executes one line, 'print NAME' shows a variable, 'quit' ends the debugger.

In the simulator the threads of a block run one at a time, each up to its next barrier. Under the debugger the blocks
also run one at a time. 'print threadIdx.x' shows which thread is running, and
'break 02_localmem.cu:25 if threadIdx.x == 5' stops only in thread 5.

--simulator    uses the simulator even if there is a GPU
--build-only   starts no debugger. A link named '{PROGRAM_LINK}' in the build folder points to the built program, for
               editors: .vscode/launch.json uses it

  ./workbook debug ch3_transpose_localmem -- --rows 33 --cols 20
  ./workbook debug ~/gpu/my_kernel.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("debug", USAGE)
    add_target_arguments(parser)
    parser.add_argument("--simulator", action="store_true")
    parser.add_argument("--build-only", action="store_true")
    parsed = parser.parse_beside_program_options(own_arguments)
    if parsed.build_only and options:
        raise UsageError("--build-only starts no program: leave out the options after '--'.")
    own_program = find_own_program(parsed.target, build_options(parsed), workbook.catalogue)
    program = None if own_program else workbook.catalogue.find_program(parsed.target[0])
    if program and program.kind == "exercise":
        source_or_reset(program, workbook)
    chapter = program.chapter if program else NO_CHAPTER
    backend = "simulator" if parsed.simulator else main_tree(workbook, chapter=chapter).backend
    debugger = "" if parsed.build_only else _debugger(backend)
    tree = debugged_tree(workbook, backend, chapter)
    built = own_program.build(tree) if own_program else _build(program, tree)
    if parsed.build_only:
        say(f"Built for the debugger: {workbook.shown(built)}")
        _leave_link(built, tree.folder / PROGRAM_LINK)
        return EXIT_OK
    environment = {"CUDA_SIMULATOR_THREADS": "1"} if backend == "simulator" else {}
    return run_program(Path(debugger), ["--args", str(built), *options], environment, launched_by=tree.launcher).exit_code


def _build(program: Program, tree: BuildTree) -> Path:
    """Raises BuildError, and MissingToolError if this tree cannot run the program."""
    if tree.backend != "cuda" and program.needs_gpu:
        raise MissingToolError(f"{program.target} needs a GPU and nvcc: it uses what the simulator does not model.")
    if tree.left_out(program.target):
        raise MissingToolError(f"{program.target} is left out here, because {tree.left_out(program.target)}.")
    tree.build(program.target, source=program.source)
    return tree.program(program.target)


def _debugger(backend: str) -> str:
    """The path of the debugger. Raises MissingToolError."""
    name = "cuda-gdb" if backend == "cuda" else "gdb"
    toolkit = Path("/usr/local/cuda/bin") / name  # often not in PATH
    found = shutil.which(name) or (str(toolkit) if os.access(toolkit, os.X_OK) else "")
    if not found:
        advice = "it comes with the CUDA Toolkit" if backend == "cuda" else "on Debian and Ubuntu: apt install gdb"
        raise MissingToolError(f"Debugging needs {name}, which is not installed: {advice}.")
    return found


def _leave_link(program: Path, link: Path) -> None:
    """Creates or replaces the link in one step."""
    new_link = link.with_name(f"{link.name}.{os.getpid()}")
    new_link.symlink_to(os.path.relpath(program, link.parent))
    new_link.replace(link)
