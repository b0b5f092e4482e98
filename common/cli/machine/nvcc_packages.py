"""nvcc, CUDA's compiler: where it is on this machine, and NVIDIA's packages of it, which need no Toolkit."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from cli.errors import WorkbookError
from cli.machine.python_packages import Packages, install_packages
from cli.terminal.console import complain, say, wrapped

NVCC_ENVIRONMENT = "build/nvcc"
NVCC_DOWNLOAD = "130 MB to download, 370 MB installed"
NVCC_DECLINED = "build/without_nvcc"  # the learner does not want the packages
_WHEELS = "lib/python3*/site-packages/nvidia/cu*/bin/nvcc"


def nvcc_programs(roots: Iterable[Path]) -> list[Path]:
    """All programs nvcc: on the PATH, in a Toolkit, and in the packages in the workbooks of these folders."""
    toolkits = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    named = [shutil.which("nvcc"), *(f"{toolkit}/bin/nvcc" for toolkit in (*toolkits, "/usr/local/cuda") if toolkit)]
    named += [path for root in roots for path in (root / NVCC_ENVIRONMENT).glob(_WHEELS)]
    found = (Path(program).resolve() for program in named if program and os.access(program, os.X_OK))
    return list(dict.fromkeys(found))


def offer_nvcc(root: Path) -> bool:
    """Asks once whether to download nvcc, if the learner can answer. Returns whether it was installed."""
    declined = root / NVCC_DECLINED
    can_answer = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    if not can_answer or declined.exists() or os.environ.get("WORKBOOK_NO_INSTALL") == "1":
        return False
    say(
        wrapped(
            "\nThere is no nvcc, CUDA's compiler, on this machine. With it, check and run also find code that only a "
            f"GPU's compiler refuses. It needs no GPU. It can be downloaded into {NVCC_ENVIRONMENT} "
            f"({NVCC_DOWNLOAD})."
        )
    )
    print("Download it now? [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        try:
            install_packages(_packages(root), root)
            return True
        except WorkbookError as error:
            complain(str(error))
    declined.parent.mkdir(exist_ok=True)
    declined.touch()
    say(f"You will not be asked again. To be asked again: rm {NVCC_DECLINED}")
    return False


def _packages(root: Path) -> Packages:
    return Packages(
        command="doctor",
        names="nvcc",
        folder=root / NVCC_ENVIRONMENT,
        requirements=Path(__file__).resolve().parent / "nvcc_requirements.txt",
        instead="Without it, the commands work as before: only the simulator's compiler checks your code.",
        has_hashes=True,
    )
