"""The output of commands with --json, for editors and scripts: one object on standard output. docs/json.md has the
fields."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator

SCHEMA = 1  # increases when a field changes its meaning or is removed, not when a field is added


def say_json(fields: dict[str, object]) -> None:
    print(json.dumps({"schema": SCHEMA, **fields}, indent=1))


@contextlib.contextmanager
def words_apart(apart: bool = True) -> Iterator[None]:
    """Sends messages for people to standard error, so that they do not mix with the object."""
    if not apart:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield
