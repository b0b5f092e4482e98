"""What a learner has typed for an answer: a number, or one of several options."""

from __future__ import annotations

import math
import re

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_ONE = rf"(?:{_DIGITS}(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:\s*\^\s*[0-9]+)?"
_NUMBER = re.compile(rf"(?P<sign>[-+]?)\s*(?P<terms>{_ONE}(?:\s*[*/]\s*{_ONE})*)\s*(?P<rest>.*)", re.DOTALL)
_ABOUT = re.compile(r"(?:~|about|around|roughly|ca\.?|=)\s*", re.IGNORECASE)
_RANGE = re.compile(r"(?:-|–|\.\.+|to\b|or\b|and\b|,)\s*[0-9.].*", re.DOTALL)
_COMPARED = re.compile(r"[<>]|(?:less|more|at (?:most|least)|under|over|between|from)\b", re.IGNORECASE)
_PREFIX = re.compile(r"(?P<letter>[kKMGTmun])i?(?:[bB](?:ytes?)?)?")
_MAX_SHOWN = 40
_TIMES = ("x", "times", "fold", "-fold")
_PERCENT = ("%", "percent", "per cent")


class TypedError(Exception):
    """What was typed is no answer; the message says what would be."""


def typed_number(text: str, unit: str) -> float:
    """A number, a product, a quotient or a power, and the question's unit or none. Raises TypedError."""
    typed = _ABOUT.sub("", text.strip(), count=1) if _ABOUT.match(text.strip()) else text.strip()
    if _COMPARED.match(typed):
        raise TypedError(f"'{_shown(text)}' is a range. Give one number: the one you think most likely.")
    found = _NUMBER.fullmatch(typed)
    if not found:
        raise TypedError(f"'{_shown(text)}' is no number. Type one, such as 12, 0.5 or 3 * 4.")
    rest = found["rest"].strip()
    if re.fullmatch(r",[0-9]{1,2}", rest):
        raise TypedError(f"'{_shown(text)}': write a point in place of the comma.")
    if _RANGE.fullmatch(rest):
        raise TypedError(f"'{_shown(text)}' is a range. Give one number: the one you think most likely.")
    if rest and not _is_unit(rest, unit):
        raise TypedError(_about_unit(_shown(text), rest, unit))
    value = _value(found["terms"])
    if not math.isfinite(value):
        raise TypedError(f"'{_shown(text)}' is no number that can be computed.")
    return -value if found["sign"] == "-" else value


def typed_choice(text: str, options: tuple[str, ...]) -> int:
    """The index of the option whose number, or the beginning of whose words, was typed. Raises TypedError."""
    typed = " ".join(text.lower().split()).rstrip(".)")
    if re.fullmatch(r"[0-9]{1,3}", typed) and 1 <= int(typed) <= len(options):
        return int(typed) - 1
    meant = [index for index, option in enumerate(options) if typed and option.lower().startswith(typed)]
    if len(meant) == 1:
        return meant[0]
    raise TypedError(f"'{_shown(text)}' is none of the options. Type a number from 1 to {len(options)}.")


def _shown(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _is_unit(rest: str, unit: str) -> bool:
    rest, unit = rest.lower(), unit.lower()
    if unit == "times":
        return rest in _TIMES
    if unit == "%":
        return rest in _PERCENT
    return bool(unit) and rest.rstrip("s") == unit.rstrip("s")


def _about_unit(typed: str, rest: str, unit: str) -> str:
    prefix = _PREFIX.fullmatch(rest)
    if prefix and prefix["letter"] in "kKMGT":
        return f"'{typed}': {rest} may be a power of 1000 or of 1024. Write the number out."
    asked = f"asked in {unit}" if unit else "a number without a unit"
    return f"'{typed}': the answer is {asked}. Type the number alone."


def _value(terms: str) -> float:
    """Infinite or not a number where it cannot be computed."""
    parts = re.split(r"\s*([*/])\s*", terms)
    try:
        value = _power(parts[0])
        for sign, one in zip(parts[1::2], parts[2::2]):
            value = value * _power(one) if sign == "*" else value / _power(one)
    except (OverflowError, ZeroDivisionError, ValueError):
        return math.nan
    return value


def _power(one: str) -> float:
    base, _, exponent = one.replace(",", "").partition("^")
    return float(base) ** (float(exponent) if exponent else 1.0)
