"""What Predict questions are called in progress.csv: by their ids; and the other names that a file may have for them."""

from __future__ import annotations

import csv
import functools
from pathlib import Path

QUESTION_PREFIX = "predict_"
# Names that were made of a question's words: a progress.csv of that kind is read as if it had the ids.
_OTHER_NAMES = Path(__file__).with_name("question_names.csv")


def name_in_progress(name: str) -> str:
    """The name of an entry as it is kept: that of a question by its id, and any other as it is."""
    return _by_other_name().get(name, name)


def other_names(question_id: str) -> list[str]:
    return [name for name, kept in _by_other_name().items() if kept == f"{QUESTION_PREFIX}{question_id}"]


@functools.cache
def _by_other_name() -> dict[str, str]:
    with _OTHER_NAMES.open(encoding="utf-8", newline="") as file:
        return {row["name"]: f"{QUESTION_PREFIX}{row['id']}" for row in csv.DictReader(file)}
