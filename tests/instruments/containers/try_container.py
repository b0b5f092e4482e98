"""Builds the container of the simulator without an image registry, and uses it as a learner does.

try_container.py [--with podman|buildah|chroot] [--file CONTAINERFILE] [--suite bookworm] [--mirror URL] [--base FOLDER]

The base is a root file system of Debian from debootstrap, or the folder that --base names. podman builds and runs the
unchanged Containerfile; so does buildah, with --isolation chroot if nothing else is allowed. chroot runs the lines of
the Containerfile in a root file system. In the container, in a clone of the last commit, it runs
'./workbook run ch3_transpose' and checks the reference answer of ch1_ex1. Needs root, and takes minutes. Exits with 1
if something fails, 3 if a tool is missing.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from containerfile import ROOT, SIMULATOR, instructions

BASE = "localhost/workbook-base"
IMAGE = "localhost/workbook-tried"
USED = (
    ["./workbook", "run", "ch3_transpose"],
    ["./workbook", "check", "ch1_ex1", "--file", "solutions/ch1_saxpy/ex1_vector_add.cu"],
)

# Runs a command as the container's user, in the clone.
Inside = Callable[[list[str]], None]


def run(command: list[str]) -> None:
    print(f"+ {shlex.join(command)}", flush=True)
    subprocess.run(command, check=True)


def make_base(folder: Path, suite: str, mirror: str) -> None:
    run(["debootstrap", "--variant=minbase", suite, str(folder), mirror])


def with_podman(file: Path, base: Path, clone: Path) -> Inside:
    run(["sh", "-c", f"tar -C {shlex.quote(str(base))} -c . | podman import - {BASE}"])
    run(["podman", "build", "--build-arg", f"BASE={BASE}", "--tag", IMAGE, "--file", str(file), str(file.parent)])
    return lambda command: run(["podman", "run", "--rm", "--volume", f"{clone}:/workbook", IMAGE, *command])


def with_buildah(file: Path, base: Path, clone: Path) -> Inside:
    """Builds an image, and runs commands in a container made from it."""
    first = _output(["buildah", "from", "scratch"])
    run(["buildah", "add", "--quiet", first, str(base), "/"])
    run(["buildah", "commit", "--quiet", first, BASE])
    build = ["buildah", "build", "--isolation", "chroot", "--build-arg", f"BASE={BASE}", "--tag", IMAGE]
    run([*build, "--file", str(file), str(file.parent)])
    container = _output(["buildah", "from", IMAGE])
    start = ["buildah", "run", "--isolation", "chroot", "--volume", f"{clone}:/workbook", container, "--"]
    return lambda command: run([*start, *command])


def with_chroot(file: Path, base: Path, clone: Path) -> Inside:
    user, folder = "root", "/"
    shutil.copy2("/etc/resolv.conf", base / "etc/resolv.conf")
    for one in instructions(file):
        if one.name == "RUN":
            run(["chroot", str(base), "sh", "-c", one.words])
        elif one.name == "USER":
            user = one.words
        elif one.name == "WORKDIR":
            folder = one.words
    (base / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def inside(command: list[str]) -> None:
        # A separate mount namespace, so that nothing stays mounted.
        words = f"mount --bind {shlex.quote(str(clone))} {base}{folder} && mount -t proc proc {base}/proc"
        words += f" && mount --rbind /dev {base}/dev"
        shell = f"cd {folder} && exec {shlex.join(command)}"
        words += f" && exec chroot {base} su {user} -c {shlex.quote(shell)}"
        run(["unshare", "--mount", "--propagation", "private", "sh", "-ec", words])

    return inside


WAYS = {"podman": with_podman, "buildah": with_buildah, "chroot": with_chroot}


def _output(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="way", choices=WAYS, default="chroot")
    parser.add_argument("--file", type=Path, default=SIMULATOR)
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--base", type=Path)
    parsed = parser.parse_args(arguments)
    needed = ["git", "unshare" if parsed.way == "chroot" else parsed.way, *([] if parsed.base else ["debootstrap"])]
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"Missing: {', '.join(missing)}." if missing else "Only root can do that.", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="workbook-container-") as folder:
        base, clone = Path(folder) / "root", Path(folder) / "workbook"
        run(["git", "clone", "--quiet", str(ROOT), str(clone)])
        run(["chmod", "-R", "a+rwX", str(clone), folder])  # the container has a different user
        if parsed.base and parsed.way == "chroot":
            run(["cp", "-a", str(parsed.base), str(base)])
        elif not parsed.base:
            make_base(base, parsed.suite, parsed.mirror)
        try:
            inside = WAYS[parsed.way](parsed.file, base if base.is_dir() else parsed.base, clone)
            for command in USED:
                inside(command)
        except subprocess.CalledProcessError as error:
            print(f"It ended with {error.returncode}.", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
