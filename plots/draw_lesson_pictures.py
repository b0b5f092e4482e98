#!/usr/bin/env python3
"""Draws the pictures of a chapter's lesson, from the index formulas of its stages and from their traces.

    python3 plots/draw_lesson_pictures.py ch3_transpose            writes chapters/ch3_transpose/lesson/pictures/*.svg
    python3 plots/draw_lesson_pictures.py ch3_transpose --trace    traces the stages again before that
    python3 plots/draw_lesson_pictures.py ch3_transpose --check    exits 1 if a picture is out of date

With --check, --trace compares the traces too. --build FOLDER uses the traced programs there, without building.
"""

from __future__ import annotations

import argparse
import operator
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "common"))

from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
import dot_product_pictures
import each_pair_once_pictures
import machine_pictures
import many_gpus_pictures
import matmul_paper_pictures
import matmul_pictures
import overlap_pictures
import pair_pictures
import reduction_pictures
import saxpy_pictures
import subset_sum_pictures
import tensor_core_pictures
import vector_map_pictures
from lesson_traces import same_requests, trace_file, trace_programs, traced_requests
from transpose_access_pictures import banks
from transpose_paper_pictures import banks_on_paper, halo, matrix_and_memory
from transpose_tile_pictures import tile_order, tile_turn

_CHAPTER_0, _CHAPTER_3 = "ch0_machine", "ch3_transpose"
_CHAPTER_1, _CHAPTER_2 = "ch1_saxpy", "ch2_subset_sum"
_CHAPTER_4, _CHAPTER_5 = "ch4_reduction", "ch5_dot_product"
_CHAPTER_6, _CHAPTER_7, _CHAPTER_8, _CHAPTER_9 = "ch6_matmul", "ch7_vector_map", "ch8_tsne", "ch9_embedding"
_CHAPTER_10, _CHAPTER_11 = "ch10_many_gpus", "ch11_tensor_cores"


def warp_requests() -> str:
    title = "Stage 01: one warp reads along a row and writes down a column"
    return traced_requests(ROOT, _CHAPTER_3, "ch3_transpose_naive", "global", title)


def bank_conflict() -> str:
    title = "Stage 02: one warp writes a row of the tile and reads a column"
    return traced_requests(ROOT, _CHAPTER_3, "ch3_transpose_localmem", "shared", title)


PICTURES: dict[str, dict[str, Callable[[], str]]] = {
    _CHAPTER_0: {
        "host_and_device.svg": machine_pictures.host_and_device,
        "grid_of_blocks.svg": machine_pictures.grid_of_blocks,
        "warps_of_shapes.svg": machine_pictures.warps_of_shapes,
        "two_ways.svg": machine_pictures.two_ways,
        "memories.svg": machine_pictures.memories,
        "sectors.svg": machine_pictures.sectors,
        "time_lines.svg": machine_pictures.time_lines,
    },
    _CHAPTER_1: {
        "warp_to_sectors.svg": saxpy_pictures.warp_to_sectors,
        "elements_and_guard.svg": saxpy_pictures.elements_and_guard,
        "who_takes_what.svg": saxpy_pictures.who_takes_what,
        "saxpy_elements.svg": saxpy_pictures.saxpy_elements,
        "grid_stride_on_paper.svg": saxpy_pictures.grid_stride_on_paper,
        "bytes_in_flight.svg": saxpy_pictures.bytes_in_flight,
    },
    _CHAPTER_2: {
        "table_by_columns.svg": subset_sum_pictures.table_by_columns,
        "one_launch.svg": subset_sum_pictures.one_launch,
        "shift_and_or.svg": subset_sum_pictures.shift_and_or,
        "request_sizes.svg": subset_sum_pictures.request_sizes,
    },
    _CHAPTER_3: {
        "matrix_and_memory.svg": matrix_and_memory,
        "warp_requests.svg": warp_requests,
        "bank_conflict.svg": bank_conflict,
        "banks_on_paper.svg": banks_on_paper,
        "halo.svg": halo,
        "banks.svg": banks,
        "tile_turn.svg": tile_turn,
        "tile_order.svg": tile_order,
    },
    _CHAPTER_4: {
        "chain_and_tree.svg": reduction_pictures.chain_and_tree,
        "tree_of_halves.svg": reduction_pictures.tree_of_halves,
        "warp_shuffles.svg": reduction_pictures.warp_shuffles,
        "terms_to_sum.svg": reduction_pictures.terms_to_sum,
        "last_block_orders.svg": reduction_pictures.last_block_orders,
        "tree_of_leaves.svg": reduction_pictures.tree_of_leaves,
    },
    _CHAPTER_5: {
        "ways_to_finish.svg": dot_product_pictures.ways_to_finish,
        "chunk_requests.svg": dot_product_pictures.chunk_requests,
    },
    _CHAPTER_6: {
        "row_by_column.svg": matmul_paper_pictures.row_by_column,
        "tiles_on_paper.svg": matmul_paper_pictures.tiles_on_paper,
        "tile_and_strips.svg": matmul_pictures.tile_and_strips,
        "register_tile.svg": matmul_pictures.register_tile,
        "buffers_in_turn.svg": overlap_pictures.buffers_in_turn,
        "tile_bands.svg": matmul_pictures.tile_bands,
    },
    _CHAPTER_7: {
        "worth_the_copies.svg": vector_map_pictures.worth_the_copies,
        "streams.svg": overlap_pictures.streams,
    },
    _CHAPTER_8: {
        "triangle_of_pairs.svg": pair_pictures.triangle_of_pairs,
        "tiles_of_pairs.svg": pair_pictures.tiles_of_pairs,
        "swizzled_banks.svg": pair_pictures.swizzled_banks,
        "packed_order.svg": pair_pictures.packed_order,
    },
    _CHAPTER_9: {
        "sums_go_round.svg": each_pair_once_pictures.sums_go_round,
        "tiles_meet.svg": each_pair_once_pictures.tiles_meet,
    },
    _CHAPTER_10: {
        "ring_steps.svg": many_gpus_pictures.ring_steps,
        "blocks_owned.svg": many_gpus_pictures.blocks_owned,
    },
    _CHAPTER_11: {
        "instruction_sizes.svg": tensor_core_pictures.instruction_sizes,
        "fragments.svg": matmul_pictures.fragments,
        "tf32_parts.svg": tensor_core_pictures.tf32_parts,
    },
}


def main(arguments: list[str]) -> int:
    """Exit code 1 for a file that is missing, out of date or cannot be written, and for a program that fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter", choices=sorted(PICTURES))
    parser.add_argument("--check", action="store_true", help="compare the files with the new pictures")
    parser.add_argument("--trace", action="store_true", help="run the traced stages")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="the folder of the traced programs")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    fix = f"python3 plots/draw_lesson_pictures.py {parsed.chapter}"
    try:
        if parsed.trace:
            reports = trace_programs(ROOT, parsed.chapter, parsed.build)
            traces = [(trace_file(parsed.root, parsed.chapter, target), text) for target, text in reports.items()]
            if parsed.check and check(parsed.root, traces, same_requests, f"{fix} --trace") != 0:
                return 1
            if not parsed.check:
                write(parsed.root, traces)
        folder = ChapterFiles(parsed.root, parsed.chapter).pictures
        pictures = [(folder / name, draw()) for name, draw in PICTURES[parsed.chapter].items()]
        return check(parsed.root, pictures, operator.eq, fix) if parsed.check else write(parsed.root, pictures)
    except (OSError, WorkbookError) as error:
        print(error, file=sys.stderr)
        return 1


def write(root: Path, files: Iterable[tuple[Path, str]]) -> int:
    for file, text in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        print(f"Wrote {file.relative_to(root)}")
    return 0


def check(root: Path, files: Iterable[tuple[Path, str]], same: Callable[[str, str], bool], fix: str) -> int:
    out_of_date = [
        str(file.relative_to(root))
        for file, text in files
        if not file.exists() or not same(file.read_text(encoding="utf-8"), text)
    ]
    if not out_of_date:
        return 0
    print(f"Out of date: {', '.join(out_of_date)}\nFix it with: {fix}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
