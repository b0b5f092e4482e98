"""Where the workbook is published: the notebook's first cell, the badges and the lines `git clone` have the address of
CITATION.cff.

    check_address.py            prints what has another address, and exits with 1
    check_address.py --write    puts the address there

The setting is the line `repository-code: https://...` of CITATION.cff. Without it, and for an address that is not on
GitHub, there are no badges: Colab and Codespaces open repositories of GitHub alone. Without it the lines `git clone` have
UNKNOWN.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SETTING = ROOT / "CITATION.cff"
NOTEBOOK = ROOT / "docs/start.ipynb"
PAGE = ROOT / "docs/setup.md"
README = ROOT / "README.md"
UNKNOWN = "<address of this repository>"

_SETTING = re.compile(r'^repository-code: *"?(https://[^"\s]+?)(?:\.git)?/?"?$', re.MULTILINE)
_ADDRESS = re.compile(r'(?<=ADDRESS = \\").*?(?=\\")')
_CLONE = re.compile(r"(?<=^git clone ).*(?= workbook$)", re.MULTILINE)
_BADGES = re.compile(r"(?<=<!-- badges:begin -->\n).*?(?=<!-- badges:end -->)", re.DOTALL)
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
_NOTEBOOK_IN_CLONE = "blob/main/docs/start.ipynb"


def address_of(setting: str) -> str:
    """Empty without the line."""
    found = _SETTING.search(setting)
    return found[1] if found else ""


def badges(address: str) -> str:
    """The lines between the marks of the page."""
    repository = _GITHUB.fullmatch(address)
    if not repository:
        return ""
    colab = f"https://colab.research.google.com/github/{repository[1]}/{_NOTEBOOK_IN_CLONE}"
    return (
        f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({colab})\n"
        f"[![Open in Codespaces](https://github.com/codespaces/badge.svg)](https://codespaces.new/{repository[1]})\n"
    )


def with_address(text: str, address: str) -> str:
    """The text of the notebook or of a page, with this address."""
    text = _ADDRESS.sub(lambda _: address, text)
    return _CLONE.sub(lambda _: address or UNKNOWN, _BADGES.sub(lambda _: badges(address), text))


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    address = address_of(SETTING.read_text(encoding="utf-8"))
    before = {file: file.read_text(encoding="utf-8") for file in (NOTEBOOK, PAGE, README)}
    differ = [(file, after) for file, old in before.items() if (after := with_address(old, address)) != old]
    for file, text in differ:
        if arguments:
            file.write_text(text, encoding="utf-8")
        else:
            print(f"{file} does not have the address of {SETTING.name}. Write it: {Path(__file__).name} --write")
    return 1 if differ and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
