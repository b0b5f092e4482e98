"""The Predict questions of a lesson, read from its page: the questions, the right answers, and the explanations.

A prompt is a paragraph with **Predict:**, followed by a link to its folded answer at the end of the page, where a reader
of the file does not see it together with the question. A comment at the end of the answer has the questions of
`./workbook predict`: a line for each question, and indented below it its id and a number or the options. The answer is
named after the first id.

    **Predict:** how many threads are there in all? Is it slower than one core of the CPU?

    [Answer](#answer-saxpy-threads)

    ## Answers

    ### Answer: saxpy-threads

    [Question](#stage-01-one-block)

    <details><summary>Answer</summary>

    3 blocks of 4 threads are 12. And it is slower: 7.4 GB/s against 20.5.
    <!-- predict
    Threads in all
      id saxpy-threads
      12 threads = 3 * 4
      usual 3: That is the number of blocks.
    Compared with one core of the CPU
      id saxpy-one-block-cpu
      [x] slower
      [ ] faster
        usual: Only one of the GPU's 132 SMs computes.
      where one_block 100000000 gb_per_s < cpu_one_core 100000000 gb_per_s
    -->
    </details>

A number has the value in the text, an optional unit, the tolerance (`within 20 %`, `within a factor of 2`, or none for
the rounding of the text), and the expression that computes it (measuring/figures.py). `usual` is the explanation of a
wrong answer: of that number, or of the option above it. `where` is for a test: the inequality that makes the option
right. The id never changes, even if the question is reworded or moved, because progress.csv contains it.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Union

from cli.errors import WorkbookError

_PROMPT = re.compile(r"(?:^|(?<=[ \n]))\*\*Predict(?P<colon>:?)\*\*")
_LINK = re.compile(r"\n(?P<indent>[ ]*)\[Answer\]\(#answer-(?P<id>[a-z0-9-]+)\)$", re.MULTILINE)
_ANSWER = re.compile(
    r"^### Answer: (?P<id>[a-z0-9-]+)\n[^<]*(?P<fold><details><summary>Answer</summary>\n(?P<text>.*?)\n</details>)$",
    re.DOTALL | re.MULTILINE,
)
SECTION = "\n## Answers\n"
_COMMENT = re.compile(r"<!-- predict\n(?P<lines>.*?)-->", re.DOTALL)
_ANY_COMMENT = re.compile(r"\n?[ ]*<!--.*?-->", re.DOTALL)
_STAGE = re.compile(r"^## (?:Stages? (?P<stage>\d+[a-z]?)\b)?", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_NUMBER = re.compile(
    r"(?P<shown>\d[\d,]*(?:\.\d+)?)(?: (?P<unit>(?!within )[^=]+?))?"
    r"(?: within (?:(?P<percent>\d+) %|a factor of (?P<factor>\d+(?:\.\d+)?)))? = (?P<made_of>.+)"
)
_OPTION = re.compile(r"\[(?P<mark>[x ])\] (?P<text>.+)")
_ID = re.compile(r"id (?P<id>[a-z0-9]+(?:-[a-z0-9]+)*)")
_USUAL = re.compile(r"usual(?: (?P<value>\d[\d,]*(?:\.\d+)?))?: (?P<words>.+)")
_FAR, _VERY_FAR = 1.5, 1e6  # from these factors on, the message states how far off a number is
_USUAL_SHARE = 0.02  # relative distance up to which a number counts as a usual wrong number
_WHERE = re.compile(r"where (?P<smaller>.+) < (?P<larger>.+)")


class PredictionError(WorkbookError):
    """A page's question cannot be read; the message contains the line."""


@dataclass(frozen=True)
class Number:
    """`shown` is the right number in the text, and `made_of` is the expression that computes it. `share` and `factor`
    are the tolerance of an answer; with neither, it is the rounding of the text. `usual` has wrong numbers, each with
    its explanation.
    """

    id: str
    ask: str
    shown: str
    unit: str
    made_of: str
    share: float = 0.0
    factor: float = 1.0
    usual: tuple[tuple[float, str], ...] = ()

    @property
    def with_unit(self) -> str:
        return f"{self.shown} {self.unit}".rstrip()

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit that is shown."""
        return float(Decimal(1).scaleb(int(_decimal(self.shown).as_tuple().exponent)) / 2)

    def is_shown_right(self, value: float) -> bool:
        """Whether the page shows this value."""
        return abs(value - float(_decimal(self.shown))) <= self.rounding * (1 + 1e-9)

    def is_exact(self, value: float) -> bool:
        """Whether the page shows all digits of this value."""
        return value == float(_decimal(self.shown))

    def is_right(self, typed: float, value: float) -> bool:
        if self.factor > 1:
            return value / self.factor <= typed <= value * self.factor
        near = self.share * abs(value) or (0.0 if self.is_exact(value) else self.rounding)
        return abs(typed - value) <= near + 1e-9 * abs(value)

    def usual_words(self, typed: float) -> str:
        """The explanation of this wrong number; empty if it is not a usual one."""
        near = (words for wrong, words in self.usual if abs(typed - wrong) <= _USUAL_SHARE * wrong)
        return next(near, "")

    def how_wrong(self, readings: tuple[float, ...], value: float) -> str:
        """The message for a wrong number (typed_answers.py explains its readings): whether it is too high or too low,
        by which factor if that is large, and the explanation of a usual wrong number.
        """
        typed = min(readings, key=lambda one: _distance(one, value))
        usual = next(filter(None, map(self.usual_words, readings)), "")
        side = "too high" if typed > value else "too low"
        return f"{side}{_how_far_off(typed, value)}. {usual}".rstrip()


@dataclass(frozen=True)
class Choice:
    """`right` is the index of the right option. `usual` explains for each option why it is wrong, or is empty.
    `smaller` and `larger` are the expressions of the inequality that makes the right option right, or empty.
    """

    id: str
    ask: str
    options: tuple[str, ...]
    right: int
    usual: tuple[str, ...]
    smaller: str = ""
    larger: str = ""


Question = Union[Number, Choice]


@dataclass(frozen=True)
class Prompt:
    """A prompt of a page. The explanation is empty without a folded answer, and there are no questions without a
    comment in it. `page` is the name of the page. `stage` is the number of the stage whose section contains the prompt,
    such as 04b, or empty; `stages_before` are the stages whose sections begin before it.
    """

    page: str
    line: int
    heading: str
    stage: str
    stages_before: tuple[str, ...]
    text: str
    explanation: str
    questions: tuple[Question, ...]


def read_prompts(page: str, name: str = "") -> list[Prompt]:
    """page: its text; name: the name of the page in its prompts. Raises PredictionError for a comment that cannot be
    read.
    """
    page = page.replace("\r\n", "\n")
    answers = {answer["id"]: answer["text"] for answer in _ANSWER.finditer(page)}
    return [_prompt(page, name, found, answers) for found in _PROMPT.finditer(page) if _is_prompt(page, found)]


def with_answers_below(page: str) -> str:
    """The page with each folded answer below its question."""
    asked, _, section = page.partition(SECTION)
    folds = {answer["id"]: answer["fold"] for answer in _ANSWER.finditer(section)}

    def fold_of(link: re.Match[str]) -> str:
        return "\n" + textwrap.indent(folds[link["id"]], link["indent"]) if link["id"] in folds else link[0]

    return _LINK.sub(fold_of, asked)


def _is_prompt(page: str, found: re.Match[str]) -> bool:
    """Whether **Predict** starts a prompt: without a colon it does so only at the beginning of a paragraph."""
    return bool(found["colon"]) or page[: found.start()].endswith("\n\n")


def _prompt(page: str, name: str, found: re.Match[str], answers: dict[str, str]) -> Prompt:
    line = page.count("\n", 0, found.start()) + 1
    paragraph = re.compile(r"\n[ ]*(?=\n)|\n[ ]*<!--.*?-->|\Z", re.DOTALL).search(page, found.end())
    assert paragraph
    headings = _HEADING.findall(page, 0, found.start())
    stages = [section["stage"] or "" for section in _STAGE.finditer(page, 0, found.start())]
    link = _LINK.match(page, paragraph.end())
    inside = answers.get(link["id"], "") if link else ""
    comments = list(_COMMENT.finditer(inside))
    if len(comments) > 1:
        raise PredictionError(f"line {line}: a folded answer has one comment of questions, not {len(comments)}.")
    asked = textwrap.dedent(comments[0]["lines"]) if comments else ""
    begins = page.rfind("\n\n", 0, found.start()) + 2
    before = re.sub(r"^(?:[-*]|\d+\.) ", "", page[begins : found.start()])  # the words before **Predict**
    text = f"{before}Predict{found['colon']}{page[found.end() : paragraph.start()]}"
    return Prompt(
        name,
        line,
        _plain(headings[-1]) if headings else "",
        stages[-1] if stages else "",
        tuple(filter(None, stages)),
        _one_line(_plain(text)),
        _paragraphs(_plain(_ANY_COMMENT.sub("", inside))),
        tuple(_questions(asked, line)),
    )


def _plain(text: str) -> str:
    """The text without Markdown's marks, except those of code."""
    without_links = re.sub(r"\[([^\]\n]+)\]\([^)\n]*\)", r"\1", text)
    return re.sub(r"(?<!\*)(\*{1,2})(?=\S)([^*\n]*\S)\1(?!\*)", r"\2", without_links)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> str:
    return "\n\n".join(filter(None, map(_one_line, re.split(r"\n\s*\n", text))))


def _questions(asked: str, line: int) -> Iterator[Question]:
    ask = ""
    answers: list[str] = []
    for words in [*filter(str.strip, asked.splitlines()), ""]:
        if words.startswith(" "):
            answers.append(words.strip())
            continue
        if ask or answers:
            yield _question(ask, answers, line)
        ask, answers = words.strip(), []


def _question(ask: str, answers: list[str], line: int) -> Question:
    def problem(words: str) -> PredictionError:
        return PredictionError(f"line {line}: the question '{ask}' {words}.")

    if not ask:
        raise problem("has no words: write them in a line that is not indented")
    ids, answers = _taken(_ID, answers)
    if len(ids) != 1:
        raise problem("needs one line 'id NAME', of small letters, digits and hyphens")
    number = _NUMBER.fullmatch(answers[0]) if answers else None
    if number:
        usual, others = _taken(_USUAL, answers[1:])
        if others or not all(one["value"] for one in usual):
            raise problem("can have after its number only lines such as 'usual 4096: That counts bytes.'")
        share, factor = float(number["percent"] or 0) / 100, float(number["factor"] or 1)
        told = tuple((float(_decimal(one["value"])), one["words"]) for one in usual)
        return Number(ids[0]["id"], ask, number["shown"], number["unit"] or "", number["made_of"], share, factor, told)
    where = _WHERE.fullmatch(answers[-1]) if answers else None
    texts, marks, told_of = _options(answers[: len(answers) - bool(where)])
    if not marks:
        raise problem("needs '12 unit = expression', or options '[x] text' and '[ ] text', in indented lines")
    if len(marks) < 2 or marks.count("x") != 1:
        raise problem("needs at least two options, exactly one of them marked as right: [x]")
    return Choice(ids[0]["id"], ask, texts, marks.index("x"), told_of, *(where.groups() if where else ()))


def _taken(pattern: re.Pattern[str], lines: list[str]) -> tuple[list[re.Match[str]], list[str]]:
    """The lines that match the pattern, and the other lines."""
    found = [match for line in lines if (match := pattern.fullmatch(line))]
    return found, [line for line in lines if not pattern.fullmatch(line)]


def _options(lines: list[str]) -> tuple[tuple[str, ...], list[str], tuple[str, ...]]:
    """Text, mark and explanation of each option; nothing if a line has a different form."""
    texts: list[str] = []
    marks: list[str] = []
    told_of: list[str] = []
    for line in lines:
        option, usual = _OPTION.fullmatch(line), _USUAL.fullmatch(line)
        if option:
            texts.append(option["text"])
            marks.append(option["mark"])
            told_of.append("")
        elif usual and marks and not usual["value"] and not told_of[-1]:
            told_of[-1] = usual["words"]
        else:
            return (), [], ()
    return tuple(texts), marks, tuple(told_of)


def _distance(typed: float, value: float) -> float:
    """The logarithm of the factor between two positive numbers; very large if a number is not positive."""
    return abs(math.log(typed / value)) if typed > 0 and value > 0 else 1e9 + abs(typed - value)


def _how_far_off(typed: float, value: float) -> str:
    factor = max(typed / value, value / typed) if typed > 0 and value > 0 else 0.0
    if factor < _FAR:
        return ""
    if factor >= _VERY_FAR:
        return ", by a factor of a million or more"
    two_digits = float(f"{factor:.2g}")
    return f", by a factor of about {two_digits:,.0f}" if two_digits >= 10 else f", by a factor of about {two_digits:g}"


def _decimal(shown: str) -> Decimal:
    return Decimal(shown.replace(",", ""))


def problems_of(prompt: Prompt, value_of: Callable[[str], float]) -> Iterator[str]:
    """The errors in a prompt, for the author of the page; value_of computes an expression."""
    if not prompt.explanation:
        yield "it has no folded answer: <details><summary>Answer</summary>. --write moves an answer below it to the end"
    if not prompt.questions:
        yield "its folded answer ends without a comment: <!-- predict"
    names = [question.ask for question in prompt.questions]
    if len(set(names)) < len(names):
        yield "it asks the same question twice"
    for question in prompt.questions:
        if isinstance(question, Number):
            value = value_of(question.made_of)
            if not question.is_shown_right(value):
                yield f"'{question.ask}': {question.shown} is shown, but {question.made_of} is {value:.6g}"
            if not _appears_in(question.shown, prompt.explanation):
                yield f"'{question.ask}': {question.shown} does not appear in the folded answer"
            for wrong, _ in question.usual:
                if question.is_right(wrong, value):
                    yield f"'{question.ask}': {wrong:g} is listed as a usual wrong answer, but it is right"
        elif question.usual[question.right]:
            yield f"'{question.ask}': the right option is listed as a usual wrong answer"
        elif question.smaller and not value_of(question.smaller) < value_of(question.larger):
            yield f"'{question.ask}': {question.smaller} is not less than {question.larger}"


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _appears_in(shown: str, text: str) -> bool:
    """Whether the number appears in the text, in digits or, up to twelve, as a word."""
    forms = [re.escape(shown)]
    if shown.isdigit() and int(shown) < len(_WORDS):
        forms.append(_WORDS[int(shown)])
    pattern = rf"(?<![\w.,])(?:{'|'.join(forms)})(?![\w]|[.,]\d)"
    return re.search(pattern, text, re.IGNORECASE) is not None
