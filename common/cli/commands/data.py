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
NAME is a data set; without it, the command lists the data sets. Writes NAME.csv, with one line of numbers per vector,
and NAME_labels.csv, with the label of each vector, into the workbook's folder data/ or into DIR. Needs no network.

  ./workbook data digits
  ./workbook run ch9_embedding --data digits     # also writes them, and draws a map
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
    say(f"{data_set.about}: {workbook.shown(files.vectors)}, with labels in {workbook.shown(files.labels)}")
    return EXIT_OK
