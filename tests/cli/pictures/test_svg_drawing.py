"""The dark form of pictures."""

from __future__ import annotations

import re
import unittest

import support  # noqa: F401  # puts the command on the path

from cli.pictures.svg_drawing import BANK_COLOURS, INK, PAPER, QUIET, VERMILION, Drawing, tint

_RULE = re.compile(r'(\w+)\[(fill|stroke)="(#\w+)"\]\{\2:(#\w+)\}')


def dark_colours(drawing: Drawing) -> dict[tuple[str, str, str], str]:
    return {(tag, name, light): dark for tag, name, light, dark in _RULE.findall(drawing.svg())}


def contrast(one: str, other: str) -> float:
    lights = sorted(map(_light, (one, other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _light(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear))


class DarkPicturesTest(unittest.TestCase):
    def test_texts_are_legible_on_every_area(self) -> None:
        drawing = Drawing(100, "Title", "")
        tints = [tint(colour, share / 10) for colour in BANK_COLOURS for share in range(1, 11)]
        areas = [PAPER, "#f3f5f7", "#eceff2", *tints]
        for area in areas:
            drawing.cell(0, 0, 10, area, "1", 10)
        colours = dark_colours(drawing)
        text = colours["text", "fill", INK]
        for area in areas:
            self.assertGreaterEqual(contrast(text, colours["rect", "fill", area]), 4.5, area)

    def test_texts_and_lines_are_seen_on_the_card(self) -> None:
        drawing = Drawing(100, "Title", "")
        drawing.text(0, 0, "quiet", colour=QUIET)
        drawing.text(0, 0, "red", colour=VERMILION)
        drawing.arrow(0, 0, 9, 9, VERMILION)
        drawing.text(0, 0, "white on a colour", colour=PAPER)
        colours = dark_colours(drawing)
        card = colours["rect", "fill", PAPER]
        for (tag, name, light), dark in colours.items():
            if tag != "rect":
                self.assertGreaterEqual(contrast(dark, card), 4.5, (tag, name, light))

    def test_the_light_colours_stay_in_the_elements(self) -> None:
        svg = Drawing(100, "Title", "").svg()
        self.assertIn('<style>@media (prefers-color-scheme: dark) {', svg)
        self.assertIn(f'fill="{PAPER}" stroke="#d0d7de"', svg)
