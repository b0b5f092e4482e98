"""__CUDA_ARCH__: nvcc compiles a file twice, for the host without this macro and for the GPU with it; g++ compiles once.

In a __global__ or __device__ function the macro has the value for the simulated GPU. In a __host__ __device__ function
the choice is made at run time, between whole statements. Outside functions both passes must agree, except on __device__
functions, which the host does not call, and on macros with the value of a number, for which the choice is made where
they are used. If they do not, or if the choice cannot be made, the build stops at that line. So no code is dropped
silently.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from cuda_source import Source

ARCHITECTURE = "900"
_MACRO = "__CUDA_ARCH__"
_MENTION = re.compile(rf"\b{_MACRO}\b")
_DEFINED = re.compile(rf"\bdefined\s*(?:\(\s*{_MACRO}\s*\)|{_MACRO}\b)")
_TOKEN = re.compile(r"^[ \t]*#[ \t]*(?P<name>\w+)(?P<rest>(?:\\\n|[^\n])*)|[{};]", re.MULTILINE)
_TYPE = re.compile(
    r"\b(?:class|struct|union|enum)\b(?!.*\)\s*(?:const|noexcept|override|final|->[^()]*)?\s*\Z)", re.DOTALL
)
_NAMESPACE = re.compile(r"\bnamespace\b[^()=]*\Z|\bextern\s*\Z")
_KEYWORD = re.compile(
    r"(?:if|for|while|do|switch|return|else|goto|break|continue|throw|delete|asm|case|default|static_assert)\b|[{}#]"
)
_DECLARED = re.compile(r"(?:[A-Za-z_][\w:]*(?:\s*<[^;()]*>)?[\s*&]+)+(?P<name>[A-Za-z_]\w*)\s*(?:[=,\[({]|\Z)")
_OTHER_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?!if|elif|else|endif|pragma)\w", re.MULTILINE)
_NUMBER_MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+\(?[ \t]*[-+]?\d[\w.' \t+*/()-]*")
_IN_A_MACRO = "CUDA_ARCH_in_a_macro_is_not_simulated() "  # a compiler error wherever it is used

_OUTSIDE = (
    "__CUDA_ARCH__ makes this code different for the host and for the GPU, but the simulator compiles a file once. Move "
    "this #if into the body of a __global__ or __device__ function, or keep only the code for compute capability 9.0"
)
_BOTH = (
    "__CUDA_ARCH__ makes this code different for the host and for the GPU. In a __host__ __device__ function the "
    "simulator can choose only between whole statements, without declarations that are used below. Change the #if "
    "accordingly, or write two functions, one __host__ and one __device__"
)
_UNKNOWN = (
    "__CUDA_ARCH__ makes this code different for the host and for the GPU, but the simulator cannot find out for which "
    "of them this function is. Write __device__ or __host__ __device__ before it, instead of a macro"
)


class _Where(Enum):
    OUTSIDE = _OUTSIDE  # outside functions
    HOST = ""
    DEVICE = " "
    BOTH = _BOTH
    UNKNOWN = _UNKNOWN


@dataclass(frozen=True)
class _Conditional:
    """The text from an #if to its #endif; the directives that begin a group, and the #endif."""

    directives: tuple[re.Match[str], ...]

    @property
    def begin(self) -> int:
        return self.directives[0].start()

    @property
    def end(self) -> int:
        return self.directives[-1].end()

    def conditions(self) -> list[str]:
        """The conditions of the groups, in the form of #if."""
        forms = {"ifdef": "defined {}", "ifndef": "!defined {}"}
        return [
            forms.get(d["name"], "{}").format(re.sub(r"\\\n", " ", d["rest"]).strip())
            for d in self.directives
            if d["name"] not in ("else", "endif")
        ]

    def mentions(self) -> bool:
        return any(_MENTION.search(condition) for condition in self.conditions())


def mentions_architecture(source: Source) -> bool:
    return _MENTION.search(source.masked) is not None


def architecture_edits(source: Source, line_directive: Callable[[int], str]) -> list[tuple[int, int, str]]:
    """(from, to, replacement) for each use of __CUDA_ARCH__; line_directive returns the directive for a line.

    Raises RewriteError for a choice that cannot be made.
    """
    if not mentions_architecture(source):
        return []
    places = _Places(source)
    edits: list[tuple[int, int, str]] = []
    done = 0
    for conditional in sorted(places.conditionals, key=lambda each: each.begin):
        where = places.at(conditional.begin)
        if not conditional.mentions() or conditional.begin < done or where in (_Where.HOST, _Where.DEVICE):
            continue
        if where is _Where.OUTSIDE and _only_includes(source, conditional):
            continue
        if where is _Where.OUTSIDE and _only_device_functions(source, conditional):
            spans = [directive.span() for directive in conditional.directives]
            edits += [(begin, end, _for_device(source.text[begin:end])) for begin, end in spans]
            continue
        names = _number_macros(source, conditional) if where is _Where.OUTSIDE else []
        if names:
            edits.append(_numbers_of_both(source, conditional, names, line_directive))
            done = conditional.end
            continue
        message = where.value
        if where is _Where.BOTH and _are_statements(source, conditional):
            edits.append(_chosen_at_run_time(source, conditional, line_directive))
            done = conditional.end
            continue
        line = source.line(conditional.begin)
        check = f"#if {_differs(conditional)}\n{line_directive(line)}#error {message}\n#endif\n"
        edits.append((conditional.begin, conditional.begin, f"{check}{line_directive(line)}"))
    for mention in _MENTION.finditer(source.masked):
        if not any(begin <= mention.start() < end for begin, end, _ in edits):
            edits += _in_device_code(source, places, mention)
    return edits


def _in_device_code(source: Source, places: _Places, mention: re.Match[str]) -> list[tuple[int, int, str]]:
    directive = places.directive_at(mention.start())
    if directive and directive["name"] == "define":
        _require_unused(source, places, directive)
        return [(*mention.span(), _IN_A_MACRO)]
    if places.at(mention.start()) is not _Where.DEVICE:
        return []
    if directive is None:
        return [(*mention.span(), ARCHITECTURE.ljust(len(_MACRO)))]
    return [(directive.start(), directive.end(), _for_device(source.text[directive.start() : directive.end()]))]


def _require_unused(source: Source, places: _Places, definition: re.Match[str]) -> None:
    name = re.match(r"\s*(\w+)", definition["rest"])
    for use in re.finditer(rf"\b{name.group(1)}\b", source.masked) if name else ():
        is_directive = places.directive_at(use.start()) is not None
        if definition.start() <= use.start() < definition.end() or places.at(use.start()) is _Where.HOST:
            continue
        if is_directive or places.at(use.start()) is not _Where.OUTSIDE:
            message = f"the macro '{use.group()}' contains __CUDA_ARCH__, which the simulator does not support"
            raise source.error(use.start(), f"{message}. Write __CUDA_ARCH__ itself here")


def _for_device(text: str) -> str:
    """Directives and the code between them, as if the macro were defined. Columns stay."""

    def padded(new: str, old: re.Match[str]) -> str:
        return new.ljust(len(old.group()))

    text = re.sub(rf"#([ \t]*)ifdef([ \t]+){_MACRO}\b", lambda m: padded(f"#{m[1]}if{m[2]}1", m), text)
    text = re.sub(rf"#([ \t]*)ifndef([ \t]+){_MACRO}\b", lambda m: padded(f"#{m[1]}if{m[2]}0", m), text)
    text = _DEFINED.sub(lambda m: padded("1", m), text)
    return _MENTION.sub(lambda m: padded(ARCHITECTURE, m), text)


def _differs(conditional: _Conditional) -> str:
    """A condition for #if that is true if the two passes take different groups."""
    pairs = []
    for condition in filter(_MENTION.search, conditional.conditions()):
        on_host = _MENTION.sub("0", _DEFINED.sub("0", condition))
        pairs.append(f"!({_for_device(condition)}) != !({on_host})")
    return " || ".join(f"({pair})" for pair in pairs)


def _groups(source: Source, conditional: _Conditional) -> list[str]:
    bounds = zip(conditional.directives, conditional.directives[1:])
    return [source.masked[first.end() : second.start()] for first, second in bounds]


def _only_includes(source: Source, conditional: _Conditional) -> bool:
    lines = "\n".join(_groups(source, conditional)).splitlines()
    return all(re.match(r"\s*(?:#\s*(?:include|pragma)\b|\Z)", line) for line in lines)


def _only_device_functions(source: Source, conditional: _Conditional) -> bool:
    """Returns whether the groups have only __device__ functions, which host code cannot call."""
    heads: list[str] = []
    for group in _groups(source, conditional):
        if _OTHER_DIRECTIVE.search(group):
            return False
        code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", group, flags=re.MULTILINE)
        depth = 0
        for token in re.finditer(r"[{};]|[^{};]+", code):
            if depth == 0 and token.group() not in (*"{};", "") and token.group().strip():
                heads.append(token.group())
            depth += (token.group() == "{") - (token.group() == "}")
    return bool(heads) and all(_is_device_function(head) for head in heads)


def _number_macros(source: Source, conditional: _Conditional) -> list[str]:
    """The macros of an #if with #else whose groups define the same macros as numbers, and nothing else."""
    names: list[list[str]] = []
    for group in _groups(source, conditional):
        lines = [line.rstrip() for line in group.splitlines() if line.strip()]
        macros = [_NUMBER_MACRO.fullmatch(line) for line in lines]
        names.append(sorted(macro["name"] for macro in macros if macro) if all(macros) else [])
    has_else = any(directive["name"] == "else" for directive in conditional.directives)
    return names[0] if has_else and all(each == names[0] for each in names) else []


def _numbers_of_both(
    source: Source, conditional: _Conditional, names: list[str], line_directive: Callable[[int], str]
) -> tuple[int, int, str]:
    text = source.text[conditional.begin : conditional.end]
    here = line_directive(source.line(conditional.begin))
    own = re.compile(rf"(#[ \t]*define[ \t]+(?:{'|'.join(names)}))\b")
    on_device, on_host = own.sub(r"\1_on_device", _for_device(text)), own.sub(r"\1_on_host", text)
    choices = "".join(
        f"#define {name} (cuda_simulator::in_device_code() ? ({name}_on_device) : ({name}_on_host))\n" for name in names
    )
    return (
        conditional.begin,
        conditional.end,
        f"#if {_differs(conditional)}\n{here}{on_device}\n{here}{on_host}\n{choices}#else\n{here}{text}\n#endif\n"
        f"{line_directive(source.line(conditional.end))}",
    )


def _is_device_function(head: str) -> bool:
    return "__device__" in head and "(" in head and not re.search(r"__(?:host|global|constant|managed)__|=", head)


def _are_statements(source: Source, conditional: _Conditional) -> bool:
    """Returns whether each group consists of whole statements, without declarations that are used after the #endif."""
    before = source.masked[: conditional.begin]
    before = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", before, flags=re.MULTILINE).rstrip()
    if before[-1:] not in (";", "{", "}"):
        return False
    behind = _rest_of_scope(source.masked, conditional.end)
    for group in _groups(source, conditional):
        code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", group, flags=re.MULTILINE).strip()
        if code and (code[-1] not in ";}" or _rest_of_scope(code, 0) != code or code.count("{") != code.count("}")):
            return False
        if "<<<" in code or re.search(r"\bextern\b", code):
            return False
        if any(re.search(rf"\b{name}\b", behind) for name in _declared(code)):
            return False
    return True


def _declared(code: str) -> list[str]:
    names, depth, begin = [], 0, 0
    for offset, c in enumerate(code):
        depth += (c in "({[") - (c in ")}]")
        if depth == 0 and c in ";}":
            statement = code[begin:offset].strip()
            match = None if _KEYWORD.match(statement) else _DECLARED.match(statement)
            names += [match["name"]] if match else []
            begin = offset + 1
    return names


def _rest_of_scope(text: str, begin: int) -> str:
    depth = 0
    for offset in range(begin, len(text)):
        depth += (text[offset] == "{") - (text[offset] == "}")
        if depth < 0:
            return text[begin:offset]
    return text[begin:]


def _chosen_at_run_time(
    source: Source, conditional: _Conditional, line_directive: Callable[[int], str]
) -> tuple[int, int, str]:
    text = source.text[conditional.begin : conditional.end]
    here = line_directive(source.line(conditional.begin))
    return (
        conditional.begin,
        conditional.end,
        f"#if {_differs(conditional)}\nif (cuda_simulator::in_device_code()) {{\n{here}{_for_device(text)}\n"
        f"}} else {{\n{here}{text}\n}}\n#else\n{here}{text}\n#endif\n"
        f"{line_directive(source.line(conditional.end))}",
    )


class _Places:
    """The functions of a file, to find the one that contains an offset, and the file's directives."""

    def __init__(self, source: Source) -> None:
        self.conditionals: list[_Conditional] = []
        self._directives: list[re.Match[str]] = []
        self._offsets, self._where = [0], [_Where.OUTSIDE]
        self._qualifiers = _qualifying_macros(source.masked)
        self._scan(source.masked)

    def at(self, offset: int) -> _Where:
        return self._where[bisect_right(self._offsets, offset) - 1]

    def directive_at(self, offset: int) -> re.Match[str] | None:
        return next((each for each in self._directives if each.start() <= offset < each.end()), None)

    def _scan(self, masked: str) -> None:
        scopes: list[_Where | None] = []  # None for a namespace or a type
        head = 0
        opened: list[tuple[list[re.Match[str]], list[_Where | None], int]] = []
        for token in _TOKEN.finditer(masked):
            name = token["name"]
            if name:
                self._directives.append(token)
                if name in ("if", "ifdef", "ifndef"):
                    opened.append(([token], list(scopes), head))
                elif name in ("elif", "else") and opened:
                    opened[-1][0].append(token)
                    # A new group: starts in the state before the first group
                    scopes, head = list(opened[-1][1]), opened[-1][2]
                elif name == "endif" and opened:
                    self.conditionals.append(_Conditional((*opened.pop()[0], token)))
            elif token.group() == "{":
                scopes.append(self._scope(masked[head : token.start()], scopes))
            elif token.group() == "}" and scopes:
                scopes.pop()
            if not name:
                head = token.end()
            self._offsets.append(token.end())
            self._where.append(next((s for s in reversed(scopes) if s), _Where.OUTSIDE))

    def _scope(self, head: str, outer: list[_Where | None]) -> _Where | None:
        head = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", head, flags=re.MULTILINE)
        words = set(re.findall(r"\w+", head))
        words |= {qualifier for word in words for qualifier in self._qualifiers.get(word, ())}
        if words & {"__device__", "__global__"}:
            if not _TYPE.search(head):
                return _Where.BOTH if "__host__" in words else _Where.DEVICE
        enclosing = next((scope for scope in reversed(outer) if scope), None)
        if enclosing:
            return enclosing
        if _NAMESPACE.search(head) or _TYPE.search(head):
            return None
        macros = re.findall(r"\b[A-Z][A-Z0-9_]{1,}\b(?!\s*\()", head[: head.find("(") + 1].rsplit(">", 1)[-1])
        return _Where.UNKNOWN if macros else _Where.HOST


def _qualifying_macros(masked: str) -> dict[str, list[str]]:
    """Macros of this file that expand to __host__, __device__ or both."""
    found = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*)", masked, re.MULTILINE)
    qualifiers: dict[str, list[str]] = {}
    for name, text in found:
        words = re.findall(r"\b__(?:host|device|global)__\b", text)
        if words:
            qualifiers.setdefault(name, []).extend(words)
    return qualifiers
