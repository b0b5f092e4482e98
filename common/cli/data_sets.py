"""The real data in the workbook, and their conversion to CSV files for a chapter's programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cli.errors import UsageError, WorkbookError


@dataclass(frozen=True)
class DataSet:
    """source: one item per line: its pixels as letters (A for 0, B for 1, ...), then its label. `#` starts a comment."""

    name: str
    about: str
    chapter: str  # the chapter whose programs use it
    source: str  # relative to the chapter's folder
    pixels: int


DATA_SETS = (
    DataSet("digits", "1797 handwritten digits of 8 x 8 pixels", "ch9_embedding", "data/digits.txt", 64),
)


@dataclass(frozen=True)
class DataFiles:
    """The files from write_data_set: one vector per line, and one label per line."""

    vectors: Path
    labels: Path


def find_data_set(name: str) -> DataSet:
    """The data set with this name. Raises UsageError, with all names."""
    for data_set in DATA_SETS:
        if data_set.name == name:
            return data_set
    names = ", ".join(data_set.name for data_set in DATA_SETS)
    raise UsageError(f"There is no data set '{name}'. The data sets are: {names}.")


def data_folder(root: Path) -> Path:
    """The default folder for data sets and for results from them; git ignores it."""
    return root / "data"


def write_data_set(data_set: DataSet, root: Path, folder: Path) -> DataFiles:
    """Writes <name>.csv and <name>_labels.csv into the folder, and creates the folder if necessary.

    Raises WorkbookError if the source is missing or damaged, or if the folder cannot be written.
    """
    source = root / "chapters" / data_set.chapter / data_set.source
    try:
        lines = [line for line in source.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbookError(f"{source} cannot be read. Restore it with: git checkout -- {source}") from error
    rows = [_numbers(data_set, line) for line in lines]
    if not rows or None in rows:
        raise WorkbookError(f"{source} is damaged. Restore it with: git checkout -- {source}")
    pixel_names = ",".join(f"pixel{number}" for number in range(data_set.pixels))
    vectors = [pixel_names, *(",".join(map(str, row[:-1])) for row in rows if row)]
    labels = ["label", *(str(row[-1]) for row in rows if row)]
    files = DataFiles(folder / f"{data_set.name}.csv", folder / f"{data_set.name}_labels.csv")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files.vectors.write_text("\n".join(vectors) + "\n", encoding="ascii")
        files.labels.write_text("\n".join(labels) + "\n", encoding="ascii")
    except OSError as error:
        raise WorkbookError(f"{folder} cannot be written: {error.strerror}. Name a different folder.") from error
    return files


def _numbers(data_set: DataSet, line: str) -> list[int] | None:
    letters, label = line[: data_set.pixels], line[data_set.pixels :]
    is_right = len(letters) == data_set.pixels and all("A" <= letter <= "Z" for letter in letters) and label.isdigit()
    return [*(ord(letter) - ord("A") for letter in letters), int(label)] if is_right else None
