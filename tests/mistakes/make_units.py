"""Writes C++ for the simulator, of the mistakes that the tests of one operation must find.

Usage: make_units.py CATALOGUE OUTPUT_FOLDER UNITS SPOILED_FILE...

The spoiled files are the files that the operation's tests judge; mistakes in other files are left out. Each mistake's
text is rewritten like a stage's, into a namespace of its own, in one of OUTPUT_FOLDER/unit_1.cpp to unit_UNITS.cpp, so
that one compilation reads the headers for many mistakes. The compiler and the simulator report the spoiled file and its
lines. OUTPUT_FOLDER/choice.cpp has the functions of the operation's header; they call the functions of the mistake that
the environment variable WORKBOOK_MISTAKE names. OUTPUT_FOLDER/units.d lists the files that were read, for make.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "common" / "simulator" / "translate")]

from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
from cli.mistakes.catalogue import CatalogueError, Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file, spoiled_source, text_file
from cuda_source import RewriteError, Source, includes, read, write
from cuda_to_cpp import rewrite
from header_copies import Headers
from interface import Function, declared_functions


@dataclass(frozen=True)
class Unit:
    """A mistake's C++."""

    mistake: Mistake
    includes: tuple[str, ...]  # with their brackets or quotes
    text: str  # without them

    @property
    def namespace(self) -> str:
        return f"mistake_{self.mistake.name}"


def make_unit(mistake: Mistake, headers: Headers) -> Unit:
    """Raises CatalogueError for an edit that does not apply, RewriteError for code that cannot be rewritten."""
    file = text_file(mistake, ROOT)
    source = spoiled_source(mistake, ROOT)
    text = rewrite(source, str(file), lambda header: headers.replacement(file, header, is_moved=True))
    text += _left_to_the_harness(mistake, text)
    headers_of_text = _included(text, str(file))
    for found in reversed(includes(Source(text, str(file)))):
        text = text[: found.start()] + text[found.end() :]
    return Unit(mistake, headers_of_text, text)


def stage_facts(mistake: Mistake) -> list[Path]:
    """The files with functions that a stage may leave out, the stage's own file first."""
    chapter = ChapterFiles(ROOT, mistake.chapter).folder
    own = chapter / "stage_facts" / Path(mistake.spoiled).with_suffix(".cpp")
    described = chain.from_iterable(sorted(chapter.glob(files)) for files in ("*.cpp", "*/*.cpp", "*_operation.h"))
    return [*filter(Path.is_file, [own]), *(file for file in described if _WEAK in read(file))]


# Before a function that a stage may define instead, in the file that describes an operation, or in the header of several.
_WEAK = "[[gnu::weak]] "


def _facts_of(file: Path) -> list[str]:
    """The file; of a file that describes an operation only its weak functions, each with the includes."""
    text = read(file)
    if _WEAK not in text:
        return [text]
    lines = [line for line in text.splitlines(keepends=True) if line.startswith("#include \"")]
    included = "".join(line for line in lines if "harness" not in line and "operation" not in line)
    functions = []
    for found in re.finditer(re.escape(_WEAK) + r"(.*?\{)", text, re.DOTALL):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        functions.append(f"{included}{text[found.start(1) : end]}\n")
    return functions


def _left_to_the_harness(mistake: Mistake, stage: str) -> str:
    """The C++ that the harness adds to a stage: each text, unless one of its functions is already defined."""
    added = ""
    for file, text in ((file, text) for file in stage_facts(mistake) for text in _facts_of(file)):
        headers = _headers(_included(text, str(file)), ChapterFiles(ROOT, mistake.chapter).folder)
        declared = [function for header in headers for function in declared_functions(read(header))]
        defined = [function for function in declared if function.is_defined_in(text)]
        if not any(function.is_defined_in(stage + added) for function in defined):
            added += f"\n{text}"
    return added


def unit_file(units: list[Unit]) -> str:
    spaces = [f"namespace {unit.namespace} {{\n{unit.text}\n}}  // namespace {unit.namespace}\n" for unit in units]
    return _includes(header for unit in units for header in unit.includes) + "\n" + "\n".join(spaces)


def _included(text: str, name: str) -> tuple[str, ...]:
    """The headers, with their brackets or quotes."""
    return tuple(text[found.start("header") - 1 : found.end()] for found in includes(Source(text, name)))


def _files(headers: Iterable[str], chapter: Path) -> list[Path]:
    """The included headers that are in the chapter's folder or in one of its folders of stages or baselines."""
    files = [chapter / header.strip('"') for header in headers if header.startswith('"')]
    parents = {chapter, *(file.parent for file in files if file.parent.parent == chapter)} - {chapter / "harness"}
    return [file for file in files if file.parent in parents and file.is_file()]


def _headers(included: Iterable[str], chapter: Path) -> list[Path]:
    """The included headers that belong to the chapter, and the chapter's headers that they include."""
    headers = list(dict.fromkeys(_files(included, chapter)))
    for header in headers:  # grows in the loop
        headers += [file for file in _files(_included(read(header), str(header)), chapter) if file not in headers]
    return headers


def interface_of(units: list[Unit], chapter: Path) -> tuple[list[Path], list[Function]]:
    """The chapter's headers that the mistakes include, and the functions declared there that the mistakes define.

    Raises CatalogueError if a mistake lacks a function that another mistake defines.
    """
    headers = _headers((header for unit in units for header in unit.includes), chapter)
    declared = [function for header in headers for function in declared_functions(read(header))]
    functions = [function for function in declared if any(function.is_defined_in(unit.text) for unit in units)]
    for unit in units:
        for function in functions:
            if not function.is_defined_in(unit.text):
                raise unit.mistake.error(f"it does not define {function.name}(), but other mistakes do.")
    if not functions:
        raise units[0].mistake.error("the headers of the chapter that it includes declare none of its functions.")
    return headers, functions


def choice_file(units: list[Unit], chapter: Path) -> str:
    headers, functions = interface_of(units, chapter)
    declarations = "".join(f"{function.declaration};\n" for function in functions)
    names = ", ".join(f'"{unit.mistake.name}"' for unit in units)
    parts = [_includes(['"tests/mistakes/choose_mistake.h"', *(f'"{header}"' for header in headers)])]
    parts += [f"namespace {unit.namespace} {{\n{declarations}}}\n" for unit in units]
    parts.append(f"static int chosen() {{\n  static const int mistake = choose_mistake({{{names}}});\n")
    parts[-1] += "  return mistake;\n}\n"
    for function in functions:
        calls = [
            f"    case {number}: return {unit.namespace}::{function.name}({function.arguments});\n"
            for number, unit in enumerate(units)
        ]
        parts.append(f"{function.declaration} {{\n  switch (chosen()) {{\n{''.join(calls)}  }}\n")
        parts[-1] += "  __builtin_unreachable();\n}\n"
    return "\n".join(parts)


def _includes(headers: Iterable[str]) -> str:
    return "".join(f"#include {header}\n" for header in dict.fromkeys(headers))


def _for_make(file: Path) -> str:
    return re.sub(r"([ #])", r"\\\1", str(file)).replace("$", "$$")


def make_files(catalogue: Path, folder: Path, count: int, files: list[Path]) -> None:
    """Raises WorkbookError, RewriteError or OSError."""
    mistakes = [mistake for mistake in read_catalogue(catalogue) if spoiled_file(mistake, ROOT) in files]
    if not mistakes:
        raise CatalogueError(f"{catalogue} has no mistake in any of: {', '.join(file.name for file in files)}.")
    chapter = ChapterFiles(ROOT, mistakes[0].chapter)
    headers = Headers(folder / "headers", list(chapter.include_folders))
    units = [make_unit(mistake, headers) for mistake in mistakes]
    for number in range(count):
        write(folder / f"unit_{number + 1}.cpp", unit_file(units[number::count]))
    write(folder / "choice.cpp", choice_file(units, chapter.folder))
    facts = [file for mistake in mistakes for file in stage_facts(mistake)]
    inputs = [catalogue, *(text_file(mistake, ROOT) for mistake in mistakes), *facts, *headers.read]
    listed = "".join(f" \\\n {_for_make(file)}" for file in dict.fromkeys(inputs))
    write(folder / "units.d", f"{_for_make(folder / 'choice.cpp')}:{listed}\n")


def main(arguments: list[str]) -> int:
    if len(arguments) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    catalogue, folder, count, *files = arguments
    try:
        make_files(Path(catalogue), Path(folder), int(count), [Path(file) for file in files])
    except (OSError, RewriteError, WorkbookError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
