"""nvcc, CUDA's compiler, finds what is refused for a GPU in a program that the simulator runs. It builds no program."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.compiler_output import explain_failure
from cli.building.contents import identity, is_as_noted, named_in, note_contents, record_in, write_empty
from cli.building.device_rules import ONLY_NVCC, words_for_nvcc
from cli.building.own_program import OwnProgram
from cli.errors import BuildError, WorkbookError
from cli.machine.nvcc_packages import nvcc_programs, offer_nvcc
from cli.machine.tools import output_of
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended
from cli.running.runner import Runner, clean_environment, run_with_limits
from cli.terminal.console import say
from cli.terminal.source_lines import SourceLines
from cli.workbook import Workbook

ARCHITECTURE = "90"  # the one that the simulator models
# These warnings are errors here, because the program does something else on a GPU. If a __host__ __device__ function
# calls a host function, nvcc leaves out the code of its kernel. If host code loads or stores a device variable, it
# accesses a copy that no kernel uses.
_ERRORS = ("20011", "20013", "20014", "20015", "20091", "20092")
# Both passes of the compiler, and the assembler. The host's object code is left out, because g++ has compiled it.
_OPTIONS = ("-cuda", f"-diag-error={','.join(_ERRORS)}")
_STANDARD = "-std=c++17"
# Such a warning, but without a number.
_CONSTANT_STORED = re.compile(
    r"^(?:warning: )?(?P<place>[^\s:][^:\n]*\(\d+\)): Warning: (?P<words>Cannot .* constant memory.*)$", re.MULTILINE
)
# Empty lines, and advice about options, which a learner cannot choose.
_ADVICE = re.compile(
    r"^Remark: The warnings can be .*\n|^[ \t]*\n| The experimental flag '[\w-]+' can be used to allow this\.", re.MULTILINE
)
_OF_ASSEMBLER = re.compile(r"^ptxas (?:\S+, line \d+; )?(?:error|fatal) *: (?P<words>.+)$", re.MULTILINE)
_SYMBOL = re.compile(r"\b_Z\w+")
_FIX = re.compile(r"Fix (?P<file>.+), line (?P<line>\d+): (?P<words>.+)")
NO_HEADER = re.compile(r": fatal error: (?P<header>[^:\n]+): No such file or directory$", re.MULTILINE)
_REASON = re.compile(r"^.*\b(?:error|fatal)\b.*$", re.MULTILINE | re.IGNORECASE)
_SMALL_PROGRAM = "__global__ void kernel() {}\nint main() { kernel<<<1, 1>>>(); }\n"


@dataclass(frozen=True)
class Nvcc:
    """host_compiler: the g++ whose headers it uses."""

    program: Path
    host_compiler: str

    @property
    def folders(self) -> list[Path]:
        """The folders that it needs, in addition to the system's."""
        compiler = [Path(self.host_compiler)] if Path(self.host_compiler).is_absolute() else []
        return [program.resolve().parent.parent for program in (self.program, *compiler)]

    def command(
        self, source: Path, folders: Iterable[Path], more: Iterable[str] = (), architecture: str = ARCHITECTURE
    ) -> list[str]:
        """Its command line, without the output."""
        more = list(more)
        more += [] if any(option.startswith("-std=") for option in more) else [_STANDARD]
        own = [*(f"-I{folder}" for folder in folders), *more, str(source)]
        code = f"-gencode=arch=compute_{architecture},code=sm_{architecture}"
        return [str(self.program), "-ccbin", self.host_compiler, code, *_OPTIONS, *own]

    def problem(self, run: Runner, folder: Path) -> str:
        """The reason why it compiles no program, such as a g++ that it does not support; empty if it works."""
        source = folder / "small.cu"
        source.write_text(_SMALL_PROGRAM, encoding="utf-8")
        try:
            ended = _start([*self.command(source, ()), "-o", str(folder / "small.ii")], run, folder)
        except (OSError, WorkbookError) as error:
            return str(error)
        if ended.returncode == 0 or ended.stopped:
            return ended.stopped
        reason = _REASON.search(ended.output)
        return (reason[0] if reason else ended.output).strip()

    def refusal(
        self,
        source: Path,
        folders: Iterable[Path],
        root: Path,
        run: Runner,
        folder: Path,
        more: Iterable[str] = (),
        record: Path | None = None,
        architecture: str = ARCHITECTURE,
    ) -> BuildError | None:
        """The error that it reports in a .cu file; None without an error, and if it lacks the headers of a library.
        Raises WorkbookError if it fails for another reason.

        folders: those of the headers; root: the workbook's. `run` runs it, in `folder`. more: options. record: the file
        in which an accepted source is noted, so that it is not compiled again.
        """
        folders = tuple(folders)
        command = self.command(source, (*folders, root), more, architecture)
        settings = {"command": shlex.join(command), "nvcc": identity(str(self.program))}
        if record and is_as_noted(record, settings):
            return None
        began_ns, listed = 0, folder / "nvcc.d"
        if record:
            began_ns = write_empty(record)
            command += ["-MD", "-MF", str(listed)]
        ended = _start([*command, "-o", str(folder / "nvcc.ii")], run, folder)
        if ended.stopped:
            return BuildError(f"nvcc was stopped: it {ended.stopped}.")
        output = _ADVICE.sub("", ended.output)
        if ended.returncode == 0 and not _CONSTANT_STORED.search(output):
            if record:
                with contextlib.suppress(OSError):  # without the list of the headers, nothing is noted
                    note_contents(record, named_in(str(listed), str(folder)), began_ns, settings)
            return None
        if NO_HEADER.search(output):
            return None
        return _explain(output, root, source, (source.parent, *folders, root / "common"))


def _start(command: list[str], run: Runner, folder: Path) -> Ended:
    return run(command, folder, clean_environment({"LC_ALL": "C"}, others=("NVCC_",)))


def _explain(output: str, root: Path, source: Path, folders: Iterable[Path]) -> BuildError:
    """folders: those of the learner's files."""
    refused = _OF_ASSEMBLER.search(output)
    if refused:
        words = _SYMBOL.sub(lambda symbol: (output_of(["c++filt", symbol[0]]) or symbol[0]).strip(), refused["words"])
        return BuildError(f"nvcc's assembler refuses {source.name}: {words}.\n{ONLY_NVCC}")
    error = explain_failure(_CONSTANT_STORED.sub(r"\g<place>: error: \g<words>", output), root, source.name, source)
    fix = _FIX.match(error.advice)
    if not fix:
        raise WorkbookError(f"nvcc cannot compile {source.name}:\n{error}")
    # The name of a file of the workbook starts from its folder; that of another file, from the current one.
    file = (root / fix["file"] if (root / fix["file"]).is_file() else Path(fix["file"])).resolve()
    words = words_for_nvcc(fix["words"], SourceLines().line(str(file), int(fix["line"])))
    advice = error.advice
    if not any(folder.resolve() in file.parents for folder in folders):  # in a library, which the learner's code calls
        advice = f"Fix {source.name}: nvcc refuses its code where {file.name}, a header of a library, uses it."
        words = words or fix["words"]
    return BuildError("\n".join(filter(None, (advice, words, ONLY_NVCC))), words=error.words)


def find_nvcc(workbook: Workbook, tree: BuildTree) -> Nvcc | None:
    """The first nvcc on this machine that works with the tree's g++."""
    for nvcc in nvccs(workbook, tree):
        record = nvcc_record(workbook, "itself")
        compiler = shutil.which(nvcc.host_compiler)
        settings = {"nvcc": identity(str(nvcc.program)), "compiler": identity(compiler) if compiler else ""}
        if is_as_noted(record, settings):
            return nvcc
        with temporary_folder() as folder:
            if not nvcc.problem(run_with_limits, folder):
                with contextlib.suppress(OSError):  # as on a full disk
                    note_contents(record, (), write_empty(record), settings)
                return nvcc
    return None


def offer_missing_nvcc(workbook: Workbook, tree: BuildTree) -> None:
    """Offers the download of nvcc where there is none that works."""
    if not tree.is_shared and not find_nvcc(workbook, tree) and offer_nvcc(workbook.root):
        say("From the next check on, nvcc compiles every program that passes.")


def nvcc_record(workbook: Workbook, name: str) -> Path:
    """The file in which it is noted that nvcc accepts something, in the learner's build folder."""
    return record_in(workbook.root / "build", f"nvcc_{name}")


def nvccs(workbook: Workbook, tree: BuildTree) -> list[Nvcc]:
    """All on this machine, whether they work or not; the tree can be shared."""
    compiler = os.environ.get("CUDAHOSTCXX") or tree.cached("CMAKE_CXX_COMPILER") or "g++"
    return [Nvcc(program, compiler) for program in nvcc_programs((workbook.root, tree.workbook.root))]


def require_nvcc_accepts(program: OwnProgram, workbook: Workbook, tree: BuildTree) -> None:
    """Raises BuildError if there is an nvcc, and it refuses a file of a learner's own program. A program with
    definitions is not compiled: they change constants of its text, which nvcc's -D cannot do.
    """
    nvcc = find_nvcc(workbook, tree) if not program.options.definitions else None
    options = ["-rdc=true"] if len(program.cuda_sources) > 1 else []  # one file can call device functions of another
    for option in program.options.compiler_options:
        options.append(option if option.startswith("-std=") else f"-Xcompiler={option}")
    with temporary_folder() as folder:
        for number, source in enumerate(program.cuda_sources if nvcc else ()):
            folders = (source.parent, *program.include_folders)
            record = nvcc_record(workbook, f"{program.target}_{number}")
            error = nvcc.refusal(source, folders, workbook.root, run_with_limits, folder, options, record)
            if error:
                raise error
