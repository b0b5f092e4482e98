"""The pages for stepping through the stages of the first chapters, and their positions in the lessons."""

from __future__ import annotations

import hashlib
import html
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

from cli.book.markdown import Section
from cli.building.build_tree import BuildTree, simulator_tree
from cli.building.kernel_use import launches_kernels
from cli.catalogue import Program
from cli.measuring.measurements import usual_options
from cli.stepping import page_file
from cli.stepping.page_data import page_data
from cli.terminal.phases import Phase
from cli.tracing.trace import trace
from cli.workbook import Workbook

FOLDER = "steps"
_CHAPTERS = ("ch0", "ch1", "ch2", "ch3", "ch4", "ch5")
_ENVIRONMENT = {"CUDA_SIMULATOR_STEPS": "1", "CUDA_SIMULATOR_ELEMENTS": "1"}
_MADE_BY = ("stepping", "tracing", "pictures", "terminal")  # the folders of the command whose code writes such a page
_STAGE = re.compile(r"Stages? (?P<numbers>\d+[a-z]?(?:(?:, | and | to )\d+[a-z]?)*)\b")
_NUMBER = re.compile(r"(?P<number>\d+)(?P<variant>[a-z]?)")


def stepped_stages(workbook: Workbook) -> list[Program]:
    """The stages with a page: all stages of the first chapters that the simulator can run."""
    return [
        stage
        for chapter in workbook.catalogue.chapters
        if chapter.name.split("_", 1)[0] in _CHAPTERS
        for stage in chapter.of_kind("stage")
        if not stage.needs_gpu
        and not stage.is_on_cpu
        and _NUMBER.match(stage.source.name)
        and launches_kernels(stage, workbook)
    ]


def make_step_pages(workbook: Workbook, folder: Path) -> None:
    """Writes the pages of all stages into a folder, if something has changed since they were written. If a reader has
    put a bug into a stage, its page shows the error. Raises the errors of a build and a traced run.
    """
    stages = stepped_stages(workbook)
    if not stages:
        return
    tree = simulator_tree(workbook)
    tree.build("the stages to step through", [f"{stage.target}_inspect" for stage in stages])
    folder.mkdir(parents=True, exist_ok=True)
    keys = {stage.target: _key(stage, workbook, tree) for stage in stages}
    keys_file = folder.with_suffix(".json")  # the key of each page when it was written
    known = _read(keys_file)
    stale = [
        stage for stage in stages if known.get(stage.target) != keys[stage.target] or not _page(folder, stage).is_file()
    ]
    if stale:
        keys_file.unlink(missing_ok=True)
        _trace_all(stale, workbook, tree, folder)
    for file in set(folder.iterdir()) - {_page(folder, stage) for stage in stages}:
        file.unlink()
    keys_file.write_text(json.dumps(keys, indent=1), encoding="ascii")


def _read(file: Path) -> dict[str, str]:
    try:
        return dict(json.loads(file.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return {}


def _page(folder: Path, stage: Program) -> Path:
    return folder / f"{stage.target}.html"


def _trace_all(stages: list[Program], workbook: Workbook, tree: BuildTree, folder: Path) -> None:
    with Phase("Tracing the stages to step through") as phase:
        for number, stage in enumerate(stages, start=1):
            phase.at(f"{number} of {len(stages)}: {stage.target}")
            _write(stage, workbook, tree, folder)


def _write(stage: Program, workbook: Workbook, tree: BuildTree, folder: Path) -> None:
    began_s = time.time()
    options = usual_options(workbook.files_of(stage.chapter).inspect_size)
    run = trace(tree.program(f"{stage.target}_inspect"), options, environment=_ENVIRONMENT)
    page = page_file.page_text(page_data([run], began_s))
    # The page is read on other machines, so paths are relative to the workbook's folder.
    page = page.replace(f"{workbook.root}/", "")
    _page(folder, stage).write_text(page, encoding="utf-8")


def _key(stage: Program, workbook: Workbook, tree: BuildTree) -> str:
    """A key of all inputs of the page: it changes when the page would change."""
    digest = hashlib.sha256()
    cli = workbook.root / "common/cli"
    code = (file for folder in _MADE_BY for file in sorted((cli / folder).iterdir()) if file.is_file())
    folders = workbook.files_of(stage.chapter).include_folders
    sources = (file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix in (".cu", ".h"))
    size = workbook.files_of(stage.chapter).inspect_size
    program = tree.program(f"{stage.target}_inspect")
    for file in (program, *sources, *code, *([size] if size.is_file() else [])):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def stages_in(section: Section, stages: list[Program], sections: list[Section]) -> Iterator[Program]:
    """The stages that a section of their chapter's lesson describes, by the numbers in its heading. A variant, such as
    02b, belongs to the section of stage 02 unless one of the lesson's `sections` names it.
    """
    here = _numbers_in(section)
    elsewhere = {number for other in sections for number in _numbers_in(other)} - here
    for stage in stages:
        if found := _NUMBER.match(stage.source.name):
            number = int(found["number"]), found["variant"]
            if number in here or ((number[0], "") in here and number not in elsewhere):
                yield stage


def _numbers_in(section: Section) -> set[tuple[int, str]]:
    """The stages in the heading of a section of the second level, each with its variant's letter or ""."""
    found = _STAGE.match(section.text) if section.level == 2 else None
    return {(int(number), variant) for number, variant in _NUMBER.findall(found["numbers"])} if found else set()


def frame(stage: Program, way_up: str) -> str:
    """HTML that shows a stage's page when it is opened. way_up: the path from the lesson's folder to the book's."""
    name = html.escape(stage.source.name)
    page = f"{way_up}{FOLDER}/{stage.target}.html"
    return (
        f'<details class="steps" id="steps-{stage.target}">'
        f"<summary>Step through <code>{name}</code>, request by request</summary>\n"
        f'<p><a href="{page}" target="_blank" rel="noopener">Open it in a new tab</a></p>\n'
        f'<iframe src="{page}" loading="lazy" title="{name}, step by step"></iframe>\n</details>'
    )
