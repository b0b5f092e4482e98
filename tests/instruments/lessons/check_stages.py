"""Rules about stages.

steps: no step between stages is too large: the length of each file, and its lines that the previous stage lacks. Prints
a row per stage. A line is new if the previous stage has no such line in that order; comments, blank lines and
indentation do not count. A chapter's header that no earlier stage includes belongs to the step, so no step can be
hidden in a header; its lines from the previous stage, or from that stage's headers, are not new. The previous stage of
a variant, such as 06b_name, is the one with the same number and no letter. A chapter that uses another chapter's
interface continues after the last stage of that chapter that the simulator runs.

core: core stages of chapters 1 to 8 and 12 are as plain as in a textbook. Each of them

- includes at most MAX_HEADERS headers of the workbook, directly or indirectly;
- has no cast to an integer type, and no factor such as 1LL that acts as one: extents and block sizes have the right
  types;
- has no template, and no structured binding;
- has no division of blockIdx: a matrix is mapped to a 2-D grid;
- computes every std::size_t index in 64 bits. The expressions and the constants are taken from the stage and compiled
  twice ($CXX, otherwise c++), with the real blockIdx and with one of 64 bits: for block 2^24 both must give the same
  number.

titles: a stage has one title: in its first comment line, in the lesson's heading, and first in its row of the stage
table. The title shares a word with the file's name. Words are the same if their first letters are: "memory",
"memories".

by_hand: nvcc compiles the line that each of chapters 1 to 8 and 12 shows, for the stage that it names, with warnings as
errors.

ceiling: the loop of fma_rate.cu has as many multiply-adds as its comment states, in nvcc's PTX: nvcc computes a product
before the loop if its factors do not change there.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cli.building.kernel_use import launches_kernels
from cli.exercises.course import PAGE, read_paths
from cli.workbook import Workbook
from pages import Found, read

MAX_LINES = {"core": 80, "advanced": 180}
MAX_NEW_LINES = {"core": 40, "advanced": 80}
CHAPTERS = (*range(1, 9), 12)
MAX_HEADERS = 5

SAME_LETTERS = 5
# Stages whose titles share no word with their names, and why.
_OTHER_WORDS = {"ch3_transpose/02_localmem": "OpenCL calls shared memory local memory"}

_STAGE = re.compile(r"(?:\w+/)?(\d+)([a-z]?)_\w+\Z")
_NUMBER = re.compile(r"\A\d+[a-z]?_")
_INTEGER = r"(?:const )?(?:std::)?(?:(?:unsigned|signed|long|short|int|char)(?: (?:long|int))*|size_t|ptrdiff_t|u?int\d+_t)"
_CASTS = {
    "a cast": re.compile(rf"\b(?:static|reinterpret)_cast<{_INTEGER}>"),
    "a cast by a constructor": re.compile(r"\b(?:std::)?(?:size_t|ptrdiff_t|u?int\d+_t|unsigned|int|long)\s*[({](?=[^)])"),
    "a C cast": re.compile(rf"(?<!sizeof)(?<!alignof)\({_INTEGER}\)\s*[\w(]"),
    "a factor that is a cast": re.compile(r"\b1(?:[uU]?[lL]{1,2}|[lL]{1,2}[uU])\s*\*"),
}
_BINDING = re.compile(r"\bauto\s*&{0,2}\s*\[")
_DIVIDED_BLOCK = re.compile(r"\bblockIdx\.\w\s*[/%]")
_INCLUDE = re.compile(r'#include "([^"]+)"')
_CONSTANT = re.compile(r"constexpr [^;]+;")
_WIDE_INDEX = re.compile(r"\b(?:std::)?(?:size_t|long long) (\w+) = ([^;]*(?:blockIdx|gridDim)[^;]*);")
_WIDE_STEP = re.compile(r"(\w+) \+= ([^;)]*(?:blockIdx|gridDim)[^;)]*)[;)]")
_NVCC_LINE = re.compile(r"^nvcc -std=c\+\+17 -arch=native -I\. -I\.\./\.\. (?P<stage>\d+\w+\.cu) (?P<others>(?:.|\\\n)*?) -o \w+$", re.MULTILINE)
_STRICT = "-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror"


def code_lines(text: str) -> list[str]:
    """The lines of C++ without comments, indentation and blank lines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (re.sub(r"(^|\s)//.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def headers(folders: Sequence[Path], text: str) -> set[Path]:
    """The headers in these folders that a stage includes, directly or indirectly."""
    found: set[Path] = set()
    waiting = _INCLUDE.findall(text)
    while waiting:
        name = waiting.pop()
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if file and file not in found:
            found.add(file)
            waiting += _INCLUDE.findall(read(file))
    return found


@dataclass(frozen=True)
class Step:
    stage: str
    lines: int
    new_lines: int


def new_lines(before: list[str], after: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return len(after) - sum(block.size for block in matcher.get_matching_blocks())


def steps_of(folder: Path, stages: list[str], earlier: Sequence[Path] = ()) -> Iterator[Step]:
    """A step for each stage, in the order of their numbers. The headers of the first stage are not counted, unless it
    follows `earlier` stages of another chapter.
    """
    folders = list(dict.fromkeys([folder, *(file.parent for file in earlier)]))
    before: list[str] | None = None
    known: set[Path] = set()
    seen: list[str] = []  # the lines of the previous stage and its headers
    files = [*earlier, *(folder / f"{stage}.cu" for stage in sorted(stages, key=lambda one: one.rpartition("/")[2]))]
    for file in files:
        text = read(file)
        code, included = code_lines(text), headers(folders, text)
        if file not in earlier:
            added = sum(new_lines(seen, code_lines(read(header))) for header in included - known)
            new = 0 if before is None else new_lines(before, code) + added
            yield Step(file.relative_to(folder).with_suffix("").as_posix(), len(text.splitlines()), new)
        known |= included
        match = _STAGE.match(file.stem)
        if not match or not match[2] or file in earlier:
            before = code
            seen = [line for header in sorted(included) for line in code_lines(read(header))] + code


def steps(workbook: Workbook) -> Found:
    core_of = {row.core.chapter: row.core for row in read_paths(read(workbook.root / PAGE))}
    print(f"{'stage':45} {'path':8} {'lines':>5} {'new':>4}")
    for chapter in workbook.catalogue.chapters:
        earlier = [
            program.source
            for folder in chapter.files.include_folders[1:]
            for program in workbook.catalogue.find_chapter(folder.name).of_kind("stage")
            if not program.needs_gpu and launches_kernels(program, workbook)
        ]
        stages = [p.file.removesuffix(".cu") for p in chapter.of_kind("stage") if _STAGE.match(p.source.stem)]
        if stages and chapter.name not in core_of:
            yield f"{chapter.name} is in no row of the table of paths in {PAGE}, so no stage was checked: add a row."
            continue
        for step in steps_of(chapter.folder, stages, earlier):
            core = core_of[chapter.name]
            path = "core" if core.has_everything or step.stage.rpartition("/")[2] in core.names else "advanced"
            name = f"{chapter.name}/{step.stage}"
            print(f"{name:45} {path:8} {step.lines:5} {step.new_lines:4}")
            if step.lines > MAX_LINES[path] or step.new_lines > MAX_NEW_LINES[path]:
                limits = f"{MAX_LINES[path]} lines, {MAX_NEW_LINES[path]} of them new"
                yield f"{name} has {step.lines} lines, {step.new_lines} of them new. Divide it: its path allows {limits}."


def rule_problems(text: str) -> list[str]:
    """The rules that a stage's text breaks."""
    code = "\n".join(code_lines(text))
    found = [f"has {name}: {match[0]}" for name, rule in _CASTS.items() for match in rule.finditer(code)]
    found += [f"has a structured binding: {match[0]}" for match in _BINDING.finditer(code)]
    found += [f"divides {match[0]}: put the matrix on a 2-D grid" for match in _DIVIDED_BLOCK.finditer(code)]
    if re.search(r"\btemplate\b", code):
        found.append("has a template")
    return found


def wide_indices(text: str) -> list[str]:
    """The expressions of blockIdx or gridDim from which a stage computes indices of 64 bits."""
    code = " ".join(code_lines(text))
    found = [(match[1], match[2]) for match in _WIDE_INDEX.finditer(code)]
    names = {name for name, _ in found}
    steps = [match[2] for match in _WIDE_STEP.finditer(code) if match[1] in names]
    return [expression for _, expression in found] + steps


def index_test(text: str) -> str:
    """C++ that compiles if each of wide_indices() has the same value with a 32-bit and with a 64-bit blockIdx."""
    constants = [match[0] for match in _CONSTANT.finditer("\n".join(code_lines(text))) if "(" not in match[0]]
    lines = ["#include <cstddef>", "template <typename T> struct Three { T x, y, z; };", *constants]
    parameters = ", ".join(f"Three<T> {name}" for name in ("blockIdx", "gridDim", "blockDim", "threadIdx"))
    large = "{1u << 24, 1u << 24, 1u << 24}, {1u << 24, 1u << 24, 1u << 24}, {1024, 1024, 64}, {31, 31, 31}"
    for number, expression in enumerate(wide_indices(text)):
        lines.append(f"template <typename T> constexpr std::size_t index_{number}({parameters}) {{ return {expression}; }}")
        lines.append(f"static_assert(index_{number}<unsigned>({large}) == index_{number}<std::size_t>({large}));")
    return "\n".join(lines) + "\n"


def index_problems(text: str) -> list[str]:
    if not wide_indices(text):
        return []
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    compiled = subprocess.run(command, input=index_test(text), capture_output=True, text=True, check=False)
    if compiled.returncode == 0:
        return []
    if "static assertion failed" not in compiled.stderr:
        return [f"has an index that cannot be compiled separately:\n{compiled.stderr}"]
    return ["computes an index in 32 bits, which wraps at 2^32. Let the block size be a constexpr std::size_t"]


def core(workbook: Workbook) -> Found:
    rows = {int(re.match(r"ch(\d+)_", row.core.chapter)[1]): row.core for row in read_paths(read(workbook.root / PAGE))}
    if not rows.keys() & CHAPTERS:
        yield f"{PAGE} has no core path of chapters 1 to 8, or 12."
    for path in (path for number, path in rows.items() if number in CHAPTERS):
        files = workbook.files_of(path.chapter)
        for name in (name for name in path.names if re.match(r"\d", name)):
            stage = files.folder / f"{name}.cu"
            text = read(stage)
            included = headers((*files.include_folders, workbook.root), text)
            found = rule_problems(text) + index_problems(text)
            if len(included) > MAX_HEADERS:
                names = ", ".join(sorted(header.name for header in included))
                found.append(f"includes {len(included)} headers of the workbook, but only {MAX_HEADERS} are allowed: {names}")
            yield from (f"{workbook.shown(stage)} {problem}." for problem in found)


def shares_a_word(stem: str, title: str) -> bool:
    """stem: of the file, with its number. title: what follows "Stage NN: "."""
    name, text = (
        {word[:SAME_LETTERS] for word in re.findall(r"[a-z0-9]+", words.lower())}
        for words in (_NUMBER.sub("", stem).replace("_", " "), title)
    )
    return bool(name & text)


def headings(page: str) -> dict[str, str]:
    """The title after each "## Stage NN: ", by the stage's number. A stage of a library can do without a section."""
    return {number: title for number, title in re.findall(r"^#+ Stage (\d+[a-z]?): (.+)$", page, re.MULTILINE)}


def in_tables(page: str, file: str) -> list[str]:
    """The second cell of each table row that begins with the file (in its folder), without marks for code and bold."""
    rows = re.findall(rf"^\|[^|]*`{re.escape(file)}`[^|]*\|([^|]*)\|", page, re.MULTILINE)
    return [plain(cell) for cell in rows]


def plain(words: str) -> str:
    return re.sub(r"[`*]", "", words).strip()


def other_titles(file: str, first_line: str, page: str) -> list[str]:
    """What is wrong with the stage's heading and its rows of tables. page: the text of the chapter's pages.

    A first line "Transpose, step 01: ..." belongs to a second ladder, whose sections are not headed "Stage 01".
    """
    ladder, _, title = plain(first_line).partition(": ")
    heading = plain(headings(page).get(ladder.removeprefix("Stage "), title))
    rows = in_tables(page, file)
    wrong = [f"the heading is {heading!r}"] if heading != title else []
    row = f"| `{file}` | {title} |"
    wrong += [] if rows else [f"no table of the chapter's README.md or ADVANCED.md has a row for it, such as: {row}"]
    return wrong + [f"the row of the table begins {row!r}" for row in rows if not row.startswith(title)]


def titles(workbook: Workbook) -> Found:
    for chapter in workbook.catalogue.chapters:
        page = "\n".join(map(read, chapter.files.pages))
        for stage in (one for one in chapter.of_kind("stage") if _NUMBER.match(one.source.stem)):
            file, title = stage.source.relative_to(chapter.folder).as_posix(), stage.description()
            where = f"chapters/{chapter.name}/{file}"
            stem = stage.source.stem
            if f"{chapter.name}/{stem}" not in _OTHER_WORDS and not shares_a_word(stem, title.partition(": ")[2]):
                yield f"{where}: the name shares no word with the title in the first line, {title!r}: change one."
            yield from (f"{where} has the title {title!r}, and {other}" for other in other_titles(file, title, page))


def _nvcc() -> str:
    return shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def ceiling(workbook: Workbook) -> Found:
    file = workbook.root / "common/harness/fma_rate.cu"
    stated = int(re.search(r"Cost: (\d+) multiply-adds", read(file))[1])
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        ptx = Path(folder) / "fma_rate.ptx"
        command = [_nvcc(), "-std=c++17", "-arch=sm_90", f"-I{workbook.root}", "-ptx", str(file), "-o", str(ptx)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        code = read(ptx)
    for kind in ("f32", "f64"):
        counted = code.count(f"fma.rn.{kind}")
        if counted != stated:
            yield f"{file.name}: its loop has {counted} multiply-adds of {kind}, and its comment states {stated}."


def by_hand(workbook: Workbook) -> Found:
    nvcc = _nvcc()

    def problem_with(chapter: Path) -> str:
        line = _NVCC_LINE.search(read(chapter / "README.md"))
        if not line:
            return f"chapters/{chapter.name}/README.md has no line of nvcc that builds a stage."
        with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
            options = f"-std=c++17 -arch=sm_90 {_STRICT} -I. -I../.."
            command = f"{nvcc} {options} {line['stage']} {line['others']} -o {folder}/program"
            ended = subprocess.run(["bash", "-c", command], cwd=chapter, capture_output=True, text=True, check=False)
        return "" if ended.returncode == 0 else f"{chapter.name}: {command}\n{ended.stdout}{ended.stderr}"

    chapters = [chapter.folder for chapter in workbook.catalogue.chapters if re.match(r"ch([1-8]|12)_", chapter.name)]
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        yield from filter(None, executor.map(problem_with, chapters))
