"""A small SVG writer for the lessons' pictures: a white card with boxes, texts and arrows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

WIDTH = 760
MARGIN = 28
INK = "#1f2328"
QUIET = "#57606a"
FAINT = "#c9ced4"
PAPER = "#ffffff"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"

# Okabe and Ito's colours, which differ to colour-blind eyes too.
BLUE, SKY, GREEN, YELLOW = "#0072b2", "#56b4e9", "#009e73", "#f0e442"
ORANGE, VERMILION, PURPLE, GREY = "#e69f00", "#d55e00", "#cc79a7", "#999999"
BANK_COLOURS = (SKY, ORANGE, GREEN, YELLOW, BLUE, VERMILION, PURPLE, GREY)
WARP_COLOURS = (SKY, ORANGE, GREEN, PURPLE)
READ_COLOUR, WRITE_COLOUR = SKY, ORANGE


def tint(colour: str, share: float) -> str:
    """That share of the colour on white."""
    channels = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - channel)):02x}" for channel in channels)


class Drawing:
    """A white card, which stays legible on a dark page. In texts, `names` of the program are set in italics."""

    def __init__(self, height: int, title: str, description: str) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title description" font-family="{FONT}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
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
    ) -> None:
        content = re.sub(r"`(.+?)`", r'<tspan font-style="italic">\1</tspan>', escape(words))
        self._lines.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"'
            + (' font-weight="bold"' if bold else "")
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

    def arrow_down(self, x: float, y1: float, y2: float, colour: str = QUIET) -> None:
        self.line(x, y1, x, y2 - 5, colour, 1.5)
        self._arrow_head(((x, y2), (x - 4, y2 - 7), (x + 4, y2 - 7)), colour)

    def _arrow_head(self, corners: Iterable[tuple[float, float]], colour: str) -> None:
        points = " ".join(f"{x:g},{y:g}" for x, y in corners)
        self._lines.append(f'<polygon points="{points}" fill="{colour}"/>')

    def svg(self) -> str:
        return "\n".join([*self._lines, "</svg>"]) + "\n"
