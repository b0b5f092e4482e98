"""Builds Gradescope's autograder as its image builder does, in a root file system, and grades answers with it.

try_gradescope.py [--root FOLDER | --suite jammy|noble|bookworm] [--old-tools]

The root file system comes from debootstrap, or is a copy of FOLDER. --old-tools puts g++ 11 and CMake 3.22 first in
PATH, as a changed image can have them. Three answers to ch3_ex2 are graded: a correct one, one that
is wrong only in the hidden case, and an empty folder. Needs root, and takes 5 to 15 minutes. Exits with 1 if something
is not as expected, 3 if a tool is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from containerfile import ROOT
from try_container import run

MIRRORS = {"bookworm": "http://deb.debian.org/debian"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
UBUNTU_SCRIPT = "/usr/share/debootstrap/scripts/gutsy"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # a proxy can have certificates of its own
OLD_TOOLS = (
    "apt-get update",
    "apt-get install -y --no-install-recommends g++-11 python3-venv ca-certificates",
    "python3 -m venv /opt/old",
    "/opt/old/bin/pip install --quiet 'cmake==3.22.*'",
    "ln -s /opt/old/bin/cmake /usr/local/bin/cmake",
    "ln -s /usr/bin/g++-11 /usr/local/bin/g++",
)
EXERCISE = "ch3_ex2"
SOURCE = ROOT / "solutions/ch3_transpose/ex2_swizzled.cu"
LAUNCH = "  transpose_swizzled_kernel<<<"
HIDDEN = f"exercise,seed,shapes\n{EXERCISE},918273,97x613\n"


def answers() -> dict[str, tuple[str | None, float, str]]:
    """The file of each answer, its points and the start of its text."""
    right = SOURCE.read_text(encoding="utf-8")
    wrong = right.replace(LAUNCH, f"  if (cols == 613) return;\n{LAUNCH}")
    hidden = "ex2_swizzled.cu: wrong result in a hidden case"
    return {"right": (right, 5, "passed"), "wrong": (wrong, 0, hidden), "none": (None, 0, "not handed in")}


def make_root(root: Path, suite: str) -> None:
    make = ["debootstrap", "--variant=minbase"]
    if suite in MIRRORS:
        run([*make, suite, str(root), MIRRORS[suite]])
    else:  # Debian's debootstrap has neither Ubuntu's keys nor a script for its newest versions
        run([*make, "--no-check-gpg", "--components=main,universe", suite, str(root), UBUNTU, UBUNTU_SCRIPT])


def inside(root: Path, command: str) -> None:
    """Runs a command in a mount namespace of its own, so that nothing stays mounted."""
    words = f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev"
    clean = f"env -i PATH={PATH} HOME=/root PIP_CERT=/{CERTIFICATES.name} sh -c {shlex.quote(command)}"
    run(["unshare", "--mount", "--propagation", "private", "sh", "-ec", f"{words} && exec chroot {root} {clean}"])


def install(root: Path, folder: Path) -> None:
    """Exports the autograder, and runs its setup.sh in the root file system."""
    hidden = folder / "mine.csv"
    hidden.write_text(HIDDEN, encoding="utf-8")
    exported = folder / "exported"
    command = [str(ROOT / "workbook"), "grade", "--export", "gradescope", str(exported), EXERCISE]
    run([*command, "--hidden", str(hidden), "--points", "5", "--seconds", "60"])
    shutil.copytree(exported, root / "autograder/source")
    inside(root, "bash /autograder/source/setup.sh")


def wrong_results(root: Path) -> list[str]:
    """Grades each answer, and returns a sentence for each result that is not as expected."""
    wrong = []
    for name, (text, points, start) in answers().items():
        for folder in ("submission", "results"):
            shutil.rmtree(root / "autograder" / folder, ignore_errors=True)
            (root / "autograder" / folder).mkdir()
        if text is not None:
            (root / "autograder/submission/ex2_swizzled (1).cu").write_text(text, encoding="utf-8")
        inside(root, "bash /autograder/source/run_autograder")
        results = json.loads((root / "autograder/results/results.json").read_text(encoding="utf-8"))
        (test,) = results["tests"]
        print(f"{name}: {test['score']} of {test['max_score']}: {test['output']!r}", flush=True)
        if test["score"] != points or start not in test["output"] or "613" in test["output"]:
            wrong.append(f"{name}: expected {points} points and '{start}', without the hidden shape.")
    return wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--suite", default="jammy")
    parser.add_argument("--old-tools", action="store_true")
    parsed = parser.parse_args(arguments)
    missing = [tool for tool in ("unshare", *([] if parsed.root else ["debootstrap"])) if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"Missing: {', '.join(missing)}." if missing else "Only root can do that.", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="workbook-gradescope-") as folder:
        root = Path(folder) / "root"
        os.chmod(folder, 0o755)  # answers run as a different user
        if parsed.root:
            run(["cp", "-a", str(parsed.root), str(root)])
        else:
            make_root(root, parsed.suite)
        shutil.copy2("/etc/resolv.conf", root / "etc/resolv.conf")
        shutil.copy2(CERTIFICATES, root / CERTIFICATES.name)
        for command in OLD_TOOLS if parsed.old_tools else ():
            inside(root, command)
        install(root, Path(folder))
        wrong = wrong_results(root)
    print("\n".join(wrong) or "All results are as expected.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
