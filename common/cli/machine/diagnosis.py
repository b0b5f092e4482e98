"""The checks of `doctor`. Each check reads the machine through a Probe, so that tests can describe any machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cli.machine import tools
from cli.machine.several_gpus import has_nccl, link_words, mpi_version

OK, MISSING, NOTE = "ok", "missing", "note"
MINIMUM_DISK_GB = 1.0
# CUDA 13 no longer compiles for GPUs older than this.
OLDEST_COMPUTE_CAPABILITY_OF_CUDA_13 = (7, 5)


@dataclass(frozen=True)
class Check:
    name: str
    state: str
    words: str


@dataclass(frozen=True)
class Probe:
    """A machine, with everything that the checks read."""

    output_of: Callable[[list[str]], str | None]
    system: str
    machine: str
    release: str
    free_disk_gb: float
    has_googletest: bool
    has_matplotlib: bool
    how_to_install: Callable[[str], str]  # the system's command; empty if it is unknown


def this_machine(root: Path) -> Probe:
    return Probe(
        output_of=tools.output_of,
        system=platform.system(),
        machine=platform.machine(),
        release=platform.release(),
        free_disk_gb=shutil.disk_usage(root).free / 1e9,
        has_googletest=tools.is_present("gtest"),
        has_matplotlib=tools.python_with_matplotlib(root) is not None,
        how_to_install=tools.how_to_install,
    )


def simulator_checks(probe: Probe) -> list[Check]:
    """The tools that the simulator needs. If one is missing, programs cannot be built here yet."""
    return [
        _platform(probe),
        Check("Python", OK, platform.python_version()),
        _compiler(probe),
        _make(probe),
        _cmake(probe),
        _ninja(probe),
        _disk(probe),
    ]


def optional_checks(probe: Probe) -> list[Check]:
    """The tools that only some commands or a GPU need."""
    googletest = (
        Check("GoogleTest", OK, "found")
        if probe.has_googletest
        else Check("GoogleTest", NOTE, "tests and `check` need it; './workbook check' installs it, or CMake downloads it")
    )
    matplotlib = (
        Check("matplotlib", OK, "found")
        if probe.has_matplotlib
        else Check("matplotlib", NOTE, f"only plots need it; './workbook plot' downloads it into {tools.PLOT_ENVIRONMENT}")
    )
    few_need = [
        _small_tool(probe, "git", "`reset` needs it, to restore a starter"),
        _small_tool(probe, "bwrap", "only `grade` needs it"),
    ]
    return [googletest, *few_need, matplotlib, _converter(probe), _clang(probe), _mpi(probe), *_gpu_checks(probe)]


def _platform(probe: Probe) -> Check:
    if probe.system == "Linux" and probe.machine in ("x86_64", "aarch64"):
        where = " under Windows (WSL)" if "microsoft" in probe.release.lower() else ""
        return Check("platform", OK, f"Linux on {probe.machine}{where}")
    if probe.system == "Linux":
        return Check("platform", MISSING, f"{probe.machine}: the simulator runs on x86-64 and aarch64 only")
    advice = {
        "Darwin": "macOS: the lessons, './workbook list' and 'plot' work; to run programs use Linux in a container",
        "Windows": "Windows: install WSL ('wsl --install') and work inside it",
    }.get(probe.system, f"{probe.system}: only Linux is supported")
    return Check("platform", MISSING, advice)


def _compiler(probe: Probe) -> Check:
    compiler = os.environ.get("CXX", "g++").split()[0]
    text = probe.output_of([compiler, "--version"])
    if not text:
        return _missing(probe, compiler, "g++")
    version = tools.first_version(text.splitlines()[0].rsplit(")", 1)[-1])
    if "g++" in compiler and version and version < tools.MINIMUM_GXX:
        newer = tools.installed_newer_gxx(lambda name: probe.output_of([name, "--version"]))
        if newer:
            return Check(newer, OK, f"the simulator uses it, because {compiler} is {tools.as_text(version)}")
        by_itself = _by(probe, "g++-12") + " ('./workbook run' does it)"
        fix = by_itself if _has_apt(probe) else "install one as well, under a name such as g++-12"
        return Check(compiler, MISSING, f"{tools.as_text(version)}; the simulator needs 12 or newer: {fix}")
    return Check(compiler, OK, tools.as_text(version) if version else text.splitlines()[0])


def _missing(probe: Probe, name: str, tool: str) -> Check:
    by_itself = " ('./workbook run' installs it)" if _has_apt(probe) else ""
    return Check(name, MISSING, _by(probe, tool) + by_itself)


def _by(probe: Probe, tool: str) -> str:
    """The advice for a missing tool."""
    return probe.how_to_install(tool) or f"install {tool} with this machine's package manager"


def _has_apt(probe: Probe) -> bool:
    """Whether the system has apt-get: then the workbook can install, and packages have Debian's names."""
    return probe.how_to_install("make").startswith("apt-get")


def _clang(probe: Probe) -> Check:
    version = tools.first_version(probe.output_of(["clang++", "--version"]))
    if not version:
        return Check("clang++", NOTE, "with it './workbook inspect' also finds host functions called in kernels")
    return Check("clang++", OK, tools.as_text(version))


def _make(probe: Probe) -> Check:
    version = tools.first_version(probe.output_of(["make", "--version"]))
    if not version:
        return _missing(probe, "make", "make")
    return Check("make", OK, tools.as_text(version))


def _ninja(probe: Probe) -> Check:
    version = next(filter(None, (probe.output_of([name, "--version"]) for name in tools.NAMES["ninja"])), None)
    if not version:
        by_itself = "; './workbook run' installs it" if _has_apt(probe) else ""
        return Check("Ninja", NOTE, f"without it, make builds, which takes longer, and 'grade' does not run{by_itself}")
    return Check("Ninja", OK, version.strip())


def _cmake(probe: Probe) -> Check:
    version = tools.first_version(probe.output_of(["cmake", "--version"]))
    if not version:
        return _missing(probe, "CMake", "cmake")
    if version < tools.MINIMUM_CMAKE:
        needed = tools.as_text(tools.MINIMUM_CMAKE)
        fix = f"needs {needed} or newer: python3 -m pip install --user 'cmake>={needed}'"
        return Check("CMake", MISSING, f"{tools.as_text(version)}; {fix}")
    return Check("CMake", OK, tools.as_text(version))


def _disk(probe: Probe) -> Check:
    if probe.free_disk_gb < MINIMUM_DISK_GB:
        return Check("disk space", MISSING, f"{probe.free_disk_gb:.1f} GB free; make room for {MINIMUM_DISK_GB:.0f} GB")
    return Check("disk space", OK, f"{probe.free_disk_gb:.0f} GB free")


def _small_tool(probe: Probe, name: str, need: str) -> Check:
    version = tools.first_version(probe.output_of([name, "--version"]))
    return Check(name, OK, tools.as_text(version)) if version else Check(name, NOTE, f"{need}: {_by(probe, name)}")


def _converter(probe: Probe) -> Check:
    version = tools.first_version(probe.output_of(["rsvg-convert", "--version"]))
    if version:
        return Check("rsvg-convert", OK, tools.as_text(version))
    return Check("rsvg-convert", NOTE, f"only PNG pictures need it: {_by(probe, 'rsvg-convert')}")


def _mpi(probe: Probe) -> Check:
    version = mpi_version(probe.output_of)
    if version:
        return Check("MPI", OK, version)
    how = "apt-get install openmpi-bin libopenmpi-dev" if _has_apt(probe) else "install Open MPI with its headers"
    return Check("MPI", NOTE, f"only the programs with one process per GPU (chapter 10) need it: {how}")


def _gpu_checks(probe: Probe) -> list[Check]:
    release = re.search(r"release (\d+)\.(\d+)", probe.output_of(["nvcc", "--version"]) or "")
    toolkit = (int(release[1]), int(release[2])) if release else None
    checks = [
        Check("nvcc", OK, f"CUDA {tools.as_text(toolkit)}")
        if toolkit
        else Check("nvcc", NOTE, "not found: programs run in the simulator; for a GPU install the CUDA Toolkit")
    ]
    listing = probe.output_of(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"])
    if not listing or not listing.strip():
        return [*checks, Check("GPU", NOTE, "no NVIDIA GPU, or no driver: programs run in the simulator")]
    for line in listing.strip().splitlines():
        fields = [field.strip() for field in line.split(",")]
        name, driver, capability = (*fields, "", "")[:3]
        checks.append(Check("GPU", OK, f"{name}, driver {driver}, compute capability {capability}"))
        checks += _capability(toolkit, tools.first_version(capability))
    gpus = len(listing.strip().splitlines())
    if gpus > 1:
        checks.append(Check("links", OK, f"{gpus} GPUs, {link_words(probe.output_of, gpus)}"))
    nccl = Check("NCCL", OK, "found")
    if not has_nccl(probe.output_of):
        how = "apt-get install libnccl-dev" if _has_apt(probe) else "the packages of NCCL and its headers"
        nccl = Check("NCCL", NOTE, f"only stages of chapter 10 need it; from NVIDIA's repository: {how}")
    checks.append(nccl)
    header = re.search(r"CUDA (?:\w+ )?Version\s*:\s*(\d+)\.(\d+)", probe.output_of(["nvidia-smi"]) or "")
    driver_cuda = (int(header[1]), int(header[2])) if header else None
    return checks + _driver_against_toolkit(toolkit, driver_cuda)


def _capability(toolkit: tuple[int, int] | None, capability: tuple[int, ...] | None) -> list[Check]:
    if not toolkit or not capability or toolkit < (13, 0) or capability >= OLDEST_COMPUTE_CAPABILITY_OF_CUDA_13:
        return []
    words = f"CUDA {tools.as_text(toolkit)} no longer compiles for this GPU: install CUDA 12"
    return [Check("GPU and toolkit", NOTE, words)]


def _driver_against_toolkit(toolkit: tuple[int, int] | None, driver_cuda: tuple[int, int] | None) -> list[Check]:
    if not toolkit or not driver_cuda:
        return []
    versions = f"the driver supports CUDA {tools.as_text(driver_cuda)}, the toolkit is {tools.as_text(toolkit)}"
    if toolkit <= driver_cuda:
        return [Check("driver and toolkit", OK, versions)]
    fix = f"update the driver, or install CUDA {tools.as_text(driver_cuda)} or older"
    if toolkit[0] > driver_cuda[0]:
        return [Check("driver and toolkit", NOTE, f"{versions}: programs will not start; {fix}")]
    return [Check("driver and toolkit", NOTE, f"{versions}: most programs start; if one does not, {fix}")]
