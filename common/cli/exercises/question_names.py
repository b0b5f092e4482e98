"""The names of Predict questions in progress.csv, which contain their ids, and older names for them."""

from __future__ import annotations

import csv
import functools
from pathlib import Path

QUESTION_PREFIX = "predict_"
# Older names, made from the words of a question: each is read as the name with the id.
_OTHER_NAMES = Path(__file__).with_name("question_names.csv")


def name_in_progress(name: str) -> str:
    """The present name of an entry: for a question the name with its id; all other names stay unchanged."""
    return _by_other_name().get(name, name)


def other_names(question_id: str) -> list[str]:
    return [name for name, kept in _by_other_name().items() if kept == f"{QUESTION_PREFIX}{question_id}"]


@functools.cache
def _by_other_name() -> dict[str, str]:
    with _OTHER_NAMES.open(encoding="utf-8", newline="") as file:
        return {row["name"]: f"{QUESTION_PREFIX}{row['id']}" for row in csv.DictReader(file)}
