"""The folder for control groups, and the settings of a new group."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # finds the command's modules

from grading.sandbox.control_groups import control_group, place_for_groups

_PLACE = place_for_groups()


class PlaceTest(unittest.TestCase):
    """Uses folders and files instead of the kernel's."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.mounts = self.root / "mounts"
        self.mounts.write_text(f"proc /proc proc rw 0 0\ncgroup2 {self.root} cgroup2 rw 0 0\n")
        self.own = self.root / "own"

    def put(self, name: str, lends: str) -> Path:
        folder = self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.subtree_control").write_text(lends)
        (folder / "cgroup.procs").write_text("")
        return folder

    def place(self, group: str) -> Path | None:
        self.own.write_text(f"4:memory:/\n0::{group}\n")
        return place_for_groups(self.own, self.mounts)

    def test_next_to_the_group_of_this_process(self) -> None:
        slice_ = self.put("user.slice/app.slice", "cpu memory pids\n")
        self.put("user.slice/app.slice/shell.scope", "\n")
        self.assertEqual(self.place("/user.slice/app.slice/shell.scope"), slice_)

    def test_in_the_group_of_this_process_if_it_delegates_the_counters(self) -> None:
        self.put("job", "memory pids\n")
        self.assertEqual(self.place("/job"), self.root / "job")

    def test_nowhere_if_memory_is_not_counted(self) -> None:
        self.put("job", "cpu pids\n")
        self.assertIsNone(self.place("/job"))

    def test_nowhere_outside_the_mount(self) -> None:
        self.put("", "memory pids\n")
        self.assertIsNone(place_for_groups(self.own, self.mounts))
        self.assertIsNone(self.place("/../elsewhere"))

    @unittest.skipIf(os.geteuid() == 0, "root can write everywhere")
    def test_nowhere_if_another_user_owns_the_folder(self) -> None:
        self.put("job", "memory pids\n").chmod(0o555)
        self.assertIsNone(self.place("/job"))

    def test_nowhere_without_control_groups(self) -> None:
        self.own.write_text("4:memory:/\n")
        self.assertIsNone(place_for_groups(self.own, self.mounts))
        self.mounts.write_text("proc /proc proc rw 0 0\n")
        self.assertIsNone(self.place("/"))
        self.assertIsNone(place_for_groups(self.root / "absent", self.mounts))


@unittest.skipUnless(_PLACE, "no control group of version 2 that counts memory and processes can be made here")
class GroupTest(unittest.TestCase):
    def test_counts_and_ends_with_the_block(self) -> None:
        with control_group(_PLACE, 64 << 20, 10) as group:
            self.assertEqual((group.folder / "pids.max").read_text(), "10\n")
            command = f"echo $$ > {group.members}; exec python3 -c 'bytearray(1 << 28)'"
            self.assertEqual(subprocess.run(["sh", "-c", command], check=False).returncode, -9)
            self.assertTrue(group.ran_out_of_memory())
            left = subprocess.Popen(["sh", "-c", f"echo $$ > {group.members}; echo in; exec sleep 1000"], stdout=subprocess.PIPE)
            self.addCleanup(left.stdout.close)
            self.addCleanup(left.kill)
            self.assertEqual(left.stdout.readline(), b"in\n")
        self.assertEqual(left.wait(10), -9)
        self.assertFalse(group.folder.exists())
