"""NAME.html: one student's feedback, a page that needs no other file and has no script, for phones and for print."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from cli.terminal.console import printable
from grading.marking import Mark, plain_points

_PART_WORDS = {
    "compiles": "It compiles",
    "right": "The result is correct",
    "no_errors": "No errors were found",
    "error_handling": "Failed launches are reported",
    "goals": "The performance goals are reached",
}
# A sentence for each verdict; the text of the check explains it.
VERDICT_WORDS = {
    "passed": "The answer passes all tests.",
    "does not compile": "The answer does not compile.",
    "refused": "The answer contains code that answers must not contain.",
    "stopped at a limit": "The program used too much time or memory, and was stopped.",
    "crashed": "The program crashed.",
    "computed elsewhere": "The result is correct, but the kernels did not compute it.",
    "error found": "The tests found an error in a kernel.",
    "wrong result": "The result is wrong.",
    "wrong with the blocks in reverse": "The result is wrong if the blocks run in another order.",
    "accesses not recorded": "The result depends on accesses to memory that the simulator does not record.",
    "errors not reported": "The result is correct, but a failed launch is not reported.",
    "goal missed": "The result is correct, but a performance goal is missed.",
    "tampered with the tests": "The tests and the judge disagree about this answer.",
    "unchanged starter": "The file has no answer: its code is unchanged.",
    "not handed in": "No answer was graded.",
    "not graded": "The answer could not be graded.",
}
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 0; }
section { border-top: 1px solid #888; margin-top: 1.5rem; padding-top: 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0; } td, th { padding: 0.1rem 1rem 0.1rem 0; text-align: left; }
td + td, th + th { text-align: right; padding-right: 0; white-space: nowrap; }
pre { white-space: pre-wrap; font-size: 0.8rem; background: #8882; padding: 0.6rem; }
.points { font-weight: bold; } .comment { border-left: 0.3rem solid #36c; padding-left: 0.8rem; white-space: pre-wrap; }
@media print { pre { background: none; font-size: 0.7rem; border: 1px solid #888; } h2 { break-after: avoid; } }
"""


def feedback_page(report: Mapping[str, Any], marks: Iterable[Mark]) -> str:
    """report: in the form of NAME.json; marks: of its exercises, in this order. All of a student's text is escaped."""
    student, marks = html.escape(printable(report["student"])), list(marks)
    total = _of(sum(mark.points for mark in marks), sum(mark.of for mark in marks))
    sections = "\n".join(map(_section, report["exercises"], marks))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{student}: {total}</title><style>{_STYLE}</style></head>
<body><h1>{student}</h1>{f'<p class="points">{total}</p>' if len(marks) > 1 else ""}
{sections}
</body></html>
"""


def _section(graded: Mapping[str, Any], mark: Mark) -> str:
    verdict = graded["verdict"]
    lines = [
        f"<section><h2>{html.escape(graded['exercise'])}: {html.escape(verdict)}</h2>",
        f"<p>{html.escape(VERDICT_WORDS.get(verdict, ''))}</p>",
        f'<p class="points">{_of(mark.points, mark.of)}</p>',
    ]
    if mark.is_manual:
        lines.append("<p>Your teacher gave these points.</p>")
    rows = [(_PART_WORDS[name], _of(given, most)) for name, given, most in mark.parts]
    if mark.late_days:
        rows.append((f"Late: {_count(mark.late_days, 'day')}", f"-{_count(mark.deduction, 'point')}"))
    if rows and not mark.is_manual:
        cells = "".join(f"<tr><td>{words}</td><td>{points}</td></tr>" for words, points in rows)
        lines.append(f"<table>{cells}</table>")
    if mark.comment:
        lines.append(f'<p>Comment:</p>\n<p class="comment">{html.escape(printable(mark.comment))}</p>')
    if graded["text"] and graded["text"] != verdict:
        lines.append(f"<pre>{html.escape(printable(graded['text']))}</pre>")
    lines.append(f"<p>Graded file: {html.escape(printable(graded['file']))}</p>" if graded.get("file") else "")
    return "\n".join(lines) + "</section>"


def part_lines(mark: Mark) -> list[str]:
    """The parts as one block of text; empty without weights."""
    lines = [f"{_PART_WORDS[name]}: {_of(given, most)}" for name, given, most in mark.parts]
    return ["\n".join(lines)] if lines else []


def _of(points: float, most: float) -> str:
    return f"{plain_points(points)} of {_count(most, 'point')}"


def _count(number: float, word: str) -> str:
    return f"{plain_points(number)} {word}" + ("" if number == 1 else "s")

