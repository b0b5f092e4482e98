"""Reports with recorded blocks, made without a program, and the data in a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support import report_of

from cli.running.limited_run import Ended
from cli.tracing.report import parse_report
from cli.tracing.traced_run import TracedRun

def recorded(steps: list[Any], **changes: Any) -> dict[str, Any]:
    """The entry `steps` of a kernel with one block that has an array of global memory and a shared one."""
    arrays = [
        {"memory": "global", "name": "allocation 1", "bytes": 4096, "begin_in_line": 0},
        {"memory": "shared", "name": "tile", "bytes": 4096, "begin_in_line": 0},
    ]
    block = {"block": [0, 0, 0], "launch": 1, "reason": "first", "left_out": 0, "arrays": arrays, "steps": steps}
    return {"version": 1, "blocks": [{**block, **changes}], "places": [["kernel.cu", 3, 3]]}


def report_text(accesses: list[dict[str, Any]], steps: dict[str, Any] | None = None, **changes: Any) -> str:
    if steps is not None:
        changes["steps"] = steps
    return json.dumps(report_of(*accesses, **changes))


def traced(text: str, exit_code: int = 0, program: str = "ch3_transpose_naive_inspect") -> TracedRun:
    return TracedRun(program, ("--rows", "5"), Ended(exit_code, ""), parse_report(text), text)


def values_of(page: Path | str) -> dict[str, Any]:
    """The JSON in a page."""
    text = page if isinstance(page, str) else page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
