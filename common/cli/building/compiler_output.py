"""From a failed build's output to the file that the learner should open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cli.building.absent import ELSEWHERE, explain_absence, suspect_absence
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
# "; other.o: first defined here" of GNU's ld, and "ld.gold: other.o: previous definition here" in the next line.
_DEFINED_TWICE = re.compile(r"multiple definition of [`'\"](?P<name>.+?)['\"](?:; |\n\S+: )(?P<other>\S+?):", re.M)
_BUILD_TOOL_NOISE = re.compile(
    r"^(\[\s*\d+%\]|\[\d+/\d+\]|(g?make|ninja)(\[\d+\])?:|Consolidate compiler|Scanning dep)"
)
_NINJA_FAILED = re.compile(r"^FAILED: .*\n.*\n", re.MULTILINE)  # and the command
_SIMULATORS_TYPES = (("CudaSimulatorStream*", "cudaStream_t"), ("CudaSimulatorEvent*", "cudaEvent_t"))
_CONST_BEHIND = re.compile(r"(?<=[(, ])([\w:<>]+(?: [\w:<>]+)*) const(?=[*&])")
_OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?P<name>[^"/\n]+)"', re.MULTILINE)
# A line that begins what a compiler says of one place; source lines and carets follow it.
_DIAGNOSTIC_HEAD = re.compile(r"^(?:In file included from |\s+from )?\S+?:(?:\d+[:,]| In )")
_PLACE = re.compile(r":\d+(?::\d+)?(?=: )")
_INTERNAL = re.compile(r"common/simulator/|cmake_pch\.hxx|<command-line>|<lambda\(auto|required from here|/headers/")
_LAUNCH_CALL = re.compile(
    r"no matching function for call to 'cuda_simulator::LaunchConfiguration::LaunchConfiguration\((.*)\)'"
)
_LAUNCH_NUMBERS = re.compile(r"LaunchConfiguration::LaunchConfiguration\((?P<given>[^()]*)\)")
_BUILT_IN_TRIPLE = re.compile(r"'const (?:uint3|dim3)'|'(?:uint3|dim3)'")
_ADDS_POINTERS = re.compile(r"invalid operands of types '[^']*\*[^']*' and '[^']*\*[^']*' to binary 'operator")
_CONST_LOST = re.compile(r"invalid conversion from 'const (\w+)\*' to '\1\*'")
_NUMBER_FOR_POINTER = re.compile(r"invalid conversion from '(?:long )?int' to '[^']*\*'")
_TWO_INDICES = re.compile(r"invalid types '[\w ]+\[[^']*\]' for array subscript")
_MALLOC_WITHOUT_ADDRESS = re.compile(r"no matching function for call to 'cudaMalloc(?:Managed|Host)?\(\w[\w ]*\*&?, ")
_VOID_VALUE = "invalid use of void expression"
_STREAM_FOR_BYTES = re.compile(r"invalid conversion from 'cudaStream_t'.* to '(?:std::)?size_t'")
_SIMULATORS_NAME = re.compile(r" \{aka '?CudaSimulator\w+\*'?\}")
_MAX_LINE = 4000  # characters
_MAX_LINES = 5000
_LEARNERS_FOLDERS = ("chapters/", "solutions/")
_OTHERS_HEADERS = ("/", "common/simulator/")  # the system's, and the simulator's
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
    """The whole of the compiler's output without the build tool's own lines, and a line or more with what to fix.

    simulated: built for the simulator, which does not have all of CUDA. broken_rules are CUDA's, which the compiler
    does not know: it stumbles over what they cause. folder is where the build writes, as the learner would type it;
    is_full: there is no room in it.
    """
    output = _SIMULATORS_NAME.sub("", _clipped(output))
    compiler_lines = [line for line in _NINJA_FAILED.sub("", output).splitlines() if not _BUILD_TOOL_NOISE.match(line)]
    if simulated:
        compiler_lines = without_internals(compiler_lines)
    shown = "\n".join(compiler_lines).strip() or output.strip()
    trouble = explain_disk_trouble(output, folder, is_full) or explain_memory_trouble(output)
    if trouble:
        return BuildError(f"Building {target}: {trouble}", words=shown, is_about_source=False)
    broken = dict(rule_lines(broken_rules, root))
    lines = list(broken.values())
    errors = [
        (_relative(match["file"], root), match["gcc_line"] or match["nvcc_line"], match["message"])
        for match in _ERROR.finditer(output)
        if not match["message"].startswith("undefined reference")  # of gold; it is explained as ld's is
    ]
    # An error in a shared header is most often provoked by the learner's own file, which then stands in the output too.
    errors.sort(key=lambda error: not _is_learners(error[0], source, root))
    if not broken or errors and errors[0][:2] not in broken:
        lines.append(_advice(output, errors, root, target, source, simulated))
    names = (str(source), _relative(str(source), root)) if source else ()
    is_about_source = any(name in line for line in (*compiler_lines, *lines) for name in names)
    return BuildError("\n".join(lines), words=shown, is_about_source=is_about_source)


def rule_lines(broken_rules: Sequence[Finding], root: Path) -> list[tuple[tuple[str, str], str]]:
    """For each place of a broken rule its file and line, and what to mend there."""
    places = [(_relative(place.file, root), str(place.line), rule) for rule in broken_rules for place in rule.places]
    return [((file, line), f"Fix {file}, line {line}: {rule.message}") for file, line, rule in places]


def without_internals(lines: Sequence[str]) -> list[str]:
    """A compiler's lines without those about the simulator's own code, into which a launch is rewritten, and without
    what it says a second time because of that.
    """
    kept: list[str] = []
    heads = set()
    is_kept = True
    for line in lines:
        if _DIAGNOSTIC_HEAD.match(line):
            about = _PLACE.sub("", line)
            # The same error at another column, or the same note, is the launch's own copy.
            is_kept = not _INTERNAL.search(line) and line not in heads and not (" error: " in line and about in heads)
            heads.update((line, about))
        if is_kept:
            kept.append(_LAUNCH_CALL.sub(r"no launch takes (\1)", line))
    return kept


def _clipped(output: str) -> str:
    """What a reader, and the search for what to mend, can take of it: a name may have millions of characters."""
    lines = output.splitlines()
    return "\n".join(line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} ..." for line in lines[:_MAX_LINES])


def _advice(
    output: str, errors: list[tuple[str, str, str]], root: Path, target: str, source: Path | None, simulated: bool
) -> str:
    if re.search(r"No rule to make target [`'](?!/|\.)|unknown target", output):
        return f"CMake knows no target {target}. Is it in the chapter's CMakeLists.txt?"
    absence = explain_absence(output, source, root / "common/simulator") if simulated and source else ""
    if absence:
        return absence
    for file, line, message in errors:
        if simulated and file.startswith(_OTHERS_HEADERS) and not _is_learners(file, source, root):
            used = _first_of_learner(_REQUIRED_FROM, output, source, root)
            if used:
                return f"Fix {used}: {message.removeprefix(_STATIC_ASSERTION).strip()}"
            included = _first_of_learner(_INCLUDED_FROM, output, source, root)
            if included and file.startswith("/"):
                return f"Fix {included}: what it includes there does not compile in the simulator. {ELSEWHERE}"
        launch = _LAUNCH_NUMBERS.search(message) if simulated else None
        if launch:
            return f"Fix {file}, line {line}: {_about_launch(launch['given'])}"
        suspicion = _in_plain_words(message)
        if simulated and not suspicion:
            suspicion = suspect_absence(output) or _suspect_semicolon(root, file, line, message)
        return "\n".join(filter(None, (f"Fix {file}, line {line}: {message.strip()}", suspicion)))

    is_own_program = source is not None and target == source.name
    undefined = _UNDEFINED.search(output)
    if undefined and undefined["name"] == "main":
        words = f"{target} has no main(): it must be a whole program, or be named with the files that it is linked with."
        return words if is_own_program else f"{words} (A stage of a chapter goes into the list in the chapter's CMakeLists.txt.)"
    if undefined:
        where = f"Fix {_relative(str(source), root)}" if source else f"Linking {target}"
        name = _as_declared(undefined["name"])
        header = _own_header(source) or ("its declaration" if is_own_program else "the chapter's header")
        return (
            f"{where}: nothing defines {name}, which the program calls. "
            f"Compare its name and arguments with {header}."
        )
    twice = _DEFINED_TWICE.search(output)
    if twice and source:
        file = _relative(str(source), root)
        if twice["name"] == "main" and not is_own_program:
            return f"Fix {file}: the program has a main() already. Remove yours."
        return f"Fix {file}: {_as_declared(twice['name'])} is defined elsewhere too, in {twice['other']}."
    return f"Building {target} failed; the reason is above."


def _first_of_learner(pattern: re.Pattern[str], output: str, source: Path | None, root: Path) -> str:
    """The first of these places that is in the learner's file, as "file, line N"; empty if none is."""
    for match in pattern.finditer(output):
        file = _relative(match["file"], root)
        if _is_learners(file, source, root):
            return f"{file}, line {match['line']}"
    return ""


def _about_launch(given: str) -> str:
    """What is wrong with the numbers of a launch, of which g++ names the types."""
    if given.count(",") == 0:
        return "a launch needs two numbers, <<<blocks, threads>>>: how many blocks, and how many threads a block has."
    return (
        "a launch takes numbers or dim3 of blocks and of threads, then bytes and a stream: "
        f"<<<blocks, threads, shared_bytes, stream>>>. Here are {given}."
    )


def _in_plain_words(message: str) -> str:
    """What a beginner's mistake comes from, where g++ says only what it led to; else empty."""
    if _BUILT_IN_TRIPLE.search(message):
        return "threadIdx, blockIdx, blockDim and gridDim have three parts, .x, .y and .z: write threadIdx.x and so on."
    if _ADDS_POINTERS.search(message):
        return "These are addresses of arrays. One element of an array is x[i]."
    if _CONST_LOST.search(message):
        return "A const array is only read, and here it is passed to be written. Are the arguments in the right order?"
    if _NUMBER_FOR_POINTER.search(message):
        return "A number stands where an address is asked for. The null pointer is nullptr, not 0."
    if _TWO_INDICES.search(message):
        return "A pointer has one index. Where rows lie one after the other, element (row, col) is [row * cols + col]."
    if _MALLOC_WITHOUT_ADDRESS.search(message):
        return "cudaMalloc sets the pointer, so it is given the pointer's own address: cudaMalloc(&pointer, bytes)."
    if _STREAM_FOR_BYTES.search(message):
        return "Third come the bytes of shared memory, and fourth the stream: <<<blocks, threads, 0, stream>>>."
    if _VOID_VALUE in message:
        return "What stands there returns nothing. So does a launch: ask cudaGetLastError() in the line below it."
    return ""


def _as_declared(name: str) -> str:
    """A function as a header declares it, from what the linker calls it: with the simulator's types by CUDA's names,
    and `const` where people write it.
    """
    for linkers, cudas in _SIMULATORS_TYPES:
        name = name.replace(linkers, cudas)
    return _CONST_BEHIND.sub(r"const \1", name)


def _own_header(source: Path | None) -> str:
    """The header that declares what a file defines: the first that it includes by a bare name; empty without one."""
    try:
        text = source.read_text(encoding="utf-8", errors="replace") if source else ""
    except OSError:
        text = ""
    header = _OWN_INCLUDE.search(text)
    return header["name"] if header else ""


def _suspect_semicolon(root: Path, file: str, line: str, message: str) -> str:
    """Rewritten for the simulator, a launch is a call in brackets: after a line without its semicolon, g++ takes that
    line for the function.
    """
    source_lines = SourceLines(root)
    if "cannot be used as a function" not in message or "<<<" not in source_lines.line(file, int(line)):
        return ""
    for number in range(int(line) - 1, 0, -1):
        before = source_lines.line(file, number).split("//")[0].rstrip()
        if before:
            return "" if before.endswith((";", "{", "}", ":")) else f"Does line {number} lack a semicolon at its end?"
    return ""


def _is_learners(file: str, source: Path | None, root: Path) -> bool:
    return file.startswith(_LEARNERS_FOLDERS) or (source is not None and file == _relative(str(source), root))


def _relative(file: str, root: Path) -> str:
    """As the learner would type it: from the workbook's folder, or from the current one; else as it is."""
    for folder in (root.resolve(), Path.cwd()):
        try:
            return str(Path(file).resolve().relative_to(folder))
        except ValueError:
            continue
    return file
