"""CUDA's rules on host and device code, checked by clang if it is installed. g++, which builds for the simulator, does
not check them: a file that breaks them runs in the simulator, but nvcc refuses it. nvcc.py asks nvcc itself."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.building.contents import identity, is_as_noted, named_in, note_contents, write_empty
from cli.machine.tools import is_present
from cli.running.children import child, run_child
from cli.terminal.source_lines import SourceLines
from cli.tracing.findings import DEVICE_RULE
from cli.tracing.report import Finding, Place

# The options for checking a file and for precompiling the headers.
# sm_80: all clang versions from 11 on support it. No CUDA Toolkit is needed.
_CLANG = (
    *("clang++", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib"),
    *("-std=c++17", "-ferror-limit=0", "-w", "-fno-color-diagnostics", "-fno-caret-diagnostics"),
    *("-Xclang", "-fcuda-allow-variadic-functions", "-D__CUDACC__"),
)
# clang's errors if the precompiled headers are from a different clang, or have changed.
_REFUSES_HEADERS = re.compile(r"\b(?:PCH|AST) file\b|precompiled (?:header|file)")
_TIMEOUT_S = 60
_DIAGNOSTIC = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>(?:fatal )?error|note): (?P<text>.*)"
)

_DEVICE_SIDE = r"__(?:global|device)__"
_HOST_FUNCTION_FROM_DEVICE = rf"call to __host__ function from {_DEVICE_SIDE} function"
# In a template, clang also reports an operand of decltype, which is not a call.
_DEVICE_FUNCTION_FROM_HOST = r"\A(?!.*in instantiation of).*call to __device__ function from __host__ function"
_NO_DECLTYPE = r"\A(?!.*\b(?:decltype|sizeof|noexcept)\b)"

ONLY_NVCC = "The simulator's compiler accepts this code, but nvcc, CUDA's compiler, does not: it fails for a GPU."
_HOST_FUNCTION = "'{0}' is a host function, and this is device code. "
_DEVICE_CODE_CALLS = "Device code can call only __device__ functions and CUDA's functions."


@dataclass(frozen=True)
class _Rule:
    """One of clang's errors, and the message for the learner. {0} is the first group of `error`.

    `note` must match the error's notes, and `line` the source line. `nvcc`: nvcc's error, with the same group.
    """

    error: str
    words: str
    note: str = ""
    line: str = ""
    nvcc: str = ""


_RULES = (
    _Rule(
        r"no matching function for call to '(.+)'$",
        _HOST_FUNCTION + _DEVICE_CODE_CALLS,
        note=_HOST_FUNCTION_FROM_DEVICE,
    ),
    _Rule(
        r"no matching function for call to object of type '(.+)'$",
        "operator() of {0} is a host function, and this is device code. " + _DEVICE_CODE_CALLS,
        note=_HOST_FUNCTION_FROM_DEVICE,
    ),
    _Rule(
        r"no viable overloaded (.+)$",
        "{0} is a host function, and this is device code. " + _DEVICE_CODE_CALLS,
        note=_HOST_FUNCTION_FROM_DEVICE,
    ),
    _Rule(
        r"no matching constructor for initialization of '([^']+)'",
        "The constructor of {0} is a host function: device code cannot create such an object.",
        note=_HOST_FUNCTION_FROM_DEVICE,
    ),
    _Rule(
        rf"reference to __host__ function '(.+)' in {_DEVICE_SIDE} function",
        _HOST_FUNCTION + _DEVICE_CODE_CALLS,
        nvcc=r'calling a (?:constexpr )?__host__ function\("(.+?)"\) from a __(?:global__|device__|host__ __device__) ',
    ),
    # The note is required: host code can call a host function through a __host__ __device__ function.
    _Rule(
        r"reference to __host__ function '(.+)' in __host__ __device__ function",
        "'{0}' is a host function, and a kernel calls this code. " + _DEVICE_CODE_CALLS,
        note=r"called by '",
    ),
    _Rule(
        rf"reference to __host__ variable '(c(?:out|err|log|in))' in {_DEVICE_SIDE} function",
        "'std::{0}' works only on the host, and this is device code. A kernel prints with printf: "
        'printf("%d %g\\n", i, z[i]), with #include <cstdio>.',
    ),
    _Rule(
        rf"reference to __host__ variable '(.+)' in {_DEVICE_SIDE} function",
        "'{0}' is a host variable, and this is device code. Pass it to the kernel as an argument, or make it "
        "constexpr, __device__ or __constant__.",
        nvcc=r'identifier "(.+)" is undefined in device code',
    ),
    _Rule(
        r"no matching function for call to '(.+)'$",
        "'{0}' is a __device__ function, and this is host code. Mark it __host__ __device__ if both call it.",
        note=_DEVICE_FUNCTION_FROM_HOST,
        line=_NO_DECLTYPE,
        nvcc=r'calling a __device__ function\("(.+?)(?:\(.*\))?"\) from a __host__ function',
    ),
    _Rule(
        r"no matching function for call to '(.+)'$",
        "'{0}' is a kernel, and this is device code. A kernel can call only __device__ functions.",
        note=rf"call to __global__ function from {_DEVICE_SIDE} function",
    ),
    _Rule(
        r"call to global function '?(.+?)'? not configured",
        "'{0}' is a kernel: launch it with <<<blocks, threads>>>.",
    ),
    _Rule(
        r"subscript of pointer to function type",
        "A launch has three < and three >: kernel<<<blocks, threads>>>(...).",
    ),
    _Rule(
        r"too few execution configuration arguments",
        "A launch needs two numbers, <<<blocks, threads>>>: the number of blocks, and of threads per block.",
    ),
    _Rule(
        r"kernel call to non-global function '?(.+?)'?$",
        "'{0}' is not a kernel: only a __global__ void function can be launched.",
    ),
    _Rule(
        r"kernel function type .* must have void return type",
        "A kernel returns nothing: write __global__ void, and store the result through a pointer.",
    ),
    _Rule(
        r"kernel function '(.+)' must be a free function or static member function",
        "'{0}' cannot be a kernel: a kernel cannot be a member of a class.",
    ),
    _Rule(
        r"'(?:device|global)' and '(?:device|global)' attributes are not compatible",
        "A function is either a kernel (__global__) or one that kernels call (__device__), not both.",
    ),
    _Rule(
        r"initialization is not supported for __shared__ variables",
        "A __shared__ variable cannot have an initialiser. Let one thread assign to it, then call __syncthreads().",
    ),
    _Rule(
        r"dynamic initialization is not supported for __device__",
        "The initial value of a device variable must be known at compile time.",
    ),
    _Rule(
        r"__shared__ local variables not allowed in __host__ functions",
        "__shared__ memory belongs to a block of threads: host code has none. Is __global__ missing before the function?",
    ),
    _Rule(
        r"redeclaration of '(.+)' with a different type",
        "nvcc treats all extern __shared__ arrays named '{0}' as the same array, but this one has a different type. "
        "Use a different name for each type.",
        line=r"\bextern\b.*\b__shared__\b",
    ),
    _Rule(
        r"cannot use variable-length arrays in ",
        "The length of an array in device code must be known at compile time: use a constant.",
    ),
    _Rule(r"cannot use '(?:throw|try)' in ", "Device code cannot use exceptions."),
)


def words_for_nvcc(message: str, line: str) -> str:
    """The message for the learner on nvcc's error; empty if there is none. line: the source line."""
    for rule in _RULES:
        match = re.search(rule.nvcc, message) if rule.nvcc else None
        if match:
            name = re.sub(r"\A.* ::(?=std::)", "", match[1])  # without the type of its result
            return rule.words.format(f"std::{name}" if f"std::{name}" in line else name)
    return ""


# Runs a command and returns its output.
Clang = Callable[[list[str]], str]


def run_clang(command: list[str]) -> str:
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
    try:
        return run_child(command, timeout=_TIMEOUT_S, **streams).stderr
    except (OSError, subprocess.TimeoutExpired):
        return ""


def broken_rules(
    source: Path,
    include_folders: Iterable[Path],
    root: Path,
    clang: Clang = run_clang,
    headers: Path | None = None,
) -> list[Finding]:
    """Errors that nvcc would report in a learner's .cu file, found by clang; empty without clang.

    Only errors about these rules are returned, and only those in the file and the headers next to it: other errors of
    clang can come from a missing declaration. root: the workbook's folder. clang: runs the command. headers: the
    precompiled headers of read_headers, if they exist.
    """
    if not is_present("clang++"):
        return []
    look = _Look(source, tuple(include_folders), root)
    if headers and headers.is_file():
        output = clang(look.command(headers))
        if not _REFUSES_HEADERS.search(output):
            return look.findings(output)
    return look.findings(clang(look.command()))


def read_headers(root: Path, kept: Path) -> None:
    """Lets clang precompile the headers that it reads before every file, into the file `kept`; they are most of its
    work. If this fails, the file does not exist.
    """
    compiler = shutil.which("clang++")
    if not compiler:
        return
    rules = root / "common/simulator/translate/device_rules.h"
    command = [*_CLANG, *_workbook_folders(root), "-S", "-Xclang", "-emit-pch", str(rules)]
    settings = {"command": shlex.join(command), "compiler": identity(compiler)}
    record, listed = kept.with_suffix(".json"), kept.with_suffix(".d")
    if kept.is_file() and is_as_noted(record, settings):
        return
    with contextlib.suppress(OSError):
        kept.unlink(missing_ok=True)
        began_ns = write_empty(listed)
        new = kept.with_name(f"{kept.name}.{os.getpid()}")
        run_clang([*command, "-o", str(new), "-MD", "-MF", str(listed)])
        new.replace(kept)
        note_contents(record, named_in(str(listed), str(kept.parent)), began_ns, settings)


@contextlib.contextmanager
def looking_for_broken_rules(
    source: Path, include_folders: Iterable[Path], root: Path, record: Path
) -> Iterator[Callable[[], list[Finding]]]:
    """Runs broken_rules in the background: the yielded function waits for clang and returns its findings. If `record`
    shows that clang found nothing in files with the same contents, clang does not run again.
    """
    compiler = shutil.which("clang++")
    look = _Look(source, tuple(include_folders), root)
    if not compiler or is_as_noted(record, {**look.settings(), "compiler": identity(compiler)}):
        yield lambda: []
        return
    listed = record.with_suffix(".d")
    with contextlib.ExitStack() as stack:
        began_ns = write_empty(listed)
        output = stack.enter_context(tempfile.TemporaryFile())
        streams = {"stdout": subprocess.DEVNULL, "stderr": output}
        process = stack.enter_context(child([*look.command(), "-MD", "-MF", str(listed)], **streams))

        @functools.lru_cache(maxsize=None)
        def broken() -> list[Finding]:
            try:
                process.wait(_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                return []
            output.seek(0)
            found = look.findings(output.read().decode(errors="replace"))
            if not found and process.returncode in (0, 1):
                with contextlib.suppress(OSError):  # without clang's list of files, nothing is recorded
                    inputs = named_in(str(listed), str(record.parent))
                    note_contents(record, inputs, began_ns, {**look.settings(), "compiler": identity(compiler)})
            return found

        yield broken


def _workbook_folders(root: Path) -> tuple[str, str]:
    return f"-I{root / 'common/simulator/include'}", f"-I{root}"


@dataclass(frozen=True)
class _Look:
    source: Path
    include_folders: tuple[Path, ...]
    root: Path

    @property
    def _folders(self) -> tuple[Path, ...]:
        return (self.source.parent, *self.include_folders)

    @property
    def _simulator(self) -> Path:
        return self.root / "common/simulator"

    def command(self, headers: Path | None = None) -> list[str]:
        """headers: the precompiled headers; without them, clang reads the headers again."""
        before = ["-include", str(self._simulator / "translate/device_rules.h")]
        if headers:
            before = ["-Xclang", "-include-pch", "-Xclang", str(headers)]
        own = [f"-I{folder}" for folder in self._folders]
        return [*_CLANG, "-fsyntax-only", *own, *_workbook_folders(self.root), *before, str(self.source)]

    def settings(self) -> dict[str, str]:
        """The settings that findings depend on, in addition to the files that clang reads."""
        return {"command": shlex.join(self.command()), "rules": repr(_RULES)}

    def findings(self, output: str) -> list[Finding]:
        findings = {}
        source_lines = SourceLines()
        for error, notes in _errors(output):
            of_learner = _is_learners(Path(error["file"]), self.source, self._folders, self._simulator)
            if of_learner and not _is_ours(notes, self._simulator):
                words = _words(error, notes, source_lines)
                if words:
                    place = Place(error["file"], int(error["line"]), int(error["column"]))
                    findings[place.line, words] = Finding(DEVICE_RULE, "", words, places=(place,))
        return list(findings.values())


def _errors(output: str) -> Iterator[tuple[re.Match[str], list[re.Match[str]]]]:
    """Yields each error with its notes."""
    error, notes = None, []
    for line in output.splitlines():
        match = _DIAGNOSTIC.fullmatch(line)
        if match and match["kind"] == "note":
            notes.append(match)
        elif match:
            if error:
                yield error, notes
            error, notes = match, []
    if error:
        yield error, notes


def _is_learners(file: Path, source: Path, folders: Iterable[Path], simulator: Path) -> bool:
    if file == source:
        return True
    parents = file.resolve().parents
    apart = (simulator.resolve(), Path("/usr"))
    return any(folder.resolve() in parents for folder in folders) and not any(one in parents for one in apart)


def _is_ours(notes: list[re.Match[str]], simulator: Path) -> bool:
    """Whether the called function is declared by the simulator: then it is one of CUDA that device_rules.h lacks."""
    return any(
        (simulator / "include").resolve() in Path(note["file"]).resolve().parents
        and re.search(r"declared here|call to __host__ function", note["text"])
        for note in notes
    )


def _words(error: re.Match[str], notes: list[re.Match[str]], source_lines: SourceLines) -> str:
    """The message for an error, in one or two sentences; empty if it is not about these rules."""
    all_notes = "\n".join(note["text"] for note in notes)
    line = source_lines.line(error["file"], int(error["line"]))
    for rule in _RULES:
        match = re.search(rule.error, error["text"])
        if match and re.search(rule.note, all_notes, re.DOTALL) and re.search(rule.line, line):
            return rule.words.format(*match.groups())
    return ""
