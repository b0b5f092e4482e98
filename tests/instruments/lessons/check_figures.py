"""Measured figures in a page's running text are those of plots/results.

Behind a paragraph, a list or a table that states measured figures stands a comment, which a reader of the page does not
see: a line for each figure, as the text shows it, and what it is made of.

    <!-- figures
      0.63 = 1000 * (listed_start 1000 x 25000000 median_ms - persistent 1000 x 25000000 median_ms) / 331
      1700 to 100 = naive 8192 x 8192 median_ms
    -->

common/cli/measuring/figures.py says what a figure is made of. It is right if the value, rounded to as many decimals as
the text shows, is the figure; `to 100` rounds to hundreds. It must stand in the lines before the comment, up to an
empty line. Fenced blocks are left out.

Prints what is wrong and exits with 1.

Usage: check_figures.py RESULTS_FOLDER PAGE.md...
"""

from __future__ import annotations

import re
import sys
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.measuring.figures import FigureError, Results, value_of

_FENCED = re.compile(r"^(```|~~~).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- figures?\b(?P<lines>.*?)-->", re.DOTALL)
_FIGURE = re.compile(r"(?P<shown>\d[\d,]*(?:\.\d+)?)(?: to (?P<step>\d+))? = (?P<made_of>.+)")


def problem_of(line: str, text: str, results: Results, page_chapter: str) -> str | None:
    """What is wrong with one line of a comment behind `text`, or None."""
    figure = _FIGURE.fullmatch(line)
    if figure is None:
        return f"'{line}' is not of the form 'figure = program sizes column'."
    shown = figure["shown"]
    if not re.search(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", text):
        return f"{shown} does not stand in the text before its comment."
    number = Decimal(shown.replace(",", ""))
    step = Decimal(figure["step"] or 1) * Decimal(1).scaleb(int(number.as_tuple().exponent))
    try:
        value = value_of(figure["made_of"], results, page_chapter)
    except FigureError as error:
        return f"{shown}: {error}"
    if abs(Decimal(repr(value)) - number) > step / 2:
        return f"{shown} stands in the text, and the results say {value:.6g}: {figure['made_of']}"
    return None


def problems(page: Path, results: Results) -> list[str]:
    """What is wrong with a page's figures, one text each."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    found = []
    for comment in _COMMENT.finditer(text):
        if text[: comment.start()].rpartition("\n")[2].strip() or text[comment.end() :].partition("\n")[0].strip():
            found.append(f"{page}: a comment with figures needs lines of its own: {comment.group().splitlines()[0]}")
        before = re.split(r"\n[ \t]*\n", text[: comment.start()])[-1]
        for line in filter(None, map(str.strip, comment["lines"].splitlines())):
            if problem := problem_of(line, _COMMENT.sub("", before), results, page.parent.name):
                found.append(f"{page}: {problem}")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print("Usage: check_figures.py RESULTS_FOLDER PAGE.md...")
        return 1
    folder, *pages = arguments
    try:
        results = Results(Path(folder))
        found = [problem for page in pages for problem in problems(Path(page), results)]
    except (FigureError, OSError) as error:
        found = [str(error)]
    print("\n".join(found) or f"The measured figures of {len(pages)} page(s) are those of the results.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
