from __future__ import annotations

import re
import subprocess
import unittest
from pathlib import Path
from typing import Any

import support

from cli.building.absent import _HEADERS, _INSTEAD_OF_HEADERS, _INSTEAD_OF_PTX, _NAMES
from cli.building.compiler_output import errors_first, explain_failure
from cli.errors import BuildError
from cli.tracing.report import Finding, Place

ROOT = Path("/home/learner/workbook")
FILE = f"{ROOT}/chapters/ch3_transpose/01_naive.cu"


NAIVE = "Fix chapters/ch3_transpose/01_naive.cu"


def explained(output: str, source: Path = Path(FILE), **how: Any) -> BuildError:
    return explain_failure(output, ROOT, "ch3_transpose_naive", source, **how)


def last_line(output: str, source: Path = Path(FILE)) -> str:
    return explained(output, source).advice.splitlines()[-1]


def of_own_file(output: str) -> str:
    return explain_failure(output, ROOT, "k.cu", Path("/k.cu")).advice


class CompilerOutputTest(unittest.TestCase):
    def test_gcc_error(self) -> None:
        output = (
            "[ 50%] Building CXX object naive.cu.o\n"
            f"{FILE}:27:9: error: expected ';' before '}}' token\n   27 |   x\n"
            "gmake[2]: *** [naive.cu.o] Error 1\n"
        )
        text = str(explain_failure(output, ROOT, "ch3_transpose_naive"))
        self.assertTrue(text.startswith(f"{FILE}:27:9: error:"))
        self.assertNotIn("gmake", text)
        self.assertEqual(text.splitlines()[-1], f"{NAIVE}, line 27: expected ';' before '}}' token")

    def test_launch_with_one_number_shows_no_internals(self) -> None:
        call = "cuda_simulator::LaunchConfiguration::LaunchConfiguration(int&)"
        output = (
            f"{FILE}: In function 'void f()':\n"
            f"{FILE}:26:24: error: no matching function for call to '{call}'\n   26 |   k<<<n>>>(z);\n"
            "In file included from common/simulator/include/cuda_runtime.h:20,\n"
            "                 from <command-line>:\n"
            f"common/simulator/include/simulator/launch.h:13:3: note: candidate: '{call}'\n   13 |   Launch\n"
        )
        error = explained(output, simulated=True)
        numbers = "two numbers, <<<blocks, threads>>>: the number of blocks, and of threads per block."
        self.assertEqual(error.advice, f"{NAIVE}, line 26: a launch needs {numbers}")
        said = f"{FILE}: In function 'void f()':\n{FILE}:26:24: error: no launch takes (int&)\n   26 |   k<<<n>>>(z);"
        self.assertEqual(error.words, said)

    def test_errors_of_a_launch_are_reported_once(self) -> None:
        output = (
            f"{FILE}:26:63: error: too few arguments to function 'void k(int)'\n   26 |   k<<<1, 2>>>();\n"
            f"{FILE}: In instantiation of 'f()::<lambda(auto:1 ...)>':\n{FILE}:26:52:   required from here\n"
            f"{FILE}:26:21: error: too few arguments to function 'void k(int)'\n   26 |   k<<<1, 2>>>();\n"
        )
        self.assertEqual(explained(output, simulated=True).words, "\n".join(output.splitlines()[:2]))

    def test_the_line_to_fix(self) -> None:
        own = Path.cwd() / "my kernel.cu"
        for output, source, advice in (
            (f"{FILE}(12): error: 'i' is undefined\n", FILE, f"{NAIVE}, line 12: 'i' is undefined"),  # nvcc
            (f"{ROOT}/common/a.h:4:1: error: no\n{FILE}:30:3: error: wrong\n", FILE, f"{NAIVE}, line 30: wrong"),
            (f"/usr/include/x.h:4:1: error: no\n{own}:30:3: error: wrong\n", own, "Fix my kernel.cu, line 30: wrong"),
        ):
            with self.subTest(output):
                self.assertEqual(last_line(output, Path(source)), advice)

    def test_linker_error_uses_the_declaration_of_the_header(self) -> None:
        name = "f(float const*, unsigned int const&, float*, std::vector<float> const&, CudaSimulatorStream*)"
        output = f"main.cpp:(.text+0x1): undefined reference to `{name}'\n"
        source = support.folder_of(self) / "ex1.cu"
        source.write_text('#include "common/ceil_div.h"\n#include "vector_add.h"\n', encoding="utf-8")
        declared = "f(const float*, const unsigned int&, float*, const std::vector<float>&, cudaStream_t)"
        compare = "which the program calls. Compare its name and arguments with vector_add.h."
        self.assertEqual(last_line(output, source), f"Fix {source}: nothing defines {declared}, {compare}")
        own = of_own_file(output)
        self.assertTrue(own.endswith("with its declaration, or name the file that defines it too."), own)

    def test_linker_errors_of_ld_and_gold(self) -> None:
        missing = (
            f"{NAIVE}: nothing defines transpose(int), which the program calls. "
            "Compare its name and arguments with the chapter's header."
        )
        ld = "/usr/bin/ld: main.o: in function `main':\nmain.cpp:(.text+0x1): undefined reference to `transpose(int)'\n"
        self.assertEqual(last_line(ld), missing)
        for place in ("main.o:main.cpp:function main:", f"{ROOT}/chapters/ch3_transpose/harness/main.cpp:3:"):
            self.assertEqual(last_line(f"{place} error: undefined reference to 'transpose(int)'\n"), missing)
        main = "CMakeFiles/ch1.dir/main.cpp.o"
        gold = (
            "/usr/bin/ld.gold: error: ex1.o: multiple definition of 'main'\n"
            f"/usr/bin/ld.gold: {main}: previous definition here\n"
        )
        for twice in (f"ld: ex1.o: multiple definition of `main'; {main}: first defined here\n", gold):
            self.assertEqual(last_line(twice), f"{NAIVE}: the program has a main() already. Remove yours.")
            self.assertIn(f"main is also defined in {main}.", of_own_file(twice))

    def test_program_without_main(self) -> None:
        output = "crt1.o: in function `_start':\n(.text+0x17): undefined reference to `main'\n"
        words = "k.cu has no main(): it is not a whole program. Add main(), or name the file that has it too."
        self.assertEqual(of_own_file(output), words)
        self.assertIn("The main() of a chapter's stages is in harness/main.cpp", last_line(output))

    def test_unknown_target(self) -> None:
        advice = last_line("ninja: error: unknown target 'ch3_transpose_naive'\n")
        self.assertIn("Stages are found by their file names, such as 01_naive.cu", advice)

    def test_a_broken_rule_of_cuda_hides_its_consequences_and_no_error_elsewhere(self) -> None:
        rule = Finding("device_rule", "", "A kernel returns nothing.", places=(Place(FILE, 7, 1),))
        for line, words in ((7, "A kernel returns nothing."), (9, "expected ';'")):
            output = f"{FILE}:{line}:1: error: expected ';'\n"
            text = str(explained(output, broken_rules=[rule]))
            self.assertTrue(text.startswith(output), text)
            self.assertEqual(text.splitlines()[-1], f"{NAIVE}, line {line}: {words}")

    def test_advice_never_names_a_system_header(self) -> None:
        header = ROOT / "common/simulator/include/simulator/kernels_as_values.h"
        for output, advice in (
            (
                "In file included from /usr/local/cuda/include/cuda_fp8.h:4,\n"
                f"                 from {FILE}:3:\n"
                "/usr/local/cuda/include/cuda_fp8.hpp:120:8: error: 'nv_thing' does not name a type\n",
                "line 3: the header included there does not compile in the simulator. With a GPU, build it with nvcc; "
                "docs/simulator.md lists the missing parts.",
            ),
            (
                "In file included from /usr/include/c++/12/algorithm:60,\n"
                f"                 from {FILE}:3:\n"
                f"{FILE}:30:12:   required from here\n"
                "/usr/include/c++/12/bits/stl_algo.h:1938:35: error: no match for 'operator<'\n",
                "line 30: no match for 'operator<'",
            ),
            (
                f"{header}: In instantiation of 'cudaError_t cudaLaunchKernel(Pointer, dim3) [with Pointer = void*]':\n"
                f"{FILE}:30:19:   required from here\n"
                f"{header}:52:22: error: static assertion failed: the simulator needs the kernel's parameters\n",
                "line 30: the simulator needs the kernel's parameters",
            ),
        ):
            with self.subTest(advice):
                self.assertEqual(explained(output, simulated=True).advice, f"{NAIVE}, {advice}")

    def test_machine_trouble_is_not_blamed_on_a_file(self) -> None:
        self.assertIn("the disk is full", last_line("fatal error: x.o: No space left on device\n"))
        for output in (
            "c++: fatal error: Killed signal terminated program cc1plus\n",
            "virtual memory exhausted: Cannot allocate memory\n",
            "g++-12: fatal error: cannot execute 'cc1plus': vfork: Cannot allocate memory\n",
            "/usr/bin/ld: final link failed: Cannot allocate memory\n",
            "make[2]: vfork: Cannot allocate memory\n",
            "terminate called after throwing an instance of 'std::bad_alloc'\n",
        ):
            self.assertIn("the machine ran out of memory", last_line(output), output)

    def test_words_in_the_source_are_not_machine_trouble(self) -> None:
        for message in ("'badalloc' is not a member of 'std'; did you mean 'std::bad_alloc'?", 'expected ";" before "Cannot allocate memory"'):
            self.assertIn("line 30", last_line(f"{FILE}:30:7: error: {message}\n"))

    def test_folder_that_cannot_be_written(self) -> None:
        for output in (
            "CMake Error: Cannot open file for write: /w/build/CMakeFiles/cmake.check_cache.tmp\n"
            "CMake Error: : System Error: Permission denied\n",
            "CMake Error: Unable to (re)create the private pkgRedirects directory:\n/w/build/CMakeFiles/pkgRedirects\n",
            f"{FILE}:5:1: fatal error: opening dependency file CMakeFiles/naive.dir/naive.o.d: Permission denied\n",
            "Fatal error: can't create CMakeFiles/naive.dir/naive.o: Read-only file system\n",
            "/usr/bin/ld: cannot open output file ../../bin/naive: Permission denied\n",
            "[Errno 13] Permission denied: '/w/build/chapters/naive.cpp'\n",
        ):
            with self.subTest(output):
                error = explain_failure(output, ROOT, "naive", Path(FILE), folder="build")
                self.assertEqual(
                    error.advice,
                    "Building naive: build/ cannot be written. Do you own the workbook's folder? ls -ld . build\n"
                    'If not, change its owner (sudo chown -R "$USER" .), or clone the workbook into a folder of your own.',
                )
                self.assertFalse(error.is_about_source)

    def test_errors_about_the_source(self) -> None:
        for output, expected in (
            (f"{FILE}:27:9: error: no\n", True),
            (f"{FILE}:5:10: fatal error: secret.h: Permission denied\n", True),
            (f"In file included from {FILE}:3:\n{ROOT}/common/ceil_div.h:4:1: error: no match\n", True),
            ("main.cpp:(.text+0x1): undefined reference to `transpose(int)'\n", True),
            (f"[ 9%] Building {FILE}.o\ngmake: *** No rule to make target 'x', needed by '{FILE}.o'.\n", False),
            ("c++: fatal error: Killed signal terminated program cc1plus\n", False),
            ("something odd\n", False),
        ):
            with self.subTest(output):
                error = explain_failure(output, ROOT, "naive", Path(FILE), folder="build")
                self.assertEqual(error.is_about_source, expected, error.advice)

    def test_unknown_failure_keeps_the_output(self) -> None:
        text = str(explain_failure("something odd\n", ROOT, "ch3_transpose_naive"))
        self.assertEqual(text, "something odd\n\nBuilding ch3_transpose_naive failed; the reason is above.")


class AbsenceTest(support.FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.source = self.folder / "k.cu"

    def explain(self, source: str, error: str) -> str:
        self.source.write_text(source, encoding="utf-8")
        text = str(explain_failure(error.replace("FILE", str(self.source)), support.ROOT, "k.cu", self.source, True))
        self.assertTrue(text.startswith(error.replace("FILE", str(self.source))), text)
        return text.splitlines()[-1]

    def test_headers_that_the_simulator_lacks(self) -> None:
        for header, words in (
            ("cublasXt.h", "The simulator has no <cublasXt.h>: it does not model NVIDIA's libraries."),
            ("cuda/ptx", "it does not model NVIDIA's C++ libraries (CUB, libcu++)."),
            ("mma.h", "it does not model tensor cores."),
            ("cuda/std/atomic", "it does not model libcu++'s atomics. Include <cuda/atomic>, for cuda::atomic_ref."),
            ("cuda/latch", "it does not model this part of libcu++. For the threads of a block, use cuda::barrier"),
        ):
            with self.subTest(header):
                source = f"#include <cuda_runtime.h>\n#  include <{header}>\n"
                self.assertIn(words, self.explain(source, f"FILE:2:10: fatal error: {header}: No such file\n"))
                # If the compiler finds the Toolkit's headers, the first error is inside them.
                self.assertIn(words, self.explain(source, "/usr/include/vector_types.h:1:1: error: redefinition\n"))

    def test_thrust_is_installed_separately(self) -> None:
        source = "#include <thrust/sort.h>\n"
        command = "python3 -m pip install --target data/cccl -r common/simulator/thrust/requirements.txt"
        self.assertTrue((support.ROOT / command.split()[-1]).is_file())
        said = self.explain(source, "FILE:1:10: fatal error: thrust/sort.h: No such file\n")
        self.assertEqual(said, f"Thrust's headers are not installed. In the folder of the workbook, run: {command}")
        self.assertIn(command, (support.ROOT / "common/cmake/FindUsableThrust.cmake").read_text(encoding="utf-8"))
        guard = (support.ROOT / "common/simulator/thrust/thrust/detail/config.h").read_text(encoding="utf-8")
        error = next(line for line in guard.splitlines() if line.startswith("#error"))
        said = self.explain(source, f"/usr/include/thrust/detail/config.h:8:2: error: {error}\n")
        self.assertTrue(said.startswith("The compiler finds the headers of another version of Thrust"), said)
        self.assertTrue(said.endswith(command), said)
        # Any other error in a program with Thrust is the learner's.
        self.assertEqual(self.explain(source, "FILE:3:1: error: no\n"), f"Fix {self.source}, line 3: no")

    def test_header_next_to_the_file_is_the_learners(self) -> None:
        (self.source.parent / "mma.h").touch()
        said = self.explain('#include "mma.h"\n', "FILE:3:1: error: no\n")
        self.assertEqual(said, f"Fix {self.source}, line 3: no")

    def test_inline_ptx(self) -> None:
        source = '__global__ void k() { asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); }\n'
        for error in (
            "FILE:1: Error: no such instruction: `mov.u32 %ebx,%laneid'\n",
            "FILE:1:3: error: output constraint 0 must specify a single register\n",
        ):
            self.assertIn("does not run inline PTX (asm).", self.explain(source, error))
        self.assertEqual(
            self.explain(source, "FILE:1:3: error: expected ';'\n"), f"Fix {self.source}, line 1: expected ';'"
        )

    def test_what_to_write_instead_of_inline_ptx(self) -> None:
        for instruction, words in (
            ("mov.u32 %0, %%laneid;", "Instead of 'mov.u32', write threadIdx.x % 32."),
            ("bar.sync 0;", "Instead of 'bar.sync', write __syncthreads()."),
            ("membar.gl;", "Instead of 'membar.gl', write __threadfence()"),
            ("{ cp.async.ca.shared.global [%0], [%1], 16; }", "write __pipeline_memcpy_async() of <cuda_pipeline.h>."),
            ("atom.global.add.u32 %0, [%1], 1;", "write atomicAdd() and its relatives."),
            ("ld.global.nc.f32 %0, [%1];", "Instead of 'ld.global.nc.f32', write __ldg()"),
            ("lop3.b32 %0, %1, %2, %3, 0x80;", "does not run inline PTX (asm). With a GPU"),
        ):
            with self.subTest(instruction):
                source = f'__global__ void k() {{ asm volatile("{instruction}" : "=r"(x)); }}\n'
                shown = instruction.strip("{} ;").replace("%%", "%").replace("%0", "%eax")
                for error in (
                    f"FILE:1: Error: no such instruction: `{shown}'\n",
                    "FILE:1:3: error: output constraint 0 must specify a single register\n",
                ):
                    self.assertIn(words, self.explain(source, error))

    def test_errors_elsewhere(self) -> None:
        for error, words in (
            ("/a.cpp:3:32: error: expected primary-expression before '<' token\n", "Rename the .cpp file to .cu."),
            ("k.o: undefined reference to `cuInit'\n", "CUDA's driver API"),
            ("k.o: undefined reference to `omp_get_thread_num'\n", "--compiler=-fopenmp"),
            ("/a.h:4:10: fatal error: cufft.h: No such file\n", "a.h, line 4: The simulator has no <cufft.h>"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.explain("", error))

    def test_undeclared_name_of_cuda(self) -> None:
        error = "FILE:2:14: error: '{}' was not declared in this scope; did you mean 'cudaStreamCreate'?\n"
        for name, words in (
            ("cudaNewThing", "If 'cudaNewThing' belongs to CUDA: the simulator does not have it."),
            ("cudaGraphDebugDotPrint", "The simulator does not model this part of CUDA graphs. With a GPU"),
            ("surf2Dwrite", "The simulator does not model surfaces."),
            ("texCubemap", "The simulator does not model cubemaps and gathers of texels."),
            ("cudaBindTexture2D", "CUDA 12 removed them. Use texture objects."),
            ("cuCtxCreate", "The simulator does not model CUDA's driver API."),
            ("cublasStrsm", "The simulator does not model this part of cuBLAS. With a GPU"),
            ("CUBLASLT_ORDER_ROW", "The simulator does not model this part of cuBLAS. With a GPU"),
            ("__nv_fp8_e5m2", "The simulator does not model this part of one-byte floats. With a GPU"),
            ("curand_poisson", "The simulator does not model this part of cuRAND. With a GPU"),
        ):
            self.assertIn(words, self.explain("", error.format(name)))
        alike = "FILE:2:14: error: 'curandGenerateLogNormal' was not declared; did you mean 'curandGenerateNormal'?\n"
        self.assertIn("The simulator does not model this part of cuRAND.", self.explain("", alike))
        no_member = "FILE:1:6: error: 'BlockLoad' is not a member of 'cub'\n"
        self.assertIn("The simulator does not model cub::BlockLoad.", self.explain("", no_member))

    def test_warnings_come_after_the_error(self) -> None:
        warning = ["In file included from b.cu:1:", "a.h: In function 'int f()':", "a.h:2:1: warning: unused", "  2 | int a"]
        error = ["b.cu:4:1: error: no", "  4 | no;", "a.h:1:1: note: here"]
        self.assertEqual(errors_first([*warning, *error]), [*error, *warning])

    def test_a_header_of_the_toolkit_that_does_nothing_with_gcc_is_hidden(self) -> None:
        command = ["g++", "-I", str(support.ROOT / "common/simulator/include"), "-fsyntax-only", "-x", "c++", "-"]
        result = subprocess.run(command, input="#include <mma.h>\n", capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("The simulator does not model tensor cores.", result.stderr)

    def test_the_page_has_the_words(self) -> None:
        page = (support.ROOT / "docs/simulator.md").read_text(encoding="utf-8")
        for what in [what for _, what in (*_HEADERS, *_NAMES)] + [words for _, words in _INSTEAD_OF_HEADERS]:
            self.assertIn(what, re.sub(r"\s+", " ", page))
        for _, instead in _INSTEAD_OF_PTX:
            self.assertIn(f"`{instead}`", page)

    def test_typing_error_is_not_an_absence(self) -> None:
        for name, guess in (("cudaMaloc", "cudaMalloc"), ("blockIdy", "blockIdx"), ("sum", "")):
            hint = f"; did you mean '{guess}'?" if guess else ""
            error = f"FILE:2:14: error: '{name}' was not declared in this scope{hint}\n"
            self.assertTrue(self.explain("", error).startswith("Fix "), name)
