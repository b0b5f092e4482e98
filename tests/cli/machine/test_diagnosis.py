from __future__ import annotations

import os
import unittest
import unittest.mock

import support  # noqa: F401  # puts the command on the path

from cli.machine.diagnosis import MISSING, NOTE, OK, Check, Probe, optional_checks, simulator_checks
from cli.machine.several_gpus import link_words

GOOD = {
    "g++": "g++ (Debian 12.2.0-14+deb12u1) 12.2.0",
    "make": "GNU Make 4.3",
    "cmake": "cmake version 3.25.1",
    "ninja": "1.11.1\n",
    "clang++": "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu",
    "nvcc": "Cuda compilation tools, release 13.0, V13.0.88",
    "nvidia-smi": "| NVIDIA-SMI 580.82.07   Driver Version: 580.82.07   CUDA Version: 13.0 |",
    "nvidia-smi --query-gpu=name,driver_version,compute_cap": "NVIDIA H200, 580.82.07, 9.0\n",
}


def checks(
    system: str = "Linux",
    machine: str = "x86_64",
    free_disk_gb: float = 50,
    manager: str = "apt-get install",
    **changed: str | None,
) -> dict[str, Check]:
    outputs: dict[str, str | None] = {**GOOD, **{name.replace("_", "-"): text for name, text in changed.items()}}

    def output_of(command: list[str]) -> str | None:
        if outputs.get(command[0], "") is None:
            return None
        return outputs.get(" ".join(command[:2]), outputs.get(command[0]))

    def how_to_install(tool: str) -> str:
        return f"{manager} {tool}" if manager else ""

    has = {"has_googletest": True, "has_matplotlib": False}
    probe = Probe(output_of, system, machine, "6.1.0", free_disk_gb, **has, how_to_install=how_to_install)
    return {check.name: check for check in simulator_checks(probe) + optional_checks(probe)}


class DiagnosisTest(unittest.TestCase):
    def setUp(self) -> None:
        patched = unittest.mock.patch.dict("os.environ")
        patched.start()
        self.addCleanup(patched.stop)
        os.environ.pop("CXX", None)

    def test_all_is_well(self) -> None:
        found = checks()
        self.assertEqual(found["g++"], Check("g++", OK, "12.2.0"))
        self.assertEqual(found["CMake"], Check("CMake", OK, "3.25.1"))
        self.assertEqual(found["nvcc"].words, "CUDA 13.0")
        self.assertEqual(found["GPU"].words, "NVIDIA H200, driver 580.82.07, compute capability 9.0")
        self.assertEqual(found["driver and toolkit"].state, OK)
        self.assertEqual(found["matplotlib"].state, NOTE)
        self.assertEqual(found["clang++"], Check("clang++", OK, "14.0.6"))
        self.assertEqual(found["rsvg-convert"].state, NOTE)
        self.assertEqual(checks(rsvg_convert="rsvg-convert version 2.54.7")["rsvg-convert"].words, "2.54.7")

    def test_each_finding(self) -> None:
        cmake, old, v12 = "3.18.4; needs 3.22 or newer", "g++-11 (Debian 11.3.0-12) 11.3.0", "CUDA Version: 12.4"
        driver = "the driver supports CUDA 12.4, the toolkit is 13.0: programs will not start"
        for changed, name, state, words in (
            ({}, "git", NOTE, "`reset` needs it"),
            ({"git": "git version 2.39.5"}, "git", OK, "2.39.5"),
            ({}, "bwrap", NOTE, "only `grade` needs it"),
            ({"bwrap": "bubblewrap 0.8.0"}, "bwrap", OK, "0.8.0"),
            ({"make": None}, "make", MISSING, "apt-get install make"),
            ({"cmake": None}, "CMake", MISSING, ""),
            ({"cmake": "cmake version 3.18.4"}, "CMake", MISSING, cmake),
            ({"g++": old}, "g++", MISSING, "11.3.0; the simulator needs 12 or newer"),
            ({"nvcc": None, "nvidia_smi": None}, "GPU", NOTE, ""),
            ({"nvcc": None, "nvidia_smi": None}, "nvcc", NOTE, ""),
            ({"nvidia_smi": f"Driver Version: 550.54  {v12}"}, "driver and toolkit", NOTE, driver),
            ({"nvidia_smi": v12}, "driver and toolkit", NOTE, "update the driver, or install CUDA 12.4 or older"),
            ({"nvcc": "release 12.8, V12.8.1", "nvidia_smi": v12}, "driver and toolkit", NOTE, "most programs start"),
            ({"system": "Darwin", "machine": "arm64"}, "platform", MISSING, "macOS"),
            ({"system": "Windows", "machine": "AMD64"}, "platform", MISSING, "WSL"),
            ({"machine": "riscv64"}, "platform", MISSING, ""),
            ({"machine": "aarch64"}, "platform", OK, ""),
            ({"free_disk_gb": 0.2}, "disk space", MISSING, ""),
        ):
            with self.subTest(name, **changed):
                found = checks(**changed)[name]
                self.assertEqual(found.state, state)
                self.assertIn(words, found.words)
        self.assertNotIn("driver and toolkit", checks(nvcc=None, nvidia_smi=None))

    def test_advice_uses_this_systems_package_manager(self) -> None:
        for manager, make, git in (
            ("apt-get install", "apt-get install make ('./workbook run' installs it)", "apt-get install git"),
            ("dnf install", "dnf install make", "dnf install git"),
            ("", "install make with this machine's package manager", "install git with this machine's package manager"),
        ):
            with self.subTest(manager):
                found = checks(manager=manager, make=None, **{"g++": "g++ 11.3.0"})
                self.assertEqual(found["make"].words, make)
                self.assertEqual(found["git"].words, f"`reset` needs it, to restore a starter: {git}")
                for name in ("g++", "MPI", "NCCL"):
                    self.assertEqual("apt-get" in found[name].words, manager.startswith("apt-get"), found[name])

    def test_ninja_is_not_needed(self) -> None:
        self.assertEqual(checks()["Ninja"], Check("Ninja", OK, "1.11.1"))
        self.assertEqual(checks(ninja=None, ninja_build="1.12.0\n")["Ninja"].words, "1.12.0")
        found = checks(ninja=None, ninja_build=None)["Ninja"]
        self.assertEqual(found.state, NOTE)
        self.assertIn("make builds", found.words)

    def test_a_newer_compiler_next_to_an_old_one(self) -> None:
        found = checks(**{"g++": "g++-11 (Debian 11.3.0-12) 11.3.0", "g++-13": "g++-13 (Ubuntu 13.1.0) 13.1.0"})
        self.assertEqual(found["g++-13"].state, OK)
        self.assertNotIn("g++", found)

    def test_gpu_too_old_for_the_toolkit(self) -> None:
        with unittest.mock.patch.dict(
            GOOD, {"nvidia-smi --query-gpu=name,driver_version,compute_cap": "Tesla V100, 580.1, 7.0"}
        ):
            self.assertIn("install CUDA 12", checks()["GPU and toolkit"].words)

    def test_needs_of_several_gpus(self) -> None:
        found = checks()
        self.assertNotIn("links", found)  # of one GPU
        self.assertEqual((found["NCCL"].state, found["MPI"].state), (NOTE, NOTE))
        found = checks(ldconfig="\tlibnccl.so.2 (libc6,x86-64) => /usr/lib/libnccl.so.2", mpirun="mpirun (Open MPI) 4.1.4")
        self.assertEqual((found["NCCL"], found["MPI"]), (Check("NCCL", OK, "found"), Check("MPI", OK, "4.1.4")))
        listing = {"nvidia-smi --query-gpu=name,driver_version,compute_cap": "NVIDIA H200, 1, 9.0\nNVIDIA H200, 1, 9.0\n"}
        with unittest.mock.patch.dict(GOOD, listing):
            self.assertEqual(checks()["links"].words, "2 GPUs, nvidia-smi does not report how they are linked")

    def test_links_of_gpus(self) -> None:
        def words(topology: str, access: str | None) -> str:
            return link_words(lambda command: topology if command[2] == "-m" else access, 2)

        heading = "\t\x1b[4mGPU0\tGPU1\tCPU Affinity\x1b[0m\n"
        nvlink = f"{heading}GPU0\t X \tNV18\t0-47\nGPU1\tNV18\t X \t0-47\n"
        peers = " \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\nLegend:\n"
        self.assertEqual(words(nvlink, peers), "all linked by NVLink (NV18), with peer access")
        self.assertEqual(words(nvlink, None), "all linked by NVLink (NV18)")
        without = "linked by PCI Express (SYS); 1 of 1 pairs without peer access: their copies go through host memory"
        self.assertEqual(words(nvlink.replace("NV18", "SYS"), peers.replace("OK", "CNS")), without)

