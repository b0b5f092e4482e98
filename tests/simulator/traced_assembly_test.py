"""The changes to g++'s assembly of traced code, and the wrapper around its steps."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_SCRIPT = Path(__file__).resolve().parents[2] / "common" / "simulator" / "translate" / "traced_assembly.py"
sys.path.insert(0, str(_SCRIPT.parent))

from inline_steps import inline_steps
from pad_shared_memory import PADDING_BYTES, pad
from place_copies import is_definition, place_copies
from traced_assembly import changed

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


class InlineStepsTest(unittest.TestCase):
    def test_keeps_the_call_and_its_return_address(self) -> None:
        for hook in ("__sanitizer_cov_trace_pc", "__tsan_read4", "__tsan_write16"):
            inlined = inline_steps(f"\tcall\t{hook}\n")
            self.assertIn(f"\tcall\t{hook}\n.Lstep_behind1:\n", inlined)
            self.assertIn("\tcmpl\t$.Lstep_behind1, 2(%rax)\n", inlined)

    def test_an_access_must_be_aligned_to_its_bytes(self) -> None:
        for size, mask in ((2, 1), (4, 3), (8, 7), (16, 15)):
            inlined = inline_steps(f"\tcall\t__tsan_write{size}\n")
            self.assertIn(f"\ttestb\t${mask}, %dil\n\tjne\t.Lstep_slow1\n", inlined)
        self.assertNotIn("testb", inline_steps("\tcall\t__tsan_read1\n"))

    def test_an_access_to_local_memory_skips_the_call(self) -> None:
        inlined = inline_steps("\tcall\t__tsan_read1\n")
        local = inlined[inlined.index(".Lstep_slow1:\n"):]
        self.assertRegex(local, r"subq\t%fs:\S+\+24, %rdx\n\tcmpq\t%fs:\S+\+40, %rdx\n\tjb\t.Lstep_behind1\n\tcall\t")

    def test_numbers_the_labels(self) -> None:
        inlined = inline_steps("\tcall\t__tsan_read4\n\tret\n\tcall\t__sanitizer_cov_trace_pc\n")
        self.assertEqual(inlined.count(".Lstep_behind1:"), 1)
        self.assertEqual(inlined.count(".Lstep_behind2:"), 1)
        self.assertEqual(inlined.count("\tret\n"), 1)

    def test_leaves_other_calls_alone(self) -> None:
        for call in ("call\t__tsan_volatile_read4", "call\t__tsan_unaligned_read4", "bl\t__tsan_read4",
                     "call\t__sanitizer_cov_trace_pc@PLT", "call\tf", "call\t*%rax"):
            self.assertEqual(inline_steps(f"\t{call}\n"), f"\t{call}\n")


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
        """The distances between pairs of variables: local ones, those of templates, and ordinary ones."""
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

    def test_steps_stay_calls_on_request(self) -> None:
        text = "\tcall\t__tsan_read4\n\tcall\t__sanitizer_cov_trace_pc\n"
        self.assertEqual(changed(text, inlines_steps=False), text)
        self.assertNotEqual(changed(text, inlines_steps=True), text)

    def test_fails_if_the_compiler_fails(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "a.cpp"
            source.write_text("int main() { return one; }\n")
            wrapper = ["-wrapper", f"{sys.executable},{_SCRIPT}"]
            command = [os.environ.get("CXX", "g++"), *wrapper, str(source), "-o", str(Path(folder) / "a")]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("a.cpp:1:21: error:", run.stderr)
        self.assertNotIn("Traceback", run.stderr)


class PlaceCopiesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="place copies ")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "a.cu"
        self.file.write_text("struct Pair { int x; };\n  out[i] = f();\n")

    def changed(self, *places: str) -> list[str]:
        """The positions of one function's code."""
        text = f'\t.file 1 "{self.file}"\nf:\n\t.cfi_startproc\n' + "".join(f"\t.loc {place}\n" for place in places)
        return [line[6:] for line in place_copies(text).splitlines() if line.startswith("\t.loc")]

    def test_a_copy_has_the_statements_position(self) -> None:
        self.assertEqual(
            self.changed("1 2 12 view .LVU1", "1 1 8 is_stmt 1 view .LVU2", "1 2 3", "1 1 8"),
            ["1 2 12 view .LVU1", "1 2 12 is_stmt 1 view .LVU2", "1 2 3", "1 2 3"],
        )

    def test_a_first_statement_that_is_only_a_copy_has_its_line(self) -> None:
        self.file.write_text("struct Pair { int x; };\nvoid k(Pair* out) {\n  // both\n  *out = f();\n\n}\n")
        self.assertEqual(
            self.changed("1 2 6 view", "1 1 8 is_stmt 1", "1 1 8", "1 6 1", "1 1 8"),
            ["1 2 6 view", "1 4 3 is_stmt 1", "1 4 3", "1 6 1", "1 6 1"],
        )

    def test_a_function_that_starts_there_keeps_its_position(self) -> None:
        self.assertEqual(self.changed("1 1 8", "1 1 8 view .LVU1"), ["1 1 8", "1 1 8 view .LVU1"])

    def test_the_position_of_another_function_is_not_used(self) -> None:
        before = "f:\n\t.cfi_startproc\n\t.loc 1 2 3\n\t.cfi_endproc\n"
        text = f'\t.file 1 "{self.file}"\n{before}g:\n\t.loc 1 1 8\n\t.cfi_startproc\n\t.loc 1 1 8\n\t.cfi_endproc\n'
        self.assertEqual(place_copies(text), text)

    def test_a_function_can_have_its_position_before_its_start(self) -> None:
        self.file.write_text("struct Pair { int x; };\nvoid k(Pair* out) {\n  *out = f();\n}\n")
        for again in ("", "\t.loc 1 2 6 is_stmt 0\n"):
            begin = f'\t.file 1 "{self.file}"\nk:\n\t.loc 1 2 6\n\t.cfi_startproc\n{again}'
            end = "\t.loc 1 4 1\n\t.cfi_endproc\n"
            self.assertEqual(place_copies(f"{begin}\t.loc 1 1 8\n{end}"), f"{begin}\t.loc 1 3 3\n{end}")

    def test_files_that_cannot_be_read(self) -> None:
        for name in ("/no/such/file.cu", "/dev/zero", "/usr/include/stdio.h", str(self.file.parent)):
            text = f'\t.file 1 "{name}"\n\t.cfi_startproc\n\t.loc 1 2 3\n\t.loc 1 1 8\n'
            self.assertEqual(place_copies(text), text)

    def test_where_structures_are_defined(self) -> None:
        for text, name in (
            ("struct Pair {", "Pair"),
            ("class alignas(16) Quad : public Pair {", "Quad"),
            ("struct __align__(8) Pair {", "Pair"),
            ("template <typename T> struct [[nodiscard]] Box { T x; };", "Box"),
            ("struct __attribute__((aligned(8))) Pair {", "Pair"),
            ("struct { int x; } pair;", "struct"),
            ("union alignas(8) {", "union"),
            ("typedef struct { int x; } Pair;", "Pair"),
            ("} Pair;", "Pair"),
        ):
            with self.subTest(text=text):
                self.assertTrue(is_definition(text, text.rindex(name) + 1))
        for text, name in (
            ("  out[i] = f();", "out"),
            ("struct Pair pair = f();", "pair"),
            ("if (a) { b = c; } out = f();", "out"),
            ("Structure x = f();", "x"),
            ("  struct Pair pair = *pairs;", "struct"),
            ("", ""),
        ):
            with self.subTest(text=text):
                self.assertFalse(is_definition(text, text.rindex(name) + 1))


if __name__ == "__main__":
    unittest.main()
