"""`./workbook debug`, and the start from VS Code: on shell scripts, and once with the real compiler and gdb."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, FakeWorkbook

from cli.building.build_tree import BuildTree
from cli.commands.debug import PROGRAM_LINK
from cli.workbook import Workbook

# gdb's commands, in its machine interface, as VS Code sends them.
_GDB = ("gdb", "--quiet", "--nx", "--interpreter=mi2")


class DebugTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write_tool("gdb", 'echo "gdb got $*; threads $CUDA_SIMULATOR_THREADS"')
        self.write_tool("cuda-gdb", 'echo "cuda-gdb got $*; threads $CUDA_SIMULATOR_THREADS"')

    def test_starts_gdb_on_the_program_with_its_options(self) -> None:
        result = self.ends(0, "debug", "naive", "--", "--rows", "3")
        program = self.root / "build-debug/bin/ch3_transpose_naive"
        self.assertIn(f"gdb got --args {program} --rows 3; threads 1\n", result.stdout)

    def test_a_gpu_has_its_own_build_and_debugger(self) -> None:
        self.write("has_gpu", "")
        result = self.workbook("debug", "naive")
        program = self.root / "build-debug-cuda/bin/ch3_transpose_naive"
        self.assertIn(f"cuda-gdb got --args {program}; threads \n", result.stdout)

    def test_the_simulator_on_a_machine_with_a_gpu(self) -> None:
        self.write("has_gpu", "")
        result = self.workbook("debug", "naive", "--simulator")
        self.assertIn(f"gdb got --args {self.root / 'build-debug/bin/ch3_transpose_naive'}; threads 1\n", result.stdout)

    def test_the_build_is_for_debuggers(self) -> None:
        self.workbook("debug", "naive", "--build-only")
        cache = (self.root / "build-debug/CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn("CMAKE_BUILD_TYPE:UNINITIALIZED=Debug", cache)

    def test_the_link_points_to_the_last_built_program(self) -> None:
        for name in ("naive", "localmem"):
            result = self.ends(0, "debug", name, "--build-only")
            link = self.root / "build-debug" / PROGRAM_LINK
            self.assertEqual(link.resolve(), self.root / f"build-debug/bin/ch3_transpose_{name}")
            self.assertNotIn("gdb got", result.stdout)

    def test_usage_errors_and_programs_that_cannot_run_here(self) -> None:
        for arguments, code, words in (
            (("naive", "--build-only", "--", "--rows", "3"), 2, "--build-only starts no program"),
            (("ch3",), 2, "name one of its programs"),
            (("cublas",), 3, "ch3_transpose_cublas needs a GPU and nvcc"),
        ):
            with self.subTest(arguments):
                self.assertIn(words, self.ends(code, "debug", *arguments).stderr)

    def test_without_gdb(self) -> None:
        (self.root / "tools/gdb").unlink()
        tools = {name: shutil.which(name) for name in ("sh", "dirname", "readlink", "cmake", "make", "ninja", "g++")}
        for name, path in {**tools, "python3": sys.executable}.items():
            if not (self.root / "tools" / name).exists():
                (self.root / "tools" / name).symlink_to(str(path))
        result = self.ends(3, "debug", "naive", PATH=str(self.root / "tools"))
        self.assertIn("Debugging needs gdb, which is not installed: on Debian and Ubuntu: apt install gdb.", result.stderr)


def _read(name: str) -> dict[str, list[dict[str, object]]]:
    loaded: dict[str, list[dict[str, object]]] = json.loads((ROOT / ".vscode" / name).read_text(encoding="utf-8"))
    return loaded


class EditorLaunch(FakeWorkbook):
    """Each entry of .vscode/launch.json starts the program that its task has built."""

    def setUp(self) -> None:
        super().setUp()
        self.write("chapters/ch3_transpose/02_localmem.cu", "// Stage 02\n")
        self.write("has_gpu", "")

    def test_each_entry_starts_the_program_of_its_task(self) -> None:
        commands = {task["label"]: str(task["command"]) for task in _read("tasks.json")["tasks"]}
        for launch in _read("launch.json")["configurations"]:
            with self.subTest(launch["name"]):
                command = commands[launch["preLaunchTask"]].replace("${relativeFile}", "chapters/ch3_transpose/02_localmem.cu")
                self.ends(0, *command.split()[1:], cwd=self.root)
                program = Path(str(launch["program"]).replace("${workspaceFolder}", str(self.root)))
                self.assertEqual(program.resolve().name, "ch3_transpose_localmem")

    def test_blocks_run_one_at_a_time_in_the_simulator(self) -> None:
        by_type = {launch["type"]: launch for launch in _read("launch.json")["configurations"]}
        self.assertEqual(by_type["cppdbg"]["environment"], [{"name": "CUDA_SIMULATOR_THREADS", "value": "1"}])
        self.assertEqual(sorted(by_type), ["cppdbg", "cuda-gdb"])


@unittest.skipUnless(shutil.which("gdb"), "needs gdb")
class InGdb(unittest.TestCase):
    def test_a_breakpoint_in_a_kernel_stops_in_the_named_thread(self) -> None:
        source = ROOT / "chapters/ch3_transpose/02_localmem.cu"
        lines = source.read_text(encoding="utf-8").splitlines()
        store = next(number for number, line in enumerate(lines, start=1) if "tile[threadIdx.x][threadIdx.y]" in line)
        with tempfile.TemporaryDirectory() as folder:
            tree = BuildTree(Workbook(ROOT), folder, "simulator", "Debug")
            tree.configure()
            tree.build("ch3_transpose_localmem")
            program = tree.program("ch3_transpose_localmem")
            asked = (
                f'-break-insert -c "threadIdx.x == 5 && threadIdx.y == 3" {source}:{store}\n'
                '-exec-arguments "--rows" "33" "--cols" "20"\n-gdb-set env CUDA_SIMULATOR_THREADS=1\n-exec-run\n'
            )
            output = self._answers(program, asked, ("out_col", "out_row", "rows", "tile[5][3] == in[5 * 20 + 3]"))
        self.assertRegex(output, rf'\*stopped,reason="breakpoint-hit".*02_localmem\.cu",.*line="{store}"')
        self.assertEqual(re.findall(r'\^done,value="(.*)"', output), ["5", "3", "33", "true"])

    def _answers(self, program: Path, asked: str, expressions: tuple[str, ...]) -> str:
        """The output of gdb for these expressions after the program has stopped."""
        with subprocess.Popen(
            [*_GDB, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as gdb:
            gdb.stdin.write(asked)
            gdb.stdin.flush()
            lines = []
            for line in gdb.stdout:
                lines.append(line)
                if line.startswith("*stopped"):
                    break
            rest, _ = gdb.communicate(
                "".join(f'-data-evaluate-expression "{one}"\n' for one in expressions) + "-gdb-exit\n", timeout=60
            )
        return "".join(lines) + rest
