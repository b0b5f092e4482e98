"""Warnings about arithmetic in device code that small tests do not reveal: indices of 32 bits that overflow in large
arrays, and double precision among floats.

Usage: arithmetic.py FILE.cu...    prints one line per warning, like a compiler: FILE:LINE:COLUMN: warning: ...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cuda_source import RewriteError, Source, read
from device_functions import DeviceFunction, device_functions

_DECLARED = re.compile(
    r"""(?P<type>\b(?!const\b|return\b)(?:std\s*::\s*)?[A-Za-z_]\w*)(?:\s+const\b)?(?:\s+int\b)?(?:\s*(?P<pointer>\*)|\s)\s*
        (?:const\s+|__restrict__\s+|restrict\s+)*(?P<name>[A-Za-z_]\w*)\s*(?=[=,;)\[{]|\Z)""",
    re.VERBOSE,
)
_SEVERAL = re.compile(r"\b(?P<type>int|unsigned|float|double)\s+\w(?P<others>[^;{}()]*,[^;{}]*);")
_INTS = frozenset(("int", "unsigned", "uint32_t", "int32_t", "std::uint32_t", "std::int32_t"))
_WIDE = frozenset(("size_t", "std::size_t", "uint64_t", "int64_t", "std::uint64_t", "std::int64_t"))
# A variable of 32 bits, and a value without calls and casts.
_NARROW = re.compile(r"\b(?:int|unsigned)\s+(?P<name>\w+)\s*=(?P<value>[\w\s.()+*-]+)[;,]")
_CALL = re.compile(r"\w\s*\(")
_PRODUCT = re.compile(r"(?<![\w.>])(?P<left>[A-Za-z_]\w*)\s*\*\s*(?P<right>[A-Za-z_]\w*)\b(?!\s*[.(\[]|\s*->|\s*::)")
_WIDENED = re.compile(r"[*/)}]\s*\Z")  # before a product: another factor or a cast, which may be wider
# A named integer, written with numbers, and everything that may change a variable.
_CONSTANT = re.compile(
    r"(?:#[ \t]*define[ \t]+|\b(?:int|unsigned|size_t)\s+)(?P<name>\w+)[ \t=({]+"
    r"(?P<value>\d{1,9}(?:[ \t]*(?:\*[ \t]*\d{1,9}|<<[ \t]*\d{1,2}))*)[ \t]*[;)},\n]"
)
_CHANGES = r"(?:(?:\+\+|--|&|>>)\s*{0}\b|\b{0}\s*(?:\+\+|--|(?:[-+*/%&|]|<<|>>)?=(?!=)))"
_DOUBLE = r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])"
_DOUBLE_ARITHMETIC = re.compile(rf"(?P<number>{_DOUBLE})\s*[-+*/]|[-+*/]\s*(?P<behind>{_DOUBLE})")
# The target of a statement's result: a variable or an element, or the function's return value.
_RESULT = re.compile(
    r"""(?:\b(?P<name>[A-Za-z_]\w*)\s*(?:\[[^=]*\]\s*)*(?P<operator>[-+*/])?=(?!=)|\b(?P<returned>return)\b)
        (?P<value>.*)\Z""",
    re.DOTALL | re.VERBOSE,
)


class _Warning(NamedTuple):
    offset: int
    text: str


def warnings(source: Source) -> list[str]:
    """The warnings in the order of the text, each once."""
    found = set()
    for function in device_functions(source):
        types = _types(function)
        if not _is_small(source, function, types):
            found.update(_int_products(function, types))
            found.update(_narrow_indices(function, types))
        found.update(_doubles(function, types))
    shown = []
    for warning in sorted(found):
        at = f"{source.name}:{source.line(warning.offset)}:{source.column(warning.offset) + 1}"
        shown.append(f"{at}: warning: {warning.text}")
    return shown


def _types(function: DeviceFunction) -> dict[str, str]:
    """The types of the parameters and variables: "int", "float*"."""
    types = {}
    for text in (function.parameters, function.body):
        for declared in _DECLARED.finditer(text):
            type_ = re.sub(r"\s", "", declared["type"]) + (declared["pointer"] or "")
            types.setdefault(declared["name"], type_)  # a product looks like a declaration, but comes later
        for several in _SEVERAL.finditer(text):
            for name in re.findall(r",\s*(\w+)\s*=", several["others"]):
                types.setdefault(name, several["type"])
    return types


def _is_small(source: Source, function: DeviceFunction, types: dict[str, str]) -> bool:
    """Whether the file launches the kernel only with extents that it states, whose products are below 2^31."""
    parameters = [(re.findall(r"\w+", text) or [""])[-1] for text in function.parameters.split(",")]
    extents = [i for i, name in enumerate(parameters) if types.get(name) in _INTS | _WIDE]
    launches = re.finditer(rf"\b{function.name}\b[^;{{}}()]*<<<[^;]*?>>>\s*(?=\()", source.masked)
    values = []
    for launch in launches if function.is_kernel else ():
        arguments = source.arguments(launch.end())
        values += [_value(source, arguments[i]) if i < len(arguments) else None for i in extents]
    return bool(values) and all(value is not None and value * value < 2**31 for value in values)


def _value(source: Source, text: str) -> int | None:
    """The value of a number, or of a constant or a variable that has one value in the whole file."""
    if text.isdigit():
        return int(text)
    if not text.isidentifier() or len(re.findall(_CHANGES.format(text), source.masked)) > 1:
        return None
    found = [match["value"] for match in _CONSTANT.finditer(source.masked) if match["name"] == text]
    if len(found) != 1:
        return None
    value = 1
    for operator, number in re.findall(r"(<<|\*|\A)\s*(\d+)", found[0]):
        value = value << int(number) if operator == "<<" else value * int(number)
    return value


def _int_products(function: DeviceFunction, types: dict[str, str]) -> Iterator[_Warning]:
    """Products of an extent (a parameter) and another int, in an index or in a variable that is used as an index."""
    extents, indices = _extents(function, types, _INTS), _indices(function, types)
    for match in _PRODUCT.finditer(function.body):
        names = (match["left"], match["right"])
        front = re.split(r"[;{}]", function.body[: match.start()])[-1]
        if extents.isdisjoint(names) or not all(types.get(name) in _INTS for name in names) or _WIDENED.search(front):
            continue
        variable = re.search(r"\b(\w+)\s*=(?!=)[^\[]*\Z", front)
        index = rf"\b{variable[1]}\b" if variable else re.escape(match.group())
        if re.search(index, indices):
            yield _Warning(
                function.span[0] + match.start(),
                f"{match.group()} is a product of 32-bit integers. It overflows if the array has 2^31 elements or "
                "more. Make one of the factors a std::size_t.",
            )


def _narrow_indices(function: DeviceFunction, types: dict[str, str]) -> Iterator[_Warning]:
    """Variables of 32 bits that get a product with an extent (a parameter) of 64 bits, and that are used as an index."""
    extents, indices = _extents(function, types, _WIDE), _indices(function, types)
    products = re.compile(rf"\*\s*(?:{'|'.join(extents)})\b|\b(?:{'|'.join(extents)})\s*\*")
    for match in _NARROW.finditer(function.body) if extents else ():
        name, value = match["name"], match["value"]
        if products.search(value) and not _CALL.search(value) and re.search(rf"\b{name}\b", indices):
            yield _Warning(
                function.span[0] + match.start("name"),
                f"{name} is a 32-bit integer, but {value.strip()} has 64 bits. It overflows if the array has 2^31 "
                f"elements or more. Make {name} a std::size_t.",
            )


def _extents(function: DeviceFunction, types: dict[str, str], of_types: frozenset[str]) -> set[str]:
    return {name for name in re.findall(r"\w+", function.parameters) if types.get(name) in of_types}


def _indices(function: DeviceFunction, types: dict[str, str]) -> str:
    """The indices of the arrays among the parameters."""
    names = re.findall(r"\w+", function.parameters)
    return "\n".join(_between_brackets(function.body, [name for name in names if types.get(name, "").endswith("*")]))


def _between_brackets(body: str, arrays: list[str]) -> Iterator[str]:
    """The texts between the brackets after these names."""
    for match in re.finditer(r"\b(\w+)\s*\[", body):
        if match[1] in arrays:
            depth, end = 1, match.end()
            while depth > 0 and end < len(body):
                depth += (body[end] == "[") - (body[end] == "]")
                end += 1
            yield body[match.end() : end]


def _doubles(function: DeviceFunction, types: dict[str, str]) -> Iterator[_Warning]:
    """Numbers without an f, where a float is computed from floats."""
    for statement in re.finditer(r"[^;{}]+", function.body):
        result = _RESULT.search(statement.group())
        if not result:
            continue
        into = function.returns if result["returned"] else types.get(result["name"], "")
        names = re.findall(r"[A-Za-z_]\w*", result["value"])
        kinds = {into.rstrip("*"), *(types.get(name, name).rstrip("*") for name in names)}
        number = _DOUBLE_ARITHMETIC.search(result["value"])
        from_floats = result["operator"] or any(types.get(name, "").rstrip("*") == "float" for name in names)
        if number and from_floats and into.rstrip("*") == "float" and "double" not in kinds:
            group = "number" if number["number"] else "behind"
            yield _Warning(
                function.span[0] + statement.start() + result.start("value") + number.start(group),
                f"{number[group]} is a double, so this is computed in double precision, which is much slower on most "
                f"GPUs. Write {number[group]}f.",
            )


def main(files: list[str]) -> int:
    for file in files:
        try:
            for line in warnings(Source(read(Path(file)), file)):
                print(line)
        except (OSError, RewriteError):
            continue  # the compiler reports the error
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
