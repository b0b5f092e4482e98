"""The cause of a compiler's error in plain words, where g++ reports only a consequence of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cli.building.source_text import Function, code_of, functions_in

_UNDECLARED = re.compile(
    r"'(?:std::)?(?P<name>\w+)' "
    r"(?:was not declared|does not name a type|has not been declared|is not a member of 'std')"
    r"|there are no arguments to '(?P<called>\w+)' that depend on a template parameter"
)
_NEEDS_HEADER = re.compile(r"'(?:std::)?(?P<name>\w+)' is defined in header '(?P<header><\w+>)'")
_OF_THE_HOST = ("cout", "cerr", "clog", "cin", "endl", "string", "vector", "to_string")
# CUDA removed these functions; the ones that replace them take a mask of lanes first.
_REMOVED = {
    **{f"__shfl{kind}": f"__shfl{kind}_sync(0xffffffff, ...)" for kind in ("", "_up", "_down", "_xor")},
    **{f"__{kind}": f"__{kind}_sync(0xffffffff, ...)" for kind in ("any", "all", "ballot")},
    "cudaThreadSynchronize": "cudaDeviceSynchronize()",
}
# g++ has the address of an element in a message, as '*(in + ((sizetype)i * 4))'.
_ELEMENT = re.compile(r"'\*\(+(?:\([^()\n]*\))?(?P<name>\w+) \+ [^'\n]*'")
_READ_ONLY = re.compile(r"of read-only (?P<kind>\w+) '\*? ?(?P<name>\w+)(?P<is_element>\[)?")
_LOST_STAR = r"\b(?P<type>\w+)\s*\*\s*(?P<first>\w+)\s*(?:=[^,;()]*)?,\s*{}\s*[=;,]"
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_EXPECTS_POINTER = re.compile(
    r"invalid conversion from '(?:long |unsigned )*int' to '[^']*\*'|invalid type argument of unary '\*'"
    r"|invalid types '[\w ]+\[[^']*\]' for array subscript|no matching function for call to 'cuda\w+\("
    r"|cannot convert '(?:float|double|char)' to '[^']*\*'|cannot convert 'std::nullptr_t' to '"
)
_BLOCK_SIZE = re.compile(r"\w*threads\w*|block_?(?:size|dim)?", re.IGNORECASE)
_BLOCK_COUNT = re.compile(r"\w*blocks|grid_?(?:size|dim)?", re.IGNORECASE)
_LAUNCH_MARKS = r"\b{}\s*<<?(?![<=])"
_COMPARES_KERNEL = re.compile(r"to binary 'operator<<?'|forbids comparison between pointer and integer")

# Errors whose cause follows from the message alone: patterns, and the sentences.
_CAUSES = (
    (
        r"\b(?:uint3|dim3)\b",
        "threadIdx, blockIdx, blockDim, gridDim and any dim3 have three parts, .x, .y and .z: write threadIdx.x and so "
        "on.",
    ),
    (
        r"invalid operands of types '[^']*\*[^']*' and '[^']*\*[^']*' to binary 'operator",
        "These are addresses of arrays. One element of an array is x[i].",
    ),
    (
        r"invalid operands of types .*\w\*'.* to binary 'operator|invalid conversion from '[^']*\*' to '[\w ]+'",
        "The address of an array is used as a number here. One element of an array is x[i].",
    ),
    (
        r"invalid operands of types .* to binary 'operator%'",
        "% needs two integers. The remainder of two floats is fmodf(a, b).",
    ),
    (
        r"invalid types '[^']*\*\[(?:const )?(?:float|double)&?\]'",
        "An index must be an integer.",
    ),
    (
        r"invalid conversion from 'const (\w+)\*' to '\1\*'",
        "A const array is passed here as an array to write. Are the arguments in the right order?",
    ),
    (
        r"invalid conversion from '(?:long )?int' to '[^']*\*'",
        "A pointer is expected here, not a number. For a null pointer write nullptr, not 0.",
    ),
    (
        r"no matching function for call to 'cudaMalloc(?:Managed|Host)?\(",
        "cudaMalloc sets the pointer, so pass it the address of the pointer: cudaMalloc(&pointer, bytes).",
    ),
    (
        r"no matching function for call to '(atomic\w+)\([^,*]*,",
        "The first argument of {0} is an address, not a value: {0}(&x[i], ...), or {0}(p, ...) with a pointer p.",
    ),
    (
        r"no matching function for call to '(atomic\w+)\([\w ]+\(\*\)\[",
        "The first argument of {0} is the address of one element: {0}(&x[i], ...).",
    ),
    (
        r" to 'std::common_type_t<[^']*\*>'",
        "The first argument of an atomic function is an address. A pointer is one already: atomicAdd(sum, value), without "
        "&.",
    ),
    (
        r"cannot convert 'cudaError_t \(\*\)\(",
        "A function is named here but not called: write ( ) after the name, as in cudaGetLastError().",
    ),
    (
        "static variable '.*' does not have a constant initializer",
        "In device code, the first value of a static variable must be known at compile time. Remove 'static' for a "
        "value per thread.",
    ),
    (
        "casts away qualifiers",
        "This call writes the array, but the array is const.",
    ),
    (
        r"call of overloaded '(min|max)\(",
        "The arguments of {0} have different types: convert one of them with static_cast.",
    ),
    (
        r"expected (?:',' or )?';' before 'throw_if_failed'",
        "'throw_if_failed' is the start of CUDA_CHECK: a ; is missing before it.",
    ),
    (
        r"invalid conversion from 'cudaStream_t'.* to '(?:std::)?size_t'",
        "The third number is the bytes of shared memory; the stream is fourth: <<<blocks, threads, 0, stream>>>.",
    ),
    (
        r"default argument given for parameter \d+ of '",
        "The header has this default value already. The definition must not repeat it: remove the '= ...' here.",
    ),
    (
        r"was declared 'extern' and later 'static'",
        "The program calls this function from another file. Remove 'static' here.",
    ),
    (
        "invalid use of void expression|void value not ignored",
        "This expression has no value. A launch has none either: call cudaGetLastError() in the next line.",
    ),
)


def readable(output: str) -> str:
    """The output with x[...] for an element, instead of the computation of its address, and without the rewriter's mark
    of static variables.
    """
    return _ELEMENT.sub(r"'\g<name>[...]'", output).replace("'constinit' variable", "static variable")


def cause_in_words(message: str) -> str:
    """What a message means, as far as it follows from the message alone."""
    for pattern, words in _CAUSES:
        match = re.search(pattern, message)
        if match:
            return words.format(*match.groups())
    return ""


def line_without_body(linkers_name: str, text: str) -> int | None:
    """The line of a file that declares a function which the linker does not find; None if the file does not."""
    name = linkers_name.partition("(")[0].rpartition("::")[2]
    code = code_of(text)
    for function in functions_in(code):
        code = code.replace(function.body, "\n" * function.body.count("\n"), 1)
    declared = re.search(rf"(?:^|[;{{}}])[^;{{}}#]*[\s*&]{re.escape(name)}\s*\([^;{{}}]*\)\s*;", code, re.MULTILINE)
    return code.count("\n", 0, declared.end()) + 1 if declared else None


@dataclass(frozen=True)
class ErrorSite:
    """An error, the text of the learner's file, and the line with the error. notes: the compiler's whole output."""

    message: str
    text: str
    line: int
    notes: str
    header_folders: tuple[Path, ...] = ()
    root: Path = Path()

    def cause(self) -> str:
        """One or two sentences; empty if the message is clear, or if its cause is not known."""
        undeclared = _UNDECLARED.search(self.message)
        if undeclared:
            return self._about_undeclared(undeclared["name"] or undeclared["called"])
        own = self._about_launch_marks() or self._about_const() or self._about_pointers()
        return own or cause_in_words(self.message)

    @property
    def _code(self) -> str:
        return code_of(self.text)

    @property
    def _source_line(self) -> str:
        lines = self._code.splitlines()
        return lines[self.line - 1] if 1 <= self.line <= len(lines) else ""

    def _about_undeclared(self, name: str) -> str:
        functions = list(functions_in(self._code))
        here = next((one for one in functions if one.first_line <= self.line <= one.last_line), None)
        if name in _REMOVED:
            return f"CUDA does not have {name} any more: write {_REMOVED[name]}."
        if here and here.is_device and name in _OF_THE_HOST:
            return _host_only(name)
        needed = next((match for match in _NEEDS_HEADER.finditer(self.notes) if match["name"] == name), None)
        if needed:
            return f"Write #include {needed['header']} at the top of the file."
        elsewhere = self._about_place(name, here, functions)
        header = "" if elsewhere else self._header_of(name)
        if header:
            return f"'{name}' is in a header of the workbook: write #include \"{header}\" at the top of the file."
        if not elsewhere and not here and re.match(rf"\s*{name}\s*[\[=(+-]", self._source_line):
            return "This line is outside of all functions. Is there a } too many above it?"
        return elsewhere

    def _about_place(self, name: str, here: Function | None, functions: list[Function]) -> str:
        """Where else in the file the name is declared."""
        for function in functions:
            if function.name == name and function.first_line > self.line:
                at = function.first_line
                return f"'{name}' is defined below, in line {at}. Move it above the function that uses it."
        own_line = here.line_of(name) if here else None
        if here and own_line:
            if own_line > self.line:
                return f"'{name}' is declared below, in line {own_line}. Declare it before this line."
            first = f"The '{name}' of line {own_line} exists only in its own block {{ }} or loop."
            return f"{first} Declare it before that block."
        for function in functions:
            if here and function.line_of(name):
                return self._about_another(name, here, function)
        return ""

    def _about_another(self, name: str, here: Function, other: Function) -> str:
        what = "parameter" if name in other.parameter_names() else "variable"
        if not here.is_device or other.is_device:
            return f"'{name}' is a {what} of {other.name}(). Another function does not have it: pass it as an argument."
        names = ", ".join(here.parameter_names()) or "none"
        whose = "The kernel" if here.is_kernel else "Device code"
        first = f"'{name}' is a {what} of {other.name}(), which is host code."
        first += f" {whose} has only its own parameters ({names})."
        for built_in, in_launch, usual in (
            ("the number of threads per block is blockDim.x", rf"<<<[^;]*,\s*{name}\s*(?:,[^;]*)?>>>", _BLOCK_SIZE),
            ("the number of blocks is gridDim.x", rf"<<<\s*{name}\s*,", _BLOCK_COUNT),
        ):
            if usual.fullmatch(name) or re.search(in_launch, self._code):
                return f"{first} In device code, {built_in}."
        return f"{first} Pass it as an argument of the launch."

    def _header_of(self, name: str) -> str:
        """The workbook's header that declares a name, as an #include names it; empty if there is none."""
        is_called = re.search(rf"\b{name}\s*[(<]", self._source_line)
        declared = re.compile(
            rf"^[ \t]*#[ \t]*define[ \t]+{name}\b|^(?:class|struct|enum class|enum|using)\s+{name}\b(?!;)"
            + (rf"|^[A-Za-z_][^;{{}}()=#\n]*[\s*&]{name}\(" if is_called else ""),
            re.MULTILINE,
        )
        for folder in self.header_folders:
            for header in sorted(folder.glob("*.h")):
                is_shared = folder.is_relative_to(self.root / "common")
                shown = str(header.relative_to(self.root)) if is_shared else header.name
                is_included = re.search(rf'^[ \t]*#[ \t]*include[ \t]*"{shown}"', self.text, re.MULTILINE)
                if not is_included and declared.search(header.read_text(encoding="utf-8", errors="replace")):
                    return shown
        return ""

    def _about_launch_marks(self) -> str:
        if not _COMPARES_KERNEL.search(self.message):
            return ""
        kernels = [function.name for function in functions_in(self._code) if function.is_kernel]
        kernels += re.findall(r"__global__[^;{}()]*\b(\w+)\s*\(", self._code)  # also one without a body
        for kernel in kernels:
            if re.search(_LAUNCH_MARKS.format(re.escape(kernel)), self._source_line):
                return f"A launch has three < and three >: {kernel}<<<blocks, threads>>>(...)."
        return ""

    def _about_const(self) -> str:
        found = _READ_ONLY.search(self.message)
        if not found:
            return ""
        if found["is_element"] or found["kind"] == "location":
            first = f"'{found['name']}' is declared const, so its elements can only be read."
            return f"{first} Which array is the result?"
        return f"'{found['name']}' is declared const, so its value cannot change."

    def _about_pointers(self) -> str:
        return (self._about_lost_star() or self._about_subscript()) if _EXPECTS_POINTER.search(self.message) else ""

    def _about_lost_star(self) -> str:
        for name in _NAME.findall(self._source_line):
            star = re.search(_LOST_STAR.format(name), self._code)
            if star and name != star["first"]:
                kind, first = star["type"], star["first"]
                return (
                    f"'{name}' is {_article(kind)}, not a pointer: in '{kind}* {first}, {name}' the * belongs to {first} "
                    f"alone. Write {kind} *{first}, *{name};"
                )
        number = re.search(r"'cudaMalloc\w*\((?P<type>\w[\w ]*)\*, ", self.message)
        address = re.search(r"\bcudaMalloc\w*\(\s*&\s*(\w+)\s*,", self._source_line)
        if number and address:
            kind, name = number["type"], address[1]
            first = f"'{name}' is {_article(kind)}, not a pointer."
            return f"{first} cudaMalloc sets a pointer: declare {kind}* {name}."
        return ""

    def _about_subscript(self) -> str:
        assigned = re.match(r"\s*(\w+)\s*=[^=(]*\Z", self._source_line)
        if assigned and "invalid conversion" in self.message:
            return f"'{assigned[1]}' is the address of an array. One element of the array is {assigned[1]}[i]."
        if not re.search(r"invalid types '[\w ]+\[", self.message):
            return ""
        if not re.search(r"\]\s*\[", self._source_line):
            return "The name in front of [ ] is a number, not an array."
        return "A pointer takes one index. In a matrix stored row by row, element (row, col) is [row * cols + col]."


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" and not kind.startswith("uni") else f"a {kind}"


def _host_only(name: str) -> str:
    if name in ("cout", "cerr", "clog", "endl"):
        return (
            f"std::{name} works only on the host, and this is device code. A kernel prints with printf: "
            'printf("%d %g\\n", i, z[i]), with #include <cstdio>.'
        )
    return f"std::{name} works only on the host, and this is device code."
