"""A small SVG writer: a card with boxes, texts and arrows, white or, where the reader prefers it, dark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from html import escape

WIDTH = 760
MARGIN = 28
INK = "#1f2328"
QUIET = "#57606a"
FAINT = "#c9ced4"
PAPER = "#ffffff"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
CODE_FONT = "Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, SKY, GREEN, YELLOW = "#0072b2", "#56b4e9", "#009e73", "#f0e442"
ORANGE, VERMILION, PURPLE, GREY = "#e69f00", "#d55e00", "#cc79a7", "#999999"
BANK_COLOURS = (SKY, ORANGE, GREEN, YELLOW, BLUE, VERMILION, PURPLE, GREY)
WARP_COLOURS = (SKY, ORANGE, GREEN, PURPLE)
READ_COLOUR, WRITE_COLOUR = SKY, ORANGE

_DARK_PAPER, _DARK_INK, _DARK_LINE = "#161b22", "#f0f6fc", "#3d444d"
_DARK_GREYS = {PAPER: _DARK_PAPER, "#f3f5f7": "#1e242c", "#eceff2": "#2a3038", FAINT: _DARK_LINE}
_DARK_INKS = {INK: _DARK_INK, QUIET: "#a9b4bf", FAINT: _DARK_LINE, "#d0d7de": _DARK_LINE, "#d7dbe0": _DARK_LINE}
# On a dark card, the areas behind texts are dark enough for light texts.
_DARK_SHARE = 0.58
_DARK_YELLOW = "#b8a92c"
# The dark colours of the areas that have been drawn with tint().
_dark_tints: dict[str, str] = {}


def tint(colour: str, share: float) -> str:
    """The colour mixed with white, in this share."""
    light = _mixed(colour, PAPER, share)
    _dark_tints[light] = _mixed(_DARK_YELLOW if colour == YELLOW else colour, _DARK_PAPER, _DARK_SHARE * share)
    return light


def _mixed(colour: str, paper: str, share: float) -> str:
    pairs = ((int(colour[start : start + 2], 16), int(paper[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(below - share * (below - channel)):02x}" for channel, below in pairs)


for _colour in BANK_COLOURS:
    tint(_colour, 1)


def _dark(tag: str, attribute: str, colour: str) -> str:
    """The colour on a dark card, of an area if the tag is "rect", otherwise of a text or a line."""
    if tag == "rect" and attribute == "fill":
        return _DARK_GREYS.get(colour) or _dark_tints.get(colour) or _DARK_INKS[colour]
    if colour == PAPER:
        return PAPER if tag == "text" else _DARK_PAPER
    return _DARK_INKS.get(colour) or _mixed(colour, PAPER, 0.7)


def _dark_style(lines: Iterable[str]) -> str:
    """A style that replaces the colours of the drawing's elements where the reader prefers a dark page."""
    used = {
        (tag, attribute, colour)
        for line in lines
        for tag in re.findall(r"^<(\w+)", line)
        for attribute, colour in re.findall(r'(fill|stroke)="(#\w{6})"', line)
    }
    rules = (f'{tag}[{name}="{colour}"]{{{name}:{_dark(tag, name, colour)}}}' for tag, name, colour in sorted(used))
    return f"<style>@media (prefers-color-scheme: dark) {{ {' '.join(rules)} }}</style>"


def text_width(words: str, size: float, bold: bool = False, code: bool = False) -> float:
    """An estimate of the text's width in the widest font."""
    if code:
        return 0.61 * size * len(words)
    ems = sum(next((width for letters, width in _LETTER_EMS if letter in letters), 0.64) for letter in words)
    return size * ems * (1.1 if bold else 1)


# Widths in DejaVu Sans; the other fonts are narrower by an eighth.
_LETTER_EMS = (
    ("ijlI|'", 0.30),
    (" ,.:;!/()[]-frt", 0.37),
    ("cksvxyz_?", 0.57),
    ("+=<>~^#ABCDEFGHJKLNOPQRSTUVXYZ\u00d7", 0.74),
    ("mwMW%@\u2026", 0.93),
)


def wrapped(words: str, size: float, width: float) -> list[str]:
    """The text in lines of at most about this width."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class Drawing:
    """A card. In texts, `names` of the program are set in italics."""

    def __init__(self, height: int, title: str, description: str) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title description" font-family="{FONT}">',
            f'<title id="title">{escape(title, quote=False)}</title>',
            f'<desc id="description">{escape(description, quote=False)}</desc>',
        ]
        self.box(0.5, 0.5, WIDTH - 1, height - 1, PAPER, "#d0d7de", radius=8)
        self.text(MARGIN, 38, title, 17, bold=True)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = "none",
        stroke: str = "none",
        stroke_width: float = 1,
        radius: float = 0,
        dashed: bool = False,
    ) -> None:
        self._lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{stroke_width:g}"'
            + (f' rx="{radius:g}"' if radius else "")
            + (' stroke-dasharray="3 3"' if dashed else "")
            + "/>"
        )

    def cell(self, x: float, y: float, size: float, fill: str, label: str, font_size: float, colour: str = INK) -> None:
        """A square with a label in its middle."""
        self.box(x, y, size, size, fill, PAPER)
        self.text(x + size / 2, y + size / 2 + 0.36 * font_size, label, font_size, colour, "middle")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 13,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
        code: bool = False,
        upwards: bool = False,
    ) -> None:
        """Draws a text. With code, spaces and `quotes` stay unchanged."""
        content = escape(words, quote=False)
        if not code:
            content = re.sub(r"`(.+?)`", r'<tspan font-style="italic">\1</tspan>', content)
        self._lines.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"'
            + (' font-weight="bold"' if bold else "")
            + (f' font-family="{CODE_FONT}" xml:space="preserve"' if code else "")
            + (f' transform="rotate(-90 {x:g} {y:g})"' if upwards else "")
            + f">{content}</text>"
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = QUIET, width: float = 1.2, dashed: bool = False
    ) -> None:
        self._lines.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="{width:g}"'
            + (' stroke-dasharray="3 3"' if dashed else "")
            + "/>"
        )

    def arrow_right(self, x1: float, x2: float, y: float, colour: str = QUIET) -> None:
        self.line(x1, y, x2 - 7, y, colour, 2)
        self._arrow_head(((x2, y), (x2 - 9, y - 5), (x2 - 9, y + 5)), colour)

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str = QUIET) -> None:
        length = math.hypot(x2 - x1, y2 - y1)
        along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
        back_x, back_y = x2 - 7 * along_x, y2 - 7 * along_y
        self.line(x1, y1, back_x, back_y, colour, 1.5)
        side_x, side_y = 4 * along_y, -4 * along_x
        self._arrow_head(((x2, y2), (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)), colour)

    def _arrow_head(self, corners: Iterable[tuple[float, float]], colour: str) -> None:
        points = " ".join(f"{x:g},{y:g}" for x, y in corners)
        self._lines.append(f'<polygon points="{points}" fill="{colour}"/>')

    def svg(self) -> str:
        return "\n".join([*self._lines[:3], _dark_style(self._lines), *self._lines[3:], "</svg>"]) + "\n"
