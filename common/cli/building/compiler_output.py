"""Advice after a failed build: the file that the learner should open, and what to fix there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cli.building.absent import ELSEWHERE, explain_absence, suspect_absence
from cli.building.error_causes import ErrorSite, cause_in_words, line_without_body, readable
from cli.errors import BuildError
from cli.machine.trouble import explain_disk_trouble, explain_memory_trouble
from cli.terminal.source_lines import SourceLines
from cli.tracing.report import Finding

# g++ and clang write "file:line:column: error:", nvcc writes "file(line): error:".
_ERROR = re.compile(
    r"^(?P<file>[^\s:][^:\n]*?)(?::(?P<gcc_line>\d+)(?::\d+)?|\((?P<nvcc_line>\d+)\))"
    r": (?:fatal |catastrophic )?[Ee]rror(?: #[\w-]+)?: (?P<message>.+)$",
    re.MULTILINE,
)
_INCLUDED_FROM = re.compile(r"^(?:In file included|\s+) from (?P<file>[^\s:][^:\n]*):(?P<line>\d+)", re.MULTILINE)
_REQUIRED_FROM = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: +required from here", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined reference to [`'\"](?P<name>.+?)['\"]$", re.M)
# GNU's ld adds "; other.o: first defined here"; gold has "ld.gold: other.o: previous definition here" on the next line.
_DEFINED_TWICE = re.compile(r"multiple definition of [`'\"](?P<name>.+?)['\"](?:; |\n\S+: )(?P<other>\S+?):", re.M)
_BUILD_TOOL_NOISE = re.compile(
    r"^(\[\s*\d+%\]|\[\d+/\d+\]|(g?make|ninja)(\[\d+\])?:|Consolidate compiler|Scanning dep)"
)
_NINJA_FAILED = re.compile(r"^FAILED: .*\n.*\n", re.MULTILINE)  # with the command in the next line
_SIMULATOR_TYPES = (("CudaSimulatorStream*", "cudaStream_t"), ("CudaSimulatorEvent*", "cudaEvent_t"))
_CONST_BEHIND = re.compile(r"(?<=[(, ])([\w:<>]+(?: [\w:<>]+)*) const(?=[*&])")
_OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?P<name>[^"/\n]+)"', re.MULTILINE)
# The first line of a compiler's diagnostic; source lines and carets follow it.
_DIAGNOSTIC_HEAD = re.compile(r"^(?:In file included from |\s+from )?\S+?:(?:\d+[:,]| In )")
_SEVERITY = re.compile(r": (?:fatal )?(?P<severity>error|warning): ")
_PLACE = re.compile(r":\d+(?::\d+)?(?=: )")
_INTERNAL = re.compile(r"common/simulator/|cmake_pch\.hxx|<command-line>|<lambda\(auto|required from here|/headers/")
_LAUNCH_CALL = re.compile(
    r"no matching function for call to 'cuda_simulator::LaunchConfiguration::LaunchConfiguration\((.*)\)'"
)
_LAUNCH_NUMBERS = re.compile(r"LaunchConfiguration::LaunchConfiguration\((?P<given>[^()]*)\)")
_UNCLOSED = re.compile(r"unterminated argument list invoking macro \"(?P<name>\w+)\"")
_SIMULATORS_NAME = re.compile(r" \{aka '?CudaSimulator\w+\*'?\}")
_MAX_LINE = 4000  # characters
_MAX_LINES = 5000
_LEARNERS_FOLDERS = ("chapters/", "solutions/")
_OTHERS_HEADERS = ("/", "common/simulator/")  # headers of the system and of the simulator
_STATIC_ASSERTION = "static assertion failed: "


def explain_failure(
    output: str,
    root: Path,
    target: str,
    source: Path | None = None,
    simulated: bool = False,
    broken_rules: Sequence[Finding] = (),
    folder: str = "",
    is_full: bool = False,
) -> BuildError:
    """The compiler's output without the build tool's lines, and one or more lines of advice.

    simulated: built for the simulator, which does not have all of CUDA. broken_rules: rules of CUDA that the compiler
    does not check; it reports errors that follow from them. folder: the build folder as the learner would type it.
    is_full: its disk is full.
    """
    output = readable(_SIMULATORS_NAME.sub("", _clipped(output)))
    compiler_lines = [line for line in _NINJA_FAILED.sub("", output).splitlines() if not _BUILD_TOOL_NOISE.match(line)]
    if simulated:
        compiler_lines = without_internals(compiler_lines)
    shown = "\n".join(errors_first(compiler_lines)).strip() or output.strip()
    trouble = explain_disk_trouble(output, folder, is_full) or explain_memory_trouble(output)
    if trouble:
        return BuildError(f"Building {target}: {trouble}", words=shown, is_about_source=False)
    broken = dict(rule_lines(broken_rules, root))
    lines = list(broken.values())
    errors = [
        (match["file"], match["gcc_line"] or match["nvcc_line"], match["message"])
        for match in _ERROR.finditer(output)
        if not match["message"].startswith("undefined reference")  # from gold; the line is explained below, like ld's
    ]
    # An error in a shared header is usually caused by the learner's file, which then has an error too.
    errors.sort(key=lambda error: not _is_learners(_relative(error[0], root), source, root))
    if not broken or errors and (_relative(errors[0][0], root), errors[0][1]) not in broken:
        lines.append(_advice(output, errors, root, target, source, simulated))
    names = (str(source), _relative(str(source), root)) if source else ()
    is_about_source = any(name in line for line in (*compiler_lines, *lines) for name in names)
    return BuildError("\n".join(lines), words=shown, is_about_source=is_about_source)


def rule_lines(broken_rules: Sequence[Finding], root: Path) -> list[tuple[tuple[str, str], str]]:
    """The file and line of each place of a broken rule, and the line of advice on it."""
    places = [(_relative(place.file, root), str(place.line), rule) for rule in broken_rules for place in rule.places]
    return [((file, line), f"Fix {file}, line {line}: {rule.message}") for file, line, rule in places]


def without_internals(lines: Sequence[str]) -> list[str]:
    """A compiler's lines without those about the simulator's own code, into which a launch is rewritten, and without
    the repetitions that this causes.
    """
    kept: list[str] = []
    heads = set()
    is_kept = True
    for line in lines:
        if _DIAGNOSTIC_HEAD.match(line):
            about = _PLACE.sub("", line)
            # The same error at a different column, or the same note, comes from the rewritten launch.
            is_kept = not _INTERNAL.search(line) and line not in heads and not (" error: " in line and about in heads)
            heads.update((line, about))
        if is_kept:
            kept.append(_LAUNCH_CALL.sub(r"no launch takes (\1)", line))
    return kept


def errors_first(lines: Sequence[str]) -> list[str]:
    """A compiler's lines with the warnings, and the lines that belong to them, after everything else."""
    blocks: list[list[str]] = [[]]
    is_complete = False  # whether the last block has its error or its warning
    for line in lines:
        is_message = bool(_DIAGNOSTIC_HEAD.match(line)) and " note: " not in line
        if is_message and is_complete:
            blocks.append([])
            is_complete = False
        blocks[-1].append(line)
        is_complete |= is_message and bool(_SEVERITY.search(line))
    return [line for part in sorted(blocks, key=_is_warning) for line in part]


def _is_warning(block: list[str]) -> bool:
    severities = (match["severity"] for match in map(_SEVERITY.search, block) if match)
    return next(severities, "") == "warning"


def _clipped(output: str) -> str:
    """The output without very long lines and very many lines: a name can have millions of characters."""
    lines = output.splitlines()
    return "\n".join(line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} ..." for line in lines[:_MAX_LINES])


def _advice(
    output: str, errors: list[tuple[str, str, str]], root: Path, target: str, source: Path | None, simulated: bool
) -> str:
    if re.search(r"No rule to make target [`'](?!/|\.)|unknown target", output):
        return (
            f"CMake has no target {target}. Stages are found by their file names, such as 01_naive.cu; exercises are "
            "listed in the chapter's CMakeLists.txt."
        )
    absence = explain_absence(output, source, root / "common/simulator") if simulated and source else ""
    if absence:
        return absence
    for path, line, message in errors:
        file = _relative(path, root)
        if simulated and file.startswith(_OTHERS_HEADERS) and not _is_learners(file, source, root):
            used = _first_of_learner(_REQUIRED_FROM, output, source, root)
            if used:
                told = f"Fix {used}: {message.removeprefix(_STATIC_ASSERTION).strip()}"
                return "\n".join(filter(None, (told, cause_in_words(message))))
            included = _first_of_learner(_INCLUDED_FROM, output, source, root)
            if included and file.startswith("/"):
                return f"Fix {included}: the header included there does not compile in the simulator. {ELSEWHERE}"
        unclosed = _UNCLOSED.search(message)
        if unclosed:
            # g++ names the end of the file here; at the call, it does not know the name.
            undeclared = f"'{unclosed['name']}' was not declared"
            begun = next((line for _, line, message in errors if message.startswith(undeclared)), line)
            return f"Fix {file}, line {begun}: {unclosed['name']}( is not closed. Each ( needs a )."
        launch = _LAUNCH_NUMBERS.search(message) if simulated else None
        if launch:
            return f"Fix {file}, line {line}: {_about_launch(launch['given'])}"
        suspicion = _cause(output, message, root / path, line, root)
        if simulated and not suspicion:
            suspicion = suspect_absence(output) or _suspect_semicolon(root / path, line, message)
        return "\n".join(filter(None, (f"Fix {file}, line {line}: {message.strip()}", suspicion)))

    is_own_program = source is not None and target == source.name
    undefined = _UNDEFINED.search(output)
    if undefined and undefined["name"] == "main":
        words = f"{target} has no main(): it is not a whole program."
        if is_own_program:
            return f"{words} Add main(), or name the file that has it too."
        return f"{words} The main() of a chapter's stages is in harness/main.cpp; other programs have one of their own."
    if undefined:
        where = f"Fix {_relative(str(source), root)}" if source else f"Linking {target}"
        name = _as_declared(undefined["name"])
        declared = line_without_body(undefined["name"], _text_of(source)) if source else None
        if declared:
            return f"{where}, line {declared}: {name} is declared here, but nothing defines it. Write its body."
        header = _own_header(source) or ("its declaration" if is_own_program else "the chapter's header")
        elsewhere = ", or name the file that defines it too" if is_own_program else ""
        return (
            f"{where}: nothing defines {name}, which the program calls. "
            f"Compare its name and arguments with {header}{elsewhere}."
        )
    twice = _DEFINED_TWICE.search(output)
    if twice and source:
        file = _relative(str(source), root)
        if twice["name"] == "main" and not is_own_program:
            return f"Fix {file}: the program has a main() already. Remove yours."
        return f"Fix {file}: {_as_declared(twice['name'])} is also defined in {twice['other']}."
    return f"Building {target} failed; the reason is above."


def _first_of_learner(pattern: re.Pattern[str], output: str, source: Path | None, root: Path) -> str:
    """The first match in a file of the learner, as "file, line N"; empty if there is none."""
    for match in pattern.finditer(output):
        file = _relative(match["file"], root)
        if _is_learners(file, source, root):
            return f"{file}, line {match['line']}"
    return ""


def _about_launch(given: str) -> str:
    """The error in the numbers of a launch. given: their types, as g++ names them."""
    if given.count(",") == 0:
        return "a launch needs two numbers, <<<blocks, threads>>>: the number of blocks, and of threads per block."
    return (
        "a launch takes blocks and threads, each a number or a dim3, then bytes and a stream: "
        f"<<<blocks, threads, shared_bytes, stream>>>. This one has {given}."
    )


def _cause(output: str, message: str, file: Path, line: str, root: Path) -> str:
    """The cause of an error in plain words; empty if it is not known."""
    text = _text_of(file)
    folders = (file.parent, root / "common", root / "common/harness")
    return ErrorSite(message, text, int(line), output, folders, root).cause()


def _as_declared(name: str) -> str:
    """A function as a header declares it, from the linker's name: with CUDA's names for the simulator's types, and with
    `const` in front.
    """
    for simulators, cudas in _SIMULATOR_TYPES:
        name = name.replace(simulators, cudas)
    return _CONST_BEHIND.sub(r"const \1", name)


def _own_header(source: Path | None) -> str:
    """The header that declares a file's functions: the first included by a bare name; empty if there is none."""
    header = _OWN_INCLUDE.search(_text_of(source) if source else "")
    return header["name"] if header else ""


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _suspect_semicolon(file: Path, line: str, message: str) -> str:
    """A question about a missing semicolon, if g++ names the line below it. The rewritten launch is a call in brackets,
    so g++ takes a line without a semicolon before it for the function.
    """
    source_lines = SourceLines()
    is_function = "cannot be used as a function" in message and "<<<" in source_lines.line(str(file), int(line))
    if not is_function and not re.match("expected ',' or ';' before|expected initializer before", message):
        return ""
    for number in range(int(line) - 1, 0, -1):
        before = source_lines.line(str(file), number).split("//")[0].rstrip()
        if before:
            is_complete = before.endswith((";", "{", "}", ":"))
            return "" if is_complete else f"Is a semicolon missing at the end of line {number}?"
    return ""


def _is_learners(file: str, source: Path | None, root: Path) -> bool:
    return file.startswith(_LEARNERS_FOLDERS) or (source is not None and file == _relative(str(source), root))


def _relative(file: str, root: Path) -> str:
    """The path as the learner would type it: from the workbook's folder, or the current one; otherwise unchanged."""
    for folder in (root.resolve(), Path.cwd()):
        try:
            return str(Path(file).resolve().relative_to(folder))
        except ValueError:
            continue
    return file
