"""CUDA's own syntax as C++: launches and extern __shared__ memory; marks of local arrays. See rewrite_cuda.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from cuda_source import Source, includes
from definitions import definition_edits
from device_functions import device_functions
from device_pass import architecture_edits, mentions_architecture
from kernel_rules import require_kernels_for_a_gpu, static_variables
from local_arrays import local_arrays
from special_registers import special_register_edits

_EXTERN_SHARED = re.compile(
    r"""\b(?:extern\b(?=(?:__align__\s*\([^()]*\)|[^;(){}=])*\b__shared__\b)
          |__shared__\s+extern\b)\s+(?:__shared__\s+)?
        (?P<align>(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)\s*)?
        (?P<type>[A-Za-z_:][\w:<>,\s*]*?)\s*
        \b(?P<name>[A-Za-z_]\w*)\s*\[\s*\]\s*(?P<inner>(?:\[[^\]]*\]\s*)*);""",
    re.VERBOSE,
)
_SHARED = re.compile(r"\b__shared__\b")
# The macro __shared__ is static already.
_STATIC_BESIDE_SHARED = re.compile(
    r"\bstatic\b(?=\s+(?:(?:const|volatile)\s+)*__shared__\b)|(?<=\b__shared__\s)static\b"
)
# g++ puts only variables that it can write into the section of __constant__ variables. Like const, static makes a name
# local to its file.
_CONST_BESIDE_CONSTANT = re.compile(
    r"^[ \t]*(?!extern\b)(?P<before>static[ \t]+)?(?:__constant__[ \t]+(?P<after>static[ \t]+)?(?P<behind>const)\b"
    r"|(?P<front>const)[ \t]+__constant__\b)",
    re.MULTILINE,
)
# g++ takes alignas only in front of `static`, which is in the macro __shared__.
_ALIGNAS_BEHIND_SHARED = re.compile(r"(?P<shared>\b__shared__[ \t]+)(?P<align>alignas\b[ \t]*(?=\())")
# A launch as Visual Studio's formatter writes it, k << <grid, block >> > (a). Without an `operator` in front no other
# code has a `<` behind `<<`.
_OPENS = re.compile(r"(?<!\boperator)(?<!\boperator )<[ \t]*<[ \t]*<")
_CLOSES = re.compile(r">[ \t]*>[ \t]*>(?=\s*\()")
# g++ -fdirectives-only, with which the judge preprocesses an answer, does not know the other spelling of #.
_DIRECTIVE = re.compile(r"^[ \t]*(?P<hash>%:)", re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:(?P<begins>if)|(?P<ends>endif))", re.MULTILINE)
# A quote that no other one on its line belongs to, behind literals and numbers that mask() leaves.
_QUOTE = re.compile(r"""\b(?:u8|[uUL])'(?:\\.|[^'\\\n])+'|\b\d(?:'?\w)+|(?P<lone>["'])""")
# A CUDA keyword that is not a macro here, because the C++ library's headers write __attribute__((__noinline__)).
_NOINLINE = re.compile(r"\b__noinline__\b(?!\s*\))")
# A kernel as a pointer to void, for cudaLaunchKernel() or a node of a graph.
_AS_VOID_POINTER = re.compile(
    r"""(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)
          | \b(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>(?=\s*\())\s*
        (?P<kernel>(?P<opens>\(\s*)?&?\s*(?:\w+::)*(?P<name>[A-Za-z_]\w*)\b
          (?:\s*<(?:[^<>;(){}]|<[^<>;(){}]*>)*>)?(?(opens)\s*\)))""",
    re.VERBOSE,
)
_TAKES_KERNEL = re.compile(r"(?:\bcudaLaunch(?:Cooperative)?Kernel\s*\(|\bfunc\s*=)\s*\Z")
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)(?:\((?P<parameters>[^()]*)\))?")
_IN_PARENTHESES = re.compile(r"\(\s*(?:\*\s*)?(?P<named>\w+(?:::\w+)*)\s*(?:<[\w\s:,<>]*>)?\s*\)")
_SPECIFIERS = 400  # the maximum number of characters before a function's name
_NO_TYPES = frozenset(("return", "else", "case", "goto", "throw", "co_return", "new", "delete"))


def rewrite(
    text: str,
    name: str,
    replace_header: Callable[[str], Path | None] = lambda header: None,
    definitions: Mapping[str, str] = {},
    in_front: str = "",
) -> str:
    """Returns C++17 for the CUDA C++ `text`; messages about it will name the file `name`.

    replace_header returns the file to include instead of a header; None to include the header itself. definitions: new
    values of constants. in_front: lines of code before the first line. Raises
    RewriteError, in the form of a compiler's message, for a launch that cannot be parsed, and for a kernel that would
    behave differently on a GPU.
    """
    source = _with_joined_chevrons(Source(text, name))
    text = source.text
    require_kernels_for_a_gpu(source)
    edits = [_extern_shared(source, m) for m in _EXTERN_SHARED.finditer(source.masked)]
    position = 0
    while (start := source.masked.find("<<<", position)) >= 0:
        edit = _launch(source, start)
        inner = source.masked.find("<<<", start + 3, edit[1])
        if inner >= 0:
            raise source.error(inner, "a launch cannot contain another launch")
        edits.append(edit)
        position = edit[1]
    edits += [(*m.span(), " " * len(m.group())) for m in _NOINLINE.finditer(source.masked)]
    mark = _Replacement(source, on_own_lines=True).glue(" __constinit")
    edits += [(offset, offset, mark.finish(offset, offset)) for offset in static_variables(source)]
    edits += [(*m.span(), " " * len(m.group())) for m in _STATIC_BESIDE_SHARED.finditer(source.masked)]
    edits += [_alignas_first(source, m) for m in _ALIGNAS_BEHIND_SHARED.finditer(source.masked)]
    edits += [_writable_constant(m) for m in _CONST_BESIDE_CONSTANT.finditer(source.masked)]
    edits += special_register_edits(source)
    edits += [(*m.span("hash"), "# ") for m in _DIRECTIVE.finditer(source.masked)]
    edits += [(offset, offset + 1, "`") for offset in _lone_quotes(source)]
    edits += definition_edits(source, definitions)
    edits += _kernels_as_void_pointers(source)
    of_architecture = architecture_edits(source, lambda line: f'#line {line} "{_quoted(name)}"\n')
    of_local_arrays = _local_arrays(source)
    # Code that appears twice is left unchanged: then accesses of local arrays are not followed.
    if not any(begin <= start < end for begin, end, _ in of_architecture for start, _, _ in of_local_arrays):
        edits += of_local_arrays
    edits += of_architecture
    for include in includes(source):
        header = replace_header(include["header"])
        if header:
            edits.append((*include.span("header"), str(header)))
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return f'#include <simulator/compiled_by_nvcc.h>\n{in_front}#line 1 "{_quoted(name)}"\n{text}'


def _alignas_first(source: Source, found: re.Match[str]) -> tuple[int, int, str]:
    end = source.matching_close(found.end())
    return found.start(), end, source.text[found.start("align") : end] + " " + found["shared"].rstrip()


def _writable_constant(found: re.Match[str]) -> tuple[int, int, str]:
    """The const of a __constant__ variable as static, or as spaces if it is static already."""
    is_static = found["before"] or found["after"]
    return (*found.span("behind" if found["behind"] else "front"), "     " if is_static else "static")


def needs_rewriting(header: Source) -> bool:
    """Returns whether the compiler cannot parse a header unchanged."""
    if next(_openings(header), None):
        return True
    syntaxes = (_EXTERN_SHARED, _STATIC_BESIDE_SHARED, _DIRECTIVE, _ALIGNAS_BEHIND_SHARED, _CONST_BESIDE_CONSTANT)
    if any(syntax.search(header.masked) for syntax in syntaxes) or special_register_edits(header):
        return True
    if next(_lone_quotes(header), None) is not None:
        return True
    if next(_kernels_as_void_pointers(header), None):
        return True
    return mentions_architecture(header) or bool(local_arrays(header))


def _kernels_as_void_pointers(source: Source) -> Iterator[tuple[int, int, str]]:
    """(void*)kernel becomes a call that stores the kernel's parameter types, which the pointer does not have."""
    kernels = {function.name for function in device_functions(source) if function.is_kernel}
    for cast in _AS_VOID_POINTER.finditer(source.masked):
        start, end = cast.span()
        if cast["name"] in kernels or _TAKES_KERNEL.search(source.masked, max(0, start - _SPECIFIERS), start):
            pieces = _Replacement(source, on_own_lines=not source.in_define(start))
            pieces.glue("cuda_simulator::pointer_to(").own(*cast.span("kernel")).glue(")")
            yield start, end, pieces.finish(start, end)


def _lone_quotes(source: Source) -> Iterator[int]:
    """The offsets of lone quotes between #if and #endif, as in a sentence that is left out. g++ -fdirectives-only takes
    them for the beginning of a literal, which can swallow an #endif.
    """
    depth, begin = 0, 0
    for condition in _CONDITION.finditer(source.masked):
        if depth == 0:
            begin = condition.end()
        depth = max(0, depth + (1 if condition["begins"] else -1))
        if depth == 0:
            found = _QUOTE.finditer(source.masked, begin, condition.start())
            yield from (match.start() for match in found if match["lone"])


def _openings(source: Source) -> Iterator[re.Match[str]]:
    """The <<< of launches, but not << "text" <<, whose text is blank in `masked`."""
    return (m for m in _OPENS.finditer(source.masked) if m.group() == source.text[m.start() : m.end()])


def _with_joined_chevrons(source: Source) -> Source:
    """The source with <<< and >>> instead of << < and >> >, and all other code at its column."""
    text = list(source.text)
    for opening in _openings(source):
        statement = re.compile(r"[^;]*").match(source.masked, opening.end())
        close = None if ">>>" in statement.group() else _CLOSES.search(source.masked, opening.end(), statement.end() + 1)
        for found, joined in ((opening, "<<<"), (close, ">>>")):
            if found:
                text[found.start() : found.end()] = joined.ljust(len(found.group()))
    joined_text = "".join(text)
    return source if joined_text == source.text else Source(joined_text, source.name)


def _kernel_start(source: Source, end: int) -> int:
    """The beginning of the expression that names the kernel; it ends at `end`, before the <<<.

    Accepts k, ns::k, k<T, 2>, A<T>::k, (k), table[i], (*pointer) and object.member.
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
                if not _IN_PARENTHESES.match(masked, j):
                    raise source.error(j, "only the name of a kernel or a pointer to a kernel can be before '<<<'")
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


def _configuration_end(source: Source, start: int) -> int:
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


class _Replacement:
    """Builds the replacement of one part of the source from pieces of the source and glue."""

    def __init__(self, source: Source, on_own_lines: bool) -> None:
        self._source = source
        self._on_own_lines = on_own_lines
        self._text = ""

    def glue(self, text: str) -> _Replacement:
        self._text += text
        return self

    def own(self, start: int, end: int) -> _Replacement:
        """Adds the source's text from `start` to `end`, at its original line and column."""
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
        """Returns the replacement of [start, end); the text after it keeps its line and column."""
        if self._on_own_lines:
            return self._text + self.resume(end)
        breaks = re.findall(r"\\?\n", self._source.text[start:end])
        return self._text + "".join(breaks)


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _launch(source: Source, start: int) -> tuple[int, int, str]:
    """The launch whose <<< is at `start`: (from, to, replacement)."""
    kernel = _kernel_start(source, start)
    kernel_end = source.skip_space_back(start)
    _require_kernel(source, kernel, kernel_end)
    close = _configuration_end(source, start)
    arguments = source.skip_space(close + 3)
    if not source.masked.startswith("(", arguments):
        raise source.error(close, "'>>>' must be followed by the kernel's arguments in parentheses")
    end = source.matching_close(arguments)

    # The first call is never executed; it gives the compiler's plain messages about wrong arguments. The lambda makes
    # the real call: it needs no kernel address, so overloads and templates resolve. It is traced, so that code that is
    # inlined there is also traced.
    name = re.sub(r"\s+", " ", source.masked[kernel:kernel_end])
    pieces = _Replacement(source, on_own_lines=not source.in_define(start))
    pieces.glue("(false?").own(kernel, kernel_end).own(arguments, end)
    has_braces = any(argument.startswith("{") for argument in source.arguments(arguments))
    launch = "launch_with_types" if has_braces else "launch"
    pieces.glue(f":cuda_simulator::{launch}(cuda_simulator::LaunchConfiguration(")
    pieces.own(start + 3, close)
    pieces.glue(f"),{{CUDA_SIMULATOR_TEXT({name})")
    if has_braces:
        pieces.glue(f",cuda_simulator::address_of({name})}},").own(kernel, kernel_end).glue(")")
    elif _is_pointer(source, start, name):
        pieces.glue(f",cuda_simulator::address_of({name})}},cuda_simulator::call_of(").own(kernel, kernel_end).glue("))")
    else:
        pieces.glue("},[&](auto...cuda_simulator_arguments)__attribute__((noinline))->void{")
        pieces.own(kernel, kernel_end).glue("(cuda_simulator_arguments...);})")
    _arguments(source, arguments, end, pieces)
    pieces.glue(")")
    return kernel, end, pieces.finish(kernel, end)


def _arguments(source: Source, start: int, end: int, pieces: _Replacement) -> None:
    """Adds a launch's arguments from "(" to ")". NULL becomes nullptr, because the executed call deduces the type of
    each argument, and the type of NULL is an integer type.
    """
    begin = start
    for null in re.finditer(r"(?<=[(,])\s*(?P<null>NULL)\s*(?=[,)])", source.masked[start:end]):
        pieces.own(begin, start + null.start("null")).glue("nullptr")
        begin = start + null.end("null")
    pieces.own(begin, end)


def _require_kernel(source: Source, start: int, end: int) -> None:
    """Raises RewriteError for a function of this file that is not a kernel."""
    name = re.match(r"\w+", source.masked[start:end])
    if not name or not re.fullmatch(r"\w+\s*(?:<.*)?", source.masked[start:end], re.DOTALL):
        return
    declared = [
        re.split(r"[;{}]", source.masked[max(0, found.start() - _SPECIFIERS) : found.start()])[-1]
        for found in re.finditer(rf"\b{name.group()}\s*\(", source.masked)
    ]
    functions = [text for text in declared if re.search(r"\bvoid\s*\Z", text)]
    if "<" in source.masked[start:end]:  # a host function without template may have the name of a header's kernel
        functions = [text for text in functions if re.search(r"\btemplate\b", text)]
    if functions and not any("__global__" in text for text in functions):
        raise source.error(start, f"'{name.group()}' is not a kernel: only a __global__ void function can be launched")


def _is_pointer(source: Source, start: int, kernel: str, expanded: frozenset[str] = frozenset()) -> bool:
    """Returns whether the launched expression, up to `start`, is a pointer: a variable, a parameter, an element or a
    member. In a macro: whether it is one at the uses of the macro in the file. expanded: the macros expanded so far.
    """
    if re.fullmatch(r"\(\s*\w+\s*\)", kernel):
        kernel = kernel[1:-1].strip()
    define = _DEFINE.match(source.masked, source.directive_start(start)) if source.in_define(start) else None
    if define:
        uses = [] if define["name"] in expanded else _uses(source, define, kernel)
        return any(_is_pointer(source, use, named, expanded | {define["name"]}) for use, named in uses)
    if re.fullmatch(r"[A-Za-z_]\w*", kernel):
        function = source.masked[_open_braces(source, start)[1] : start]
        typed = rf"(?P<type>[\w>]+)(?:\s*[*&]+\s*|\s+){kernel}\s*[=,;:){{]"
        by_hand = rf"\(\s*\*\s*(?:const\s+)?{kernel}\s*\)\s*\(|\bauto\b[\s&]*\[[^\[\]]*\b{kernel}\b[^\[\]]*\]\s*[=:({{]"
        return re.search(by_hand, function) is not None or any(
            found["type"] not in _NO_TYPES for found in re.finditer(typed, function)
        )
    evaluated_twice = re.fullmatch(r"\(\*\w+\)|\w+(?:\[[\w +*/%-]+\]|(?:\.|->)\w+)+", kernel)
    return evaluated_twice is not None and "++" not in kernel and "--" not in kernel


def _uses(source: Source, define: re.Match[str], kernel: str) -> Iterator[tuple[int, str]]:
    """The places where a macro is used, and the text of its `kernel` there: an argument, if that is a parameter's name.
    """
    parameters = [one.strip() for one in (define["parameters"] or "").split(",")]
    for use in re.finditer(rf"\b{define['name']}\b", source.masked):
        if define.start() <= use.start() < define.end():
            continue
        if kernel not in parameters:
            yield use.start(), kernel
        elif source.masked.startswith("(", source.skip_space(use.end())):
            arguments = source.arguments(source.skip_space(use.end()))
            number = parameters.index(kernel)
            yield use.start(), arguments[number] if number < len(arguments) else ""


def _open_braces(source: Source, offset: int) -> tuple[int, int]:
    """The number of open braces at `offset`, not counting namespaces and extern "C"; the beginning of the outermost
    one.
    """
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


def _inside_function(source: Source, offset: int) -> bool:
    return _open_braces(source, offset)[0] > 0


def _local_arrays(source: Source) -> list[tuple[int, int, str]]:
    """A mark after each declaration of arrays that the tracer follows, one for each array."""
    marks: dict[int, str] = {}
    for array in local_arrays(source):
        flags = ",".join("true" if flag else "false" for flag in (array.by_thread, array.by_data, array.is_set))
        marks[array.declared] = marks.get(array.declared, "") + f"CUDA_SIMULATOR_LOCAL_ARRAY({array.name},{flags})"
    edits = []
    for offset, text in marks.items():
        rest = source.masked[offset:].split("\n", 1)[0]
        resumed = _Replacement(source, on_own_lines=True).resume(offset) if rest.strip() else ""
        edits.append((offset, offset, text + resumed))
    return edits


def _extern_shared(source: Source, declaration: re.Match[str]) -> tuple[int, int, str]:
    """An `extern __shared__ T name[];`: (from, to, replacement)."""
    start, end = declaration.span()
    pieces = _Replacement(source, on_own_lines=not source.in_define(start))
    inner = declaration.group("inner").strip()
    if _inside_function(source, start):
        _type(source, declaration, pieces).glue("(*const " if inner else "*const ")
        pieces.own(*declaration.span("name")).glue(f"){inner}" if inner else "")
        pieces.glue("=cuda_simulator::DynamicSharedMemory();")
    else:
        _type(source, declaration, pieces.glue("extern __thread "))
        pieces.own(*declaration.span("name"))
        pieces.glue(f'[]{inner} __asm__("cuda_simulator_dynamic_shared");')
    return start, end, pieces.finish(start, end)


def _type(source: Source, declaration: re.Match[str], pieces: _Replacement) -> _Replacement:
    """Adds the array's type; __shared__ can be behind it."""
    begin, end = declaration.span("type")
    for shared in _SHARED.finditer(source.masked, begin, end):
        pieces.own(begin, shared.start())
        begin = shared.end()
    return pieces.own(begin, end)
