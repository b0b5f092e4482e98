"""`./workbook doctor`"""

from __future__ import annotations

from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.nvcc import nvccs
from cli.errors import EXIT_MISSING_TOOL, EXIT_OK
from cli.machine.diagnosis import MISSING, NOTE, OK, Check, optional_checks, simulator_checks, this_machine
from cli.machine.nvcc_packages import NVCC_DECLINED, NVCC_DOWNLOAD, offer_nvcc
from cli.running.children import temporary_folder
from cli.running.runner import run_with_limits
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, table, terminal_columns, verdict
from cli.terminal.json_output import say_json
from cli.workbook import Workbook

SUMMARY = "what is installed, and what is missing"
USAGE = "doctor [--json]"
DETAILS = """
Changes nothing, unless you accept its offer to download nvcc. The exit code is 0 if programs can be built and run in
the simulator, and 3 otherwise. A note is about a tool that only some commands or a GPU need. --json prints an object
for other programs (docs/json.md).
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("doctor", USAGE)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args(arguments).json
    probe = this_machine(workbook.root)
    needed, optional = simulator_checks(probe), optional_checks(probe)
    of_nvcc = _nvcc_for_checks(workbook)
    checks = needed + optional + [of_nvcc] + _build_folder(workbook, optional)
    can_build = not any(check.state == MISSING for check in needed)
    if as_json:
        listed = [{"name": check.name, "state": check.state, "text": check.words} for check in checks]
        say_json({"can_build": can_build, "checks": listed})
        return EXIT_OK if can_build else EXIT_MISSING_TOOL
    is_right = {OK: True, MISSING: False, NOTE: None}
    rows = [[verdict(is_right[check.state], check.state), check.name, check.words] for check in checks]
    say(table(rows, indent="", columns=terminal_columns()))
    say()
    if not can_build:
        say("Programs cannot be built here yet. './workbook run ch0_machine_one_program' installs the tools, if it can.")
        return EXIT_MISSING_TOOL
    say("Programs can be built and run here. Start with: ./workbook run ch0_machine_one_program")
    if of_nvcc.state == NOTE:
        offer_nvcc(workbook.root)
    return EXIT_OK


def _nvcc_for_checks(workbook: Workbook) -> Check:
    """The nvcc that compiles answers and a learner's own programs after they have passed in the simulator."""
    name, problem = "nvcc in check", ""
    with temporary_folder() as folder:
        for nvcc in nvccs(workbook, BuildTree(workbook, "build", "auto")):
            shown = workbook.shown(nvcc.program)
            why = nvcc.problem(run_with_limits, folder)
            if not why:
                return Check(name, OK, f"{shown} compiles programs that pass in the simulator")
            problem = problem or f"{shown} does not work: {why}"
    if problem:
        return Check(name, NOTE, problem)
    how = f"in a terminal, doctor offers the download ({NVCC_DOWNLOAD})"
    if (workbook.root / NVCC_DECLINED).exists():
        how = f"you declined the download; to be asked again: rm {NVCC_DECLINED}"
    return Check(name, NOTE, f"not found, so check accepts some code that fails for a GPU; {how}")


def _build_folder(workbook: Workbook, checks: list[Check]) -> list[Check]:
    tree = BuildTree(workbook, "build", "auto")
    has_gpu = all(any(check.name == name and check.state == OK for check in checks) for name in ("nvcc", "GPU"))
    if not Path(tree.folder / "CMakeCache.txt").is_file() or tree.backend == "cuda" or not has_gpu:
        return []
    words = "build/ was made for the simulator, but this machine has a GPU: remove the folder to use the GPU"
    return [Check("build folder", NOTE, words)]
