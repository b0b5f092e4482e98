"""Turns CUDA C++ into C++17: the few things in a .cu file that a C++ compiler cannot parse.

    kernel<<<grid, block, bytes, stream>>>(args)   becomes a call of cuda_simulator::launch
    extern __shared__ T name[];                    becomes a pointer to the block's dynamic memory

Everything else stays as it is. The learner's text keeps its line AND its column in every message of
the compiler: each piece of it is put on a physical line of its own, after a #line directive and as
many spaces as it had columns to its left. (Inside a #define there are no lines to give; there the
columns after a launch shift.)

A header beside the file, or in a FOLDER, that holds a launch or extern __shared__ memory is
rewritten too: into a copy in the folder OUTPUT.headers, which the output includes in its place.
OUTPUT.d lists for make what was read.

Usage: rewrite_cuda.py INPUT.cu OUTPUT.cpp [FOLDER...]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

_NOT_CODE = re.compile(
    r"""//(?:\\\n|[^\n])*                               # line comment, also continued
      | /\*.*?\*/                                       # block comment
      | \bR"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"    # raw string
      | "(?:\\.|[^"\\\n])*"                             # string
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'            # character, but not 1'000'000
    """,
    re.DOTALL | re.VERBOSE,
)
_EXTERN_SHARED = re.compile(
    r"""\bextern\s+__shared__\s+
        (?P<align>(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)\s*)?
        (?P<type>[A-Za-z_:][\w:<>,\s]*?)\s*
        \b(?P<name>[A-Za-z_]\w*)\s*\[\s*\]\s*(?P<inner>(?:\[[^\]]*\]\s*)*);""",
    re.VERBOSE,
)
# A keyword of CUDA's that is no macro here: the C++ library's headers write __attribute__((__noinline__)).
_NOINLINE = re.compile(r"\b__noinline__\b(?!\s*\))")
_INCLUDE = re.compile(r'^[ \t]*(?P<hash>#)[ \t]*include[ \t]*[<"](?P<header>[^">\n]+)[">]', re.MULTILINE)
_NO_TYPES = frozenset(("return", "else", "case", "throw", "co_return", "new", "delete", "goto"))
_CLOSES = {")": "(", "]": "[", "}": "{"}


class RewriteError(Exception):
    """The text cannot be understood; the message has the form of a compiler's."""


def mask(source: str) -> str:
    """`source` with comments, strings and characters blanked out; same length, same lines."""
    return _NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)


class _Source:
    """A file's text with its masked twin, and where an offset stands."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.masked = mask(text)
        self.name = name

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset: int) -> int:
        """Columns to the left of `offset`; tabs and wide characters count as the compiler prints them."""
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def error(self, offset: int, message: str) -> RewriteError:
        return RewriteError(f"{self.name}:{self.line(offset)}:{self.column(offset) + 1}: error: {message}")

    def skip_space(self, offset: int) -> int:
        while offset < len(self.masked) and self.masked[offset] in " \t\n\\":
            offset += 1
        return offset

    def skip_space_back(self, offset: int) -> int:
        while offset > 0 and self.masked[offset - 1] in " \t\n\\":
            offset -= 1
        return offset

    def matching_close(self, offset: int) -> int:
        """The offset just after the bracket that closes the one at `offset`."""
        depth = 0
        for i in range(offset, len(self.masked)):
            if self.masked[i] in "([{":
                depth += 1
            elif self.masked[i] in ")]}":
                depth -= 1
                if depth == 0:
                    return i + 1
        raise self.error(offset, f"this '{self.masked[offset]}' is never closed")

    def matching_open(self, end: int) -> int:
        """The offset of the bracket that the one just before `end` closes. '>' closes a template's '<'."""
        close = self.masked[end - 1]
        i = end - 1
        depth = 1
        while i > 0:
            i -= 1
            c = self.masked[i]
            if close == ">":
                if c in _CLOSES and c != "}":  # template arguments may hold (a > b)
                    i = self.matching_open(i + 1)
                    continue
                if c in ";{}":
                    break
                depth += (c == ">" and self.masked[i - 1 : i] != "-") - (c == "<")
            else:
                depth += (c == close) - (c == _CLOSES[close])
            if depth == 0:
                return i
        raise self.error(end - 1, f"cannot find what this '{close}' closes")

    def in_define(self, offset: int) -> bool:
        start = self.masked.rfind("\n", 0, offset) + 1
        while start > 1 and self.masked[start - 2] == "\\":
            start = self.masked.rfind("\n", 0, start - 1) + 1
        return re.match(r"\s*#", self.masked[start:]) is not None


def _kernel_start(source: _Source, end: int) -> int:
    """Where the expression that names the kernel begins; it ends at `end`, before the <<<.

    Understands k, ns::k, k<T, 2>, A<T>::k, table[i], (*pointer) and object.member.
    """
    masked = source.masked
    j = end
    while True:
        j = source.skip_space_back(j)
        if masked[j - 1 : j] == ">":
            j = source.skip_space_back(source.matching_open(j))
        while masked[j - 1 : j] == "]":
            j = source.skip_space_back(source.matching_open(j))
        if masked[j - 1 : j] == ")":
            j = source.matching_open(j)
            callee = re.search(r"\w+$", masked[:j])
            if callee is None or callee.group() in ("if", "while", "for", "switch"):
                return j
        name_end = j
        while j > 0 and (masked[j - 1].isalnum() or masked[j - 1] in "_$"):
            j -= 1
        if j == name_end:
            raise source.error(end, "there is no kernel name before '<<<'")
        before = source.skip_space_back(j)
        if masked[before - 2 : before] == "::":
            j = before - 2
            if not re.search(r"[\w>]\s*$", masked[:j]):
                return j  # ::kernel
        elif masked[before - 2 : before] == "->":
            j = before - 2
        elif before > 0 and masked[before - 1] == ".":
            j = before - 1
        else:
            return j


def _configuration_end(source: _Source, start: int) -> int:
    """The offset of the >>> that belongs to the <<< at `start`."""
    masked = source.masked
    i = start + 3
    while i < len(masked):
        if masked[i] in "([{":
            i = source.matching_close(i)
        elif masked.startswith(">>>", i):
            return i
        elif masked[i] in ";)]}":
            break
        else:
            i += 1
    raise source.error(start, "this '<<<' has no '>>>'")


class _Pieces:
    """Builds the replacement of one stretch of the source from the source's own pieces and glue."""

    def __init__(self, source: _Source, on_own_lines: bool) -> None:
        self._source = source
        self._on_own_lines = on_own_lines
        self._text = ""

    def glue(self, text: str) -> _Pieces:
        self._text += text
        return self

    def own(self, start: int, end: int) -> _Pieces:
        """The source's text from `start` to `end`, where it stood."""
        text = self._source.text[start:end]
        if self._on_own_lines:
            self._text += self.resume(start) + text
        else:
            self._text += re.sub(r"\s*\\?\n\s*", " ", text)
        return self

    def resume(self, offset: int) -> str:
        line_start = offset - self._source.column(offset)
        left = re.sub(r"[^\t]", " ", self._source.text[line_start:offset])
        return f'\n#line {self._source.line(offset)} "{_quoted(self._source.name)}"\n{left}'

    def finish(self, start: int, end: int) -> str:
        """The replacement of [start, end), so that what follows stands where it stood."""
        if self._on_own_lines:
            return self._text + self.resume(end)
        breaks = re.findall(r"\\?\n", self._source.text[start:end])
        return self._text + "".join(breaks)


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _launch(source: _Source, start: int) -> tuple[int, int, str]:
    """The launch whose <<< is at `start`: (from, to, replacement)."""
    kernel = _kernel_start(source, start)
    kernel_end = source.skip_space_back(start)
    close = _configuration_end(source, start)
    arguments = source.skip_space(close + 3)
    if not source.masked.startswith("(", arguments):
        raise source.error(close, "'>>>' must be followed by the kernel's arguments in parentheses")
    end = source.matching_close(arguments)

    # The call that is never made gives the compiler's plain messages about wrong arguments. The
    # lambda makes the real one: it needs no kernel address, so overloads and templates resolve.
    name = re.sub(r"\s+", " ", source.masked[kernel:kernel_end])
    pieces = _Pieces(source, on_own_lines=not source.in_define(start))
    pieces.glue("(false?").own(kernel, kernel_end).own(arguments, end)
    pieces.glue(":cuda_simulator::launch(cuda_simulator::LaunchConfiguration(")
    pieces.own(start + 3, close)
    pieces.glue(f"),{{CUDA_SIMULATOR_TEXT({name})")
    if _is_pointer(source, start, name):
        pieces.glue(f",cuda_simulator::address_of({name})")
    pieces.glue("},[&](auto...cuda_simulator_arguments)")
    pieces.glue("CUDA_SIMULATOR_UNTRACED->void{")
    pieces.own(kernel, kernel_end).glue("(cuda_simulator_arguments...);})").own(arguments, end).glue(")")
    return kernel, end, pieces.finish(kernel, end)


def _is_pointer(source: _Source, start: int, kernel: str) -> bool:
    """Whether what is launched, up to `start`, is a pointer: a variable, a parameter, an element or a member."""
    if source.in_define(start):
        return False  # the macro's parameters may be anything
    if re.fullmatch(r"[A-Za-z_]\w*", kernel):
        function = source.masked[_open_braces(source, start)[1] : start]
        typed = rf"(?P<type>[\w>]+)(?:\s*[*&]+\s*|\s+){kernel}\s*[=,;){{]"
        by_hand = rf"\(\s*\*\s*(?:const\s+)?{kernel}\s*\)\s*\("
        return re.search(by_hand, function) is not None or any(
            found["type"] not in _NO_TYPES for found in re.finditer(typed, function)
        )
    looked_at_twice = re.fullmatch(r"\(\*\w+\)|\w+(?:\[[\w +*/%-]+\]|(?:\.|->)\w+)+", kernel)
    return looked_at_twice is not None and "++" not in kernel and "--" not in kernel


def _open_braces(source: _Source, offset: int) -> tuple[int, int]:
    """How many braces are open at `offset`, a namespace's or an extern "C"'s apart; where what they are in begins."""
    scope = re.compile(r"(?:\bnamespace\b[^;{}()=]*|\bextern\s*)?\{|[};]")
    open_braces: list[bool] = []
    begin = 0
    for token in scope.finditer(source.masked, 0, offset):
        if token.group() == "}" and open_braces:
            open_braces.pop()
        elif token.group().endswith("{"):
            open_braces.append(token.group() == "{")
        if not any(open_braces):
            begin = token.end()
    return sum(open_braces), begin


def _inside_function(source: _Source, offset: int) -> bool:
    return _open_braces(source, offset)[0] > 0


def _extern_shared(source: _Source, declaration: re.Match[str]) -> tuple[int, int, str]:
    """An `extern __shared__ T name[];`: (from, to, replacement)."""
    start, end = declaration.span()
    pieces = _Pieces(source, on_own_lines=not source.in_define(start))
    inner = declaration.group("inner").strip()
    if _inside_function(source, start):
        pieces.own(*declaration.span("type")).glue("(*const" if inner else "*const")
        pieces.own(*declaration.span("name")).glue(f"){inner}" if inner else "")
        pieces.glue("=cuda_simulator::DynamicSharedMemory();")
    else:
        pieces.glue("extern __thread").own(*declaration.span("type"))
        pieces.own(*declaration.span("name"))
        pieces.glue(f'[]{inner} __asm__("cuda_simulator_dynamic_shared");')
    return start, end, pieces.finish(start, end)


def _includes(source: _Source) -> list[re.Match[str]]:
    return [m for m in _INCLUDE.finditer(source.text) if source.masked[m.start("hash")] == "#"]


def rewrite(text: str, name: str, replace_header: Callable[[str], Path | None] = lambda header: None) -> str:
    """C++17 for the CUDA C++ `text`; messages about it will name the file `name`.

    replace_header gives the file to include in place of a header; None to include that one.
    Raises RewriteError, in the form of a compiler's message, for a launch that cannot be parsed.
    """
    source = _Source(text, name)
    edits = [_extern_shared(source, m) for m in _EXTERN_SHARED.finditer(source.masked)]
    position = 0
    while (start := source.masked.find("<<<", position)) >= 0:
        edit = _launch(source, start)
        inner = source.masked.find("<<<", start + 3, edit[1])
        if inner >= 0:
            raise source.error(inner, "a launch inside another launch")
        edits.append(edit)
        position = edit[1]
    edits += [(*m.span(), " " * len(m.group())) for m in _NOINLINE.finditer(source.masked)]
    for include in _includes(source):
        header = replace_header(include["header"])
        if header:
            edits.append((*include.span("header"), str(header)))
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return f'#include <cuda_runtime.h>\n#line 1 "{_quoted(name)}"\n{text}'


class Headers:
    """The learner's headers that a file includes, and rewritten copies of those that need it."""

    def __init__(self, copies: Path, folders: list[Path]) -> None:
        """copies: where the copies go; folders: where headers are looked for, after their includer's folder."""
        self._copies_folder = copies
        self._folders = folders
        self._copies: dict[Path, Path] = {}
        self._sources: dict[Path, _Source] = {}

    @property
    def read(self) -> list[Path]:
        """Every header that was found."""
        return list(self._sources)

    def replacement(self, includer: Path, header: str, is_moved: bool = False) -> Path | None:
        """What to include in place of `header`: its copy; if the includer is moved, the file itself. Else None.

        Raises RewriteError for a header that cannot be rewritten.
        """
        file = self._find(includer, header)
        if file is None:
            return None
        if any(self._holds_cuda(reached) for reached in self._reached_from(file)):
            return self._copy(file)
        return file if is_moved else None

    def _find(self, includer: Path, header: str) -> Path | None:
        for folder in (includer.parent, *self._folders):
            if (folder / header).is_file():
                return (folder / header).resolve()
        return None

    def _source(self, file: Path) -> _Source:
        if file not in self._sources:
            self._sources[file] = _Source(read(file), str(file))
        return self._sources[file]

    def _reached_from(self, file: Path) -> list[Path]:
        reached = [file]
        for one in reached:  # grows as it goes
            for include in _includes(self._source(one)):
                found = self._find(one, include["header"])
                if found and found not in reached:
                    reached.append(found)
        return reached

    def _holds_cuda(self, file: Path) -> bool:
        masked = self._source(file).masked
        return "<<<" in masked or _EXTERN_SHARED.search(masked) is not None

    def _copy(self, file: Path) -> Path:
        if file not in self._copies:
            copy = self._copies_folder / f"{len(self._copies)}_{file.name}"
            self._copies[file] = copy  # before the text, as headers may include each other
            text = rewrite(self._source(file).text, str(file), lambda header: self.replacement(file, header, True))
            copy.parent.mkdir(parents=True, exist_ok=True)
            write(copy, text)
        return self._copies[file]


def read(path: Path) -> str:
    """Raises OSError, or RewriteError for what is no text."""
    # Bytes that are not UTF-8, as in an old comment, pass through: compilers do not mind them either.
    text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    if "\0" in text:
        raise RewriteError(f"{path}:1:1: error: this is UTF-16, or no text; save it as UTF-8")
    return text


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def _for_make(path: Path) -> str:
    return re.sub(r"([ #])", r"\\\1", str(path)).replace("$", "$$")


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    path, output = Path(sys.argv[1]), Path(sys.argv[2])
    headers = Headers(Path(f"{output}.headers").resolve(), [Path(folder) for folder in sys.argv[3:]])
    try:
        write(output, rewrite(read(path), str(path), lambda header: headers.replacement(path, header)))
        inputs = "".join(f" \\\n {_for_make(file)}" for file in (path, *headers.read))
        write(Path(f"{output}.d"), f"{_for_make(output)}:{inputs}\n")
    except (OSError, RewriteError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
