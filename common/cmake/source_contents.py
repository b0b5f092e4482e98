"""Makes sure that products of a build match the contents of their source files, not only the files' times.

make compares times: a file that was replaced by one with an older time (cp -p, a restored backup, another checkout, a
wrong clock) is not built. So each step that writes a kernel's product also writes PRODUCT.contents next to it, with a
line `SHA256 FILE` for each file that it read. Before make compares times, `check` removes products of other contents.

Usage: source_contents.py check LIST       LIST has lines `PRODUCT|SOURCE` and is in the root of the build tree
       source_contents.py compile COMMAND  runs a compiler's command, and records the contents of the files that it read
"""

from __future__ import annotations

import hashlib
import os
import sys
import time

RECORD_SUFFIX = ".contents"
_CLOCK_TOLERANCE_S = 1.0


class Contents:
    """The hashes of files, each read once."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The hash of a file; empty if it cannot be read."""
        if path not in self._hashes:
            try:
                with open(path, "rb") as file:
                    self._hashes[path] = hashlib.sha256(file.read()).hexdigest()
            except OSError:
                self._hashes[path] = ""
        return self._hashes[path]


def remove_stale(products: list[tuple[str, str]]) -> list[str]:
    """Removes the products whose sources have changed contents, and returns them."""
    contents = Contents()
    stale = [product for product, source in products if os.path.exists(product) and not _is_of(product, source, contents)]
    for product in stale:
        os.unlink(product)
    return stale


def _is_of(product: str, source: str, contents: Contents) -> bool:
    try:
        with open(product + RECORD_SUFFIX, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    records = [tuple(line.split(" ", 1)) for line in lines]
    if not records or any(len(record) != 2 for record in records) or records[0][1] != source:
        return False
    return all(contents.of(path) == digest for digest, path in records)


def set_back_clocks(tree: str, products: list[str]) -> None:
    """Sets files of a build tree with a time in the future to the present: make would never build them again."""
    now = time.time()
    programs = os.path.join(tree, "bin")
    names = os.listdir(programs) if os.path.isdir(programs) else []
    files = [*products, *(os.path.join(programs, name) for name in names)]
    if not any(_is_later(path, now) for path in files):
        return
    for folder, _, names in os.walk(tree):
        for path in (os.path.join(folder, name) for name in names):
            if _is_later(path, now):
                os.utime(path, (now, now), follow_symlinks=False)


def _is_later(path: str, now: float) -> bool:
    try:
        return os.lstat(path).st_mtime > now + _CLOCK_TOLERANCE_S
    except OSError:
        return False


def check(list_file: str) -> int:
    with open(list_file, encoding="utf-8", errors="surrogateescape") as file:
        products = [(product, source) for product, _, source in (line.rstrip("\n").partition("|") for line in file)]
    remove_stale(products)
    set_back_clocks(os.path.dirname(list_file), [product for product, _ in products])
    return 0


def compile_and_record(command: list[str]) -> int:
    """Records the source and the headers in its folder or in a folder of -I: learners do not edit other headers."""
    product, source = command[command.index("-o") + 1], command[command.index("-c") + 1]
    if os.path.exists(product + RECORD_SUFFIX):
        os.unlink(product + RECORD_SUFFIX)
    import subprocess  # imported here, because `check` delays every build

    before = Contents()
    before.of(source)
    returncode = subprocess.run(command, check=False).returncode
    if returncode == 0 and "-MF" in command:
        folders = [os.path.dirname(source), *(word[2:] for word in command if word.startswith("-I"))]
        beginnings = tuple(os.path.realpath(folder) + os.sep for folder in folders if folder)
        headers = _files_in(command[command.index("-MF") + 1])
        own = [path for path in headers if os.path.realpath(path).startswith(beginnings) and path != source]
        with open(product + RECORD_SUFFIX, "w", encoding="utf-8", errors="surrogateescape") as record:
            record.writelines(f"{before.of(path)} {os.path.abspath(path)}\n" for path in (source, *own))
    return returncode


def _files_in(depfile: str) -> list[str]:
    """The files after the colon in a compiler's dependency list for make."""
    with open(depfile, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ").partition(": ")[2]
    import re

    words = re.findall(r"(?:\\.|[^\s\\])+", text)
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words]


def main(arguments: list[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "check":
        return check(arguments[1])
    if len(arguments) > 1 and arguments[0] == "compile":
        return compile_and_record(arguments[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
