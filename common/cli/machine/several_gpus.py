"""The checks of `doctor` for several GPUs: their links, and the libraries through which they work together."""

from __future__ import annotations

import re
from collections.abc import Callable

from cli.machine import tools

OutputOf = Callable[[list[str]], "str | None"]

_ROW = re.compile(r"^\s*(?:\x1b\[\d*m)?GPU\d+(?:\x1b\[\d*m)?\s+(?P<cells>.*)$", re.MULTILINE)
_NVLINK = re.compile(r"NV\d+")


def link_words(output_of: OutputOf, gpus: int) -> str:
    """The links of at least two GPUs, and whether each GPU can access the memory of the others."""
    links = _pairs(output_of(["nvidia-smi", "topo", "-m"]), gpus)
    if not links:
        return "nvidia-smi does not report how they are linked"
    by_nvlink = sum(_NVLINK.fullmatch(link) is not None for link in links)
    if by_nvlink == len(links):
        words = f"all linked by NVLink ({', '.join(sorted(set(links)))})"
    elif by_nvlink:
        words = f"{by_nvlink} of {len(links)} pairs linked by NVLink, the others by PCI Express"
    else:
        words = f"linked by PCI Express ({', '.join(sorted(set(links)))})"
    access = _pairs(output_of(["nvidia-smi", "topo", "-p2p", "r"]), gpus)
    if not access:
        return words
    without = sum(state != "OK" for state in access)
    if without == 0:
        return f"{words}, with peer access"
    return f"{words}; {without} of {len(access)} pairs without peer access: their copies go through host memory"


def _pairs(table: str | None, gpus: int) -> list[str]:
    """The cells above the diagonal of nvidia-smi's table; empty if the text is not such a table."""
    rows = [row["cells"].split() for row in _ROW.finditer(table or "")]
    rows = [row for row in rows if "X" in row[:gpus]]  # not the line of headings
    if len(rows) != gpus or any(len(row) < gpus for row in rows):
        return []
    return [rows[i][j] for i in range(gpus) for j in range(i + 1, gpus)]


def has_nccl(output_of: OutputOf) -> bool:
    return "libnccl.so" in (output_of(["ldconfig", "-p"]) or "")


def mpi_version(output_of: OutputOf) -> str:
    """The version of mpirun; empty without mpirun."""
    version = tools.first_version(output_of(["mpirun", "--version"]))
    return tools.as_text(version) if version else ""
