"""What commands print with --json, for editors and scripts: one object, on the standard output alone. docs/json.md has
the fields."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator

SCHEMA = 1  # grows when a field changes its meaning or goes, not when one is added


def say_json(fields: dict[str, object]) -> None:
    print(json.dumps({"schema": SCHEMA, **fields}, indent=1))


@contextlib.contextmanager
def words_apart(apart: bool = True) -> Iterator[None]:
    """Sends what a person would read to the standard error, so that it does not mix with the object."""
    if not apart:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield
