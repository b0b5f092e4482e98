"""Checks that the measured figures in a page's text agree with plots/results.

After a paragraph, a list or a table with measured figures there is a comment, which a reader of the page does not see.
It has a line for each figure: the figure as in the text, and its expression.

    <!-- figures
      0.63 = 1000 * (listed_start 1000 x 25000000 median_ms - persistent 1000 x 25000000 median_ms) / 331
      1700 to 100 = naive 8192 x 8192 median_ms
    -->

common/cli/measuring/figures.py describes the expressions. A figure is correct if it equals the value, rounded to the
same number of decimals; `to 100` rounds to hundreds. It must be in the lines before the comment, up to an empty line.
Fenced blocks are left out, and so are the positions of the book's drawings, such as <!-- figure: sectors -->.

Prints the errors and exits with 1.

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
_COMMENT = re.compile(r"<!-- figures?\b(?!: [a-z]+ -->)(?P<lines>.*?)-->", re.DOTALL)
_FIGURE = re.compile(r"(?P<shown>\d[\d,]*(?:\.\d+)?)(?: to (?P<step>\d+))? = (?P<made_of>.+)")


def problem_of(line: str, text: str, results: Results, page_chapter: str) -> str | None:
    """The error in one line of a comment after `text`, or None."""
    figure = _FIGURE.fullmatch(line)
    if figure is None:
        return f"'{line}' does not have the form 'figure = program sizes column'."
    shown = figure["shown"]
    if not re.search(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", text):
        return f"{shown} is not in the text before its comment."
    number = Decimal(shown.replace(",", ""))
    step = Decimal(figure["step"] or 1) * Decimal(1).scaleb(int(number.as_tuple().exponent))
    try:
        value = value_of(figure["made_of"], results, page_chapter)
    except FigureError as error:
        return f"{shown}: {error}"
    if abs(Decimal(repr(value)) - number) > step / 2:
        return f"the text has {shown}, but the results have {value:.6g}: {figure['made_of']}"
    return None


def problems(page: Path, results: Results) -> list[str]:
    """The errors in a page's figures, one text each."""
    text = _FENCED.sub(lambda block: "\n" * block.group().count("\n"), page.read_text(encoding="utf-8"))
    found = []
    for comment in _COMMENT.finditer(text):
        where = f"{page}:{text.count(chr(10), 0, comment.start()) + 1}"
        if text[: comment.start()].rpartition("\n")[2].strip() or text[comment.end() :].partition("\n")[0].strip():
            found.append(f"{where}: a comment with figures must be on separate lines: {comment.group().splitlines()[0]}")
        before = re.split(r"\n[ \t]*\n", text[: comment.start()])[-1]
        for line in filter(None, map(str.strip, comment["lines"].splitlines())):
            if problem := problem_of(line, _COMMENT.sub("", before), results, page.parent.name):
                found.append(f"{where}: {problem}")
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
    print("\n".join(found) or f"The measured figures of {len(pages)} page(s) agree with the results.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
