"""The room behind thread-local variables, in g++'s assembly; and the wrapper around its steps."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_SCRIPT = Path(__file__).resolve().parents[2] / "common" / "simulator" / "translate" / "pad_shared_memory.py"
sys.path.insert(0, str(_SCRIPT.parent))

from pad_shared_memory import PADDING_BYTES, pad

_PADDING = f"\t.zero\t{PADDING_BYTES}\n"
_SOURCE = """\
static thread_local char first[64], second[64];
template <int> char* in_template() { static thread_local char bytes[32]; return bytes; }
static char plain[64], other[64];
char* addresses[] = {first, second, in_template<1>(), in_template<2>(), plain, other};
int main() {
  const long gaps[] = {addresses[0] - addresses[1], addresses[2] - addresses[3], addresses[4] - addresses[5]};
  for (long gap : gaps) __builtin_printf("%ld\\n", gap < 0 ? -gap : gap);
}
"""


class PadSharedMemoryTest(unittest.TestCase):
    def test_pads_variables_of_thread_local_sections(self) -> None:
        for section in (".tbss", '.tbss,"awT",@nobits', '.tbss._Z1k,"awGT",@nobits,_Z1k,comdat'):
            text = f"\t.section\t{section}\n\t.align 4\na:\n\t.zero\t256\nb:\n\t.zero\t8\n"
            padded = text.replace("256\n", f"256\n{_PADDING}").replace("\t8\n", f"\t8\n{_PADDING}")
            self.assertEqual(pad(text), padded)

    def test_leaves_other_sections_alone(self) -> None:
        for section in (".bss", ".data", '.section\t.bss._Z1a,"awG",@nobits,_Z1a,comdat', '.section .rodata,"a"'):
            text = f'\t.section\t.tbss,"awT",@nobits\n\t{section}\na:\n\t.zero\t256\n'
            self.assertEqual(pad(text), text)

    def gaps(self, *options: str) -> list[int]:
        """How far apart pairs of variables lie: local ones, those of templates, and ordinary ones."""
        with tempfile.TemporaryDirectory(prefix="pad shared memory ") as folder:
            source, program = Path(folder) / "a.cpp", Path(folder) / "a"
            source.write_text(_SOURCE)
            compiler = os.environ.get("CXX", "g++")
            subprocess.run([compiler, "-O1", *options, str(source), "-o", str(program)], check=True)
            run = subprocess.run([str(program)], check=True, capture_output=True, text=True)
        return [int(line) for line in run.stdout.split()]

    def test_as_the_compilers_wrapper(self) -> None:
        wrapper = ["-wrapper", f"{sys.executable},{_SCRIPT}"]
        padded = [64 + PADDING_BYTES, 32 + PADDING_BYTES, 64]
        self.assertEqual(self.gaps(), [64, 32, 64])
        self.assertEqual(self.gaps(*wrapper), padded)
        self.assertEqual(self.gaps(*wrapper, "-pipe"), padded)

    def test_fails_where_the_compiler_does(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "a.cpp"
            source.write_text("int main() { return one; }\n")
            wrapper = ["-wrapper", f"{sys.executable},{_SCRIPT}"]
            command = [os.environ.get("CXX", "g++"), *wrapper, str(source), "-o", str(Path(folder) / "a")]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("a.cpp:1:21: error:", run.stderr)
        self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    unittest.main()
