"""The counts of the two instruments, for each kind of claim."""

from __future__ import annotations

import dataclasses
import unittest
from collections import defaultdict
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.errors import WorkbookError
from cli.measuring.claims import Claim, counts_in_report, counts_of_launches, parse_claims
from cli.measuring.ncu import ProfiledKernel
from cli.tracing.report import Access, Kernel, Link, Report

_LOADS = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"
_SHARED_BYTES = "launch__shared_mem_per_block_{}"


def launch(**counters: float) -> ProfiledKernel:
    return ProfiledKernel("k", "(1, 1, 1)", "(1, 1, 1)", defaultdict(float, counters))


def kernel(launches: int, threads: int, shared_bytes: tuple[int, int], *accesses: Access) -> Kernel:
    return Kernel("k", launches, (1, 1, 1), (1, 1, 1), *shared_bytes, 1, threads, 0, accesses)


class ClaimsTest(unittest.TestCase):
    def test_counts_in_the_simulators_report(self) -> None:
        load = Access("a.cu", 1, 1, "global", "load", 4, requests=10, lanes=320, sectors=40)
        more = Access("a.cu", 2, 1, "global", "load", 4, requests=2, lanes=64, sectors=64)
        store = Access("a.cu", 3, 1, "shared", "store", 4, requests=4, lanes=128, wavefronts=8, ideal_wavefronts=4)
        report = Report((kernel(1, 320, (4096, 128), load, store), kernel(3, 96, (0, 0), more)))
        self.assertEqual(
            counts_in_report(report),
            {
                ("global", "load", "sectors_per_request"): 104 / 12,
                ("global", "load", "requests"): 12,
                ("shared", "store", "conflict_ways"): 2,
                ("shared", "store", "wavefronts"): 8,
                ("shared", "allocation", "bytes_per_block"): 1056,  # 4224 once, 0 three times
                ("kernel", "launch", "threads"): 416,
                ("kernel", "branch", "diverged"): 0,
                ("kernel", "warp", "requests"): 0,
            },
        )

    def test_the_requests_of_the_busiest_warps_add_up(self) -> None:
        kernels = tuple(dataclasses.replace(kernel(1, 32, (0, 0)), busiest_warp_requests=requests) for requests in (3, 40))
        self.assertEqual(counts_in_report(Report(kernels))["kernel", "warp", "requests"], 43)

    def test_for_a_goal_an_asynchronous_copy_is_a_store_to_shared_memory(self) -> None:
        copy = Access("a.cu", 1, 1, "shared", "copy", 16, requests=4, lanes=128, wavefronts=16, ideal_wavefronts=16)
        store = Access("a.cu", 2, 1, "shared", "store", 4, requests=2, lanes=64, wavefronts=4, ideal_wavefronts=2)
        for accesses, wavefronts, ways in (((copy,), 16, 1), ((copy, store), 20, 2), ((store,), 4, 2), ((), None, None)):
            counts = counts_in_report(Report((kernel(1, 32, (0, 0), *accesses),)))
            for measure, count in (("wavefronts", wavefronts), ("conflict_ways", ways)):
                claim = Claim("tiled", (), "shared", "store", measure, 1, 0)
                self.assertEqual(claim.goal_count(counts), count)

    def test_bytes_over_links(self) -> None:
        links = (Link(0, 1, 100, by_kernels=60, by_copies=40), Link(2, 0, 7, by_nccl=7))
        counts = counts_in_report(Report(devices=3, links=links))
        kinds = ("all", "0-1", "1-0", "2-0")
        self.assertEqual([counts["link", kind, "link_bytes"] for kind in kinds], [107, 100, 0, 7])

    def test_a_claim_about_a_link(self) -> None:
        lines = ["stage,memory,operation,measure,value,tolerance", "a,link,3-1,link_bytes,6,0"]
        self.assertEqual(parse_claims(lines, Path("claims.csv"))[0].operation, "3-1")
        with self.assertRaisesRegex(WorkbookError, r"claims.csv:2: a claim is about one of .*link_bytes"):
            parse_claims([lines[0], "a,link,1-1,link_bytes,6,0"], Path("claims.csv"))

    def test_report_without_kernels_or_links(self) -> None:
        self.assertEqual(counts_in_report(Report()), {})

    def test_counts_of_a_gpu(self) -> None:
        counters = {
            _LOADS.format("requests"): 16384.0,
            _LOADS.format("sectors"): 65536.0,
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 16.0,
            "smsp__sass_data_bytes_mem_shared_op_st.sum": 1024.0,  # 8 wavefronts of 128 bytes
            "smsp__inst_executed_op_shared_st_pred_on_any.sum": 2.0,
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 30.0,
            "smsp__sass_data_bytes_mem_shared_op_ld.sum": 40.0,  # each request is for one word that all its lanes read
            "smsp__inst_executed_op_shared_ld_pred_on_any.sum": 10.0,
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": 3.0,
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": 4.0,
            _SHARED_BYTES.format("static"): 4224.0,
            "launch__thread_count": 131072.0,
        }
        other = {
            _SHARED_BYTES.format("static"): 24.0,
            _SHARED_BYTES.format("dynamic"): 1000.0,
            "launch__thread_count": 1024.0,
        }
        self.assertEqual(
            counts_of_launches([launch(**counters), launch(**other)]),
            {
                ("global", "load", "sectors_per_request"): 4,
                ("global", "load", "requests"): 16384,
                ("global", "atomic", "requests"): 7,
                ("shared", "load", "conflict_ways"): 3,
                ("shared", "store", "conflict_ways"): 2,
                ("shared", "load", "wavefronts"): 30,
                ("shared", "store", "wavefronts"): 16,
                ("shared", "allocation", "bytes_per_block"): 2624,  # 4224 and 1024
                ("kernel", "launch", "threads"): 132096,
            },
        )

    def test_claim(self) -> None:
        claim = Claim("naive", (), "global", "store", "sectors_per_request", 4.5, 0.5)
        counts = {("global", "store", "sectors_per_request"): 5.0}
        self.assertTrue(claim.holds(counts))
        self.assertFalse(claim.holds({("global", "store", "sectors_per_request"): 5.1}))
        self.assertFalse(claim.holds({}))
        self.assertEqual(claim.count(counts), 5.0)

    def test_the_column_simulator_only_is_not_an_option(self) -> None:
        lines = [
            "stage,rows,memory,operation,measure,value,tolerance,simulator_only",
            'a,8,global,store,requests,6,0," printf stores, too"',
            "b,8,kernel,launch,threads,128,0,",
        ]
        claims = parse_claims(lines, Path("claims.csv"))
        self.assertEqual([claim.simulator_only for claim in claims], ["printf stores, too", ""])
        self.assertEqual([claim.options for claim in claims], [("--rows", "8")] * 2)
        lines = ["stage,memory,operation,measure,value,tolerance", "a,global,store,requests,6,0"]  # without it
        self.assertEqual(parse_claims(lines, Path("claims.csv"))[0].simulator_only, "")
