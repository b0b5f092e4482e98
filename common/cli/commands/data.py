"""`./workbook data`"""

from __future__ import annotations

from pathlib import Path

from cli.data_sets import DATA_SETS, data_folder, find_data_set, write_data_set
from cli.errors import EXIT_OK
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "write real data sets as CSV files"
USAGE = "data [NAME] [--output DIR]"
DETAILS = """
NAME is a data set; without it, says which there are. Writes NAME.csv, a line of numbers for each vector, and
NAME_labels.csv, what each vector is. They lie in data/ of the workbook, or in DIR. No network is needed.

  ./workbook data digits
  ./workbook run ch9_embedding --data digits     # writes them too, and draws a map of them
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("data", USAGE)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--output", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.name is None:
        for data_set in DATA_SETS:
            say(f"{data_set.name}  {data_set.about}; for {data_set.chapter}")
        return EXIT_OK
    data_set = find_data_set(parsed.name)
    folder = parsed.output if parsed.output is not None else data_folder(workbook.root)
    files = write_data_set(data_set, workbook.root, folder)
    say(f"{data_set.about}: {workbook.shown(files.vectors)}, and what they are: {workbook.shown(files.labels)}")
    return EXIT_OK
