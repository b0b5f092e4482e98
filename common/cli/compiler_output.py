"""From a failed build's output to the file that the learner should open."""

from __future__ import annotations

import re
from pathlib import Path

# g++ and clang write "file:line:column: error:", nvcc writes "file(line): error:".
_ERROR = re.compile(
    r"^(?P<file>[^\s:][^:\n]*?)(?::(?P<gcc_line>\d+)(?::\d+)?|\((?P<nvcc_line>\d+)\))"
    r": (?:fatal |catastrophic )?error(?: #[\w-]+)?: (?P<message>.+)$",
    re.MULTILINE,
)
_UNDEFINED = re.compile(r"undefined reference to [`'\"](?P<name>.+?)['\"]$", re.M)
_BUILD_TOOL_NOISE = re.compile(
    r"^(\[\s*\d+%\]|\[\d+/\d+\]|(g?make|ninja)(\[\d+\])?:|Consolidate compiler|Scanning dep)"
)
_LEARNERS_FOLDERS = ("chapters/", "solutions/")


def explain_failure(output: str, root: Path, target: str, source: Path | None = None) -> str:
    """The whole of the compiler's output without the build tool's own lines, then one line with what to fix."""
    compiler_lines = [line for line in output.splitlines() if not _BUILD_TOOL_NOISE.match(line)]
    shown = "\n".join(compiler_lines).strip() or output.strip()
    return f"{shown}\n\n{_advice(output, root, target, source)}"


def _advice(output: str, root: Path, target: str, source: Path | None) -> str:
    if re.search(r"(Killed signal|std::bad_alloc|virtual memory exhausted|Cannot allocate memory)", output):
        return f"Building {target}: the memory ran out. Close other programs, or set CMAKE_BUILD_PARALLEL_LEVEL=1."
    if "No space left on device" in output:
        return f"Building {target}: the disk is full. Make room and try again."
    if re.search(r"No rule to make target [`'](?!/|\.)|unknown target", output):
        return f"CMake knows no target {target}. Is it in the chapter's CMakeLists.txt?"

    errors = [
        (_relative(match["file"], root), match["gcc_line"] or match["nvcc_line"], match["message"])
        for match in _ERROR.finditer(output)
    ]
    # An error in a shared header is most often provoked by the learner's own file, which then stands in the output too.
    for file, line, message in sorted(errors, key=lambda error: not error[0].startswith(_LEARNERS_FOLDERS)):
        return f"Fix {file}, line {line}: {message.strip()}"

    undefined = _UNDEFINED.search(output)
    if undefined:
        where = f"Fix {_relative(str(source), root)}" if source else f"Linking {target}"
        return f"{where}: nothing defines {undefined['name']}, which the program calls. Is its signature the header's?"
    return f"Building {target} failed; the reason is above."


def _relative(file: str, root: Path) -> str:
    try:
        return str(Path(file).resolve().relative_to(root.resolve()))
    except ValueError:
        return file
