"""A learner's typed answer: a number, or one of several options."""

from __future__ import annotations

import math
import re

_DIGITS = r"(?:[0-9]{1,3}(?:[,_ \u00a0\u202f][0-9]{3})+(?![0-9])|[0-9]+)"
_DECIMAL_COMMA = r"(?:0,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})(?![0-9,]))"
_ONE = (
    rf"(?:{_DECIMAL_COMMA}|{_DIGITS}(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"(?:\s*(?:\^|\*\*)\s*[0-9]+)?"
)
_SIGN = r"\s*[*/×·]\s*|\s+x\s+"
_TERMS = re.compile(rf"(?P<sign>[-+]?)\s*(?P<terms>{_ONE}(?:(?:{_SIGN}){_ONE})*)\s*(?P<rest>.*)", re.DOTALL)
_COMMA = re.compile(_DECIMAL_COMMA)
_ABOUT = re.compile(r"(?:~|≈|about|around|roughly|approximately|ca\.?|=)\s*", re.IGNORECASE)
_RANGE = re.compile(r"(?:-|–|\.\.+|to\b|or\b|and\b|,)\s*[0-9.].*", re.DOTALL)
_COMPARED = re.compile(r"[<>]|(?:less|more|at (?:most|least)|under|over|between|from)\b", re.IGNORECASE)
_MAX_SHOWN = 40
_TIMES = ("x", "×", "times", "fold", "-fold")
_PERCENT = ("%", "percent", "per cent")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_IN_WORDS = {**{word: str(number) for number, word in enumerate(_WORDS)}, "none": "0", "half": "1/2", "a half": "1/2"}
_IN_WORDS.update({"a third": "1/3", "a quarter": "1/4", "a million": "1000000", "a thousand": "1000"})
_FIRST_WORDS = re.compile(rf"(?:{'|'.join(sorted(_IN_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
_MULTIPLIERS = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_MULTIPLIER = re.compile(rf"({'|'.join(_MULTIPLIERS)})\b\s*", re.IGNORECASE)
# The letters stand for powers of 1000 or of 1024; both readings are tried.
_PREFIXES = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_BYTES = re.compile(r"(?P<letter>[kKMGT]?)(?P<binary>i?)(?:[bB]|[bB]ytes?)")
_LONG_BYTES = re.compile(r"(?P<letter>[kmgt])(?:ilo|ega|iga|era)bytes?", re.IGNORECASE)
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), 1e-9),
}


class TypedError(Exception):
    """The typed text is not an answer; the message explains what to type."""


def typed_numbers(text: str, unit: str) -> tuple[float, ...]:
    """The possible readings of a typed number, in the question's unit, the likeliest first: 64 KB can be 64000 or 65536
    bytes, and 0.22 can be 22 %. Raises TypedError.
    """
    typed = _ABOUT.sub("", text.strip(), count=1) if _ABOUT.match(text.strip()) else text.strip()
    if _COMPARED.match(typed):
        raise TypedError(f"'{_shown(text)}' is a range. Give one number: the one you think most likely.")
    typed = _FIRST_WORDS.sub(lambda words: _IN_WORDS[words[0].lower()], typed, count=1) if _FIRST_WORDS.match(typed) else typed
    found = _TERMS.fullmatch(typed)
    if not found:
        raise TypedError(f"'{_shown(text)}' is not a number. Type one, such as 12, 0.5 or 3 * 4.")
    rest = found["rest"].strip()
    if _RANGE.fullmatch(rest):
        raise TypedError(f"'{_shown(text)}' is a range. Give one number: the one you think most likely.")
    value = _value(found["terms"])
    if not math.isfinite(value):
        raise TypedError(f"'{_shown(text)}' cannot be computed. Type one number, such as 12, 0.5 or 3 * 4.")
    value = -value if found["sign"] == "-" else value
    factors = _factors(rest, unit)
    if not factors:
        asked = f"in {unit}" if unit else "as a number without a unit"
        raise TypedError(f"'{_shown(text)}': give the answer {asked}. Type only the number.")
    return tuple(dict.fromkeys(value * factor for factor in factors))


def typed_choice(text: str, options: tuple[str, ...]) -> int:
    """The index of the option that was typed, as its number or as the start of its words. Raises TypedError."""
    typed = " ".join(text.lower().split()).rstrip(".)")
    if re.fullmatch(r"[0-9]{1,3}", typed) and 1 <= int(typed) <= len(options):
        return int(typed) - 1
    meant = [index for index, option in enumerate(options) if typed and option.lower().startswith(typed)]
    if len(meant) == 1:
        return meant[0]
    raise TypedError(f"'{_shown(text)}' is not one of the options. Type a number from 1 to {len(options)}.")


def _shown(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _factors(rest: str, unit: str) -> list[float]:
    """The possible factors that convert a number with the unit `rest` to the question's unit; none if it has another
    kind of unit.
    """
    if not rest:
        own = _MULTIPLIER.match(unit)
        return [1.0, *([1 / _MULTIPLIERS[own[1].lower()]] if own else []), *([100.0] if unit == "%" else [])]
    if _is_unit(rest, unit):
        return [1.0]
    multiplier, asked = _MULTIPLIER.match(rest), _MULTIPLIER.match(unit)
    if multiplier or asked:
        times = _MULTIPLIERS[multiplier[1].lower()] if multiplier else 1.0
        by = _MULTIPLIERS[asked[1].lower()] if asked else 1.0
        typed_of, asked_of = (one[m.end() :] if m else one for one, m in ((rest, multiplier), (unit, asked)))
        return [times / by * factor for factor in ([1.0] if not typed_of else _factors(typed_of, asked_of))]
    if rest.lower() in _PERCENT:
        return [0.01] if unit in ("", "times") or unit.startswith("of ") else []
    typed_s, asked_s = _SECONDS.get(rest.lower(), 0.0), _SECONDS.get(unit.lower(), 0.0)
    if typed_s or asked_s:
        return [typed_s / asked_s] if typed_s and asked_s else []
    asked_bytes = _bytes(unit)
    if asked_bytes:
        typed_bytes = _bytes(rest) or (_bytes(f"{rest}B") if rest in _PREFIXES else [])
        return [typed / asked for typed in typed_bytes for asked in asked_bytes]
    return [base ** _PREFIXES[rest] for base in (1000.0, 1024.0)] if rest in _PREFIXES else []


def _bytes(unit: str) -> list[float]:
    """The possible sizes of a unit in bytes; none if it is not a unit of bytes."""
    found = _BYTES.fullmatch(unit)
    if not found:
        long = _LONG_BYTES.fullmatch(unit)
        return _bytes(f"{long['letter'].upper()}B") if long else []
    if found["letter"]:
        return [base ** _PREFIXES[found["letter"]] for base in ((1024.0,) if found["binary"] else (1000.0, 1024.0))]
    return [] if found["binary"] else [1.0]


def _is_unit(rest: str, unit: str) -> bool:
    rest, unit = rest.lower(), unit.lower()
    if unit == "times":
        return rest in _TIMES
    if unit == "%":
        return rest in _PERCENT
    if unit in _SECONDS:  # m is not ms
        return rest == unit
    return bool(unit) and rest.rstrip("s") == unit.rstrip("s")


def _value(terms: str) -> float:
    """The value of a product; infinite or NaN if it cannot be computed."""
    parts = re.split(r"\s*(\*(?!\*)(?<!\*\*)|[/×·x])\s*", terms)
    try:
        value = _power(parts[0])
        for sign, one in zip(parts[1::2], parts[2::2]):
            value = value / _power(one) if sign == "/" else value * _power(one)
    except (OverflowError, ZeroDivisionError, ValueError):
        return math.nan
    return value


def _power(one: str) -> float:
    base, _, exponent = one.replace("**", "^").partition("^")
    with_point = base.replace(",", ".") if _COMMA.match(base) else re.sub(r"[,_\s]", "", base)
    return float(with_point) ** (float(exponent) if exponent else 1.0)
