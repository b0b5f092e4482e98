"""Reports for pictures, made without a program, and the texts of a picture."""

from __future__ import annotations

import json
import unittest
from collections.abc import Callable
from typing import NamedTuple, Optional
from xml.etree import ElementTree

import support

from cli.pictures.svg_drawing import WIDTH, text_width
from cli.tracing.report import Access, Report, parse_report

SVG = "{http://www.w3.org/2000/svg}"
Offset = Callable[[int], Optional[int]]


def access(
    offset: Offset, bytes_per_lane: int = 4, memory: str = "global", operation: str = "load", **changes: object
) -> dict:
    """An access as in the report; lane n is at offset(n), or idle if that is None."""
    example = {
        "block": changes.pop("block", [0, 0, 0]),
        "warp": changes.pop("warp", 0),
        "approximate": changes.pop("approximate", False),
        "sectors": 0,
        "wavefronts": 0,
        "array": changes.pop("array", "tile" if memory == "shared" else "allocation 1"),
        "array_bytes": 1 << 20,
        "begin_in_line": changes.pop("begin_in_line", 0),
        "offsets": [offset(lane) for lane in range(32)],
    }
    changes = {"line": 1, "bytes_per_lane": bytes_per_lane, "example": example, **changes}
    return support.access(memory=memory, operation=operation, **changes)


def report(*accesses: dict, elements: tuple[dict, ...] = (), grid: tuple[int, ...] = (4, 1, 1)) -> Report:
    kernel = {"name": "kernel", "grid": grid, "block": [64, 1, 1], "blocks": 4, "threads": 256}
    return parse_report(json.dumps(support.report_of(*accesses, elements=elements, **kernel)))


def parsed(*arguments: object, **changes: object) -> Access:
    return report(access(*arguments, **changes)).kernels[0].accesses[0]


def elements(touches: list[list[object]], **changes: object) -> dict:
    return {
        "memory": "global",
        "array": "allocation 1",
        "array_bytes": 4096,
        "element_bytes": 4,
        "columns": 32,
        "has_rows": True,
        "loads": touches,
        "stores": None,
        **changes,
    }


class Text(NamedTuple):
    words: str
    left: float
    top: float
    right: float
    bottom: float
    size: float

    def overlaps(self, other: Text) -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not apart and not (self.bottom <= other.top or other.bottom <= self.top)


def texts(svg: str) -> list[Text]:
    """The texts of a picture, with their positions in the widest font."""
    found = []
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        words, size = "".join(text.itertext()), float(text.get("font-size"))
        x, y = float(text.get("x")), float(text.get("y"))
        width = text_width(words, size, text.get("font-weight") == "bold", "Mono" in text.get("font-family", ""))
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")] * width
        box = (left, y - 0.75 * size, left + width, y + 0.2 * size)
        if "rotate(-90" in text.get("transform", ""):
            box = (x - 0.75 * size, y - width, x + 0.2 * size, y)
        found.append(Text(words, *box, size))
    return found


def assert_tidy(test: unittest.TestCase, svg: str, margin: float = 10, bottom: float = 8) -> None:
    """No texts of a picture are tiny, overlap or leave the card."""
    height, found = float(ElementTree.fromstring(svg).get("height")), texts(svg)
    for number, text in enumerate(found):
        test.assertGreaterEqual(text.size, 10, text)
        test.assertGreaterEqual(text.left, margin, text)
        test.assertLessEqual(text.right, WIDTH - margin, text)
        test.assertLessEqual(text.bottom, height - bottom, text)
        for other in found[number + 1 :]:
            test.assertFalse(text.overlaps(other), (text, other))


def words(svg: str) -> list[str]:
    return [text.words for text in texts(svg)]
