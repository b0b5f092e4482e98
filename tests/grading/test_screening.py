"""The screening of graded answers: the preprocessed source, and the object file."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from pieces import Pieces, Row

from cli.checking.screening.directives import check_conditions, check_text, have_same_code
from cli.checking.screening.imports import SIMULATORS
from cli.checking.screening.object_file import Symbol, check_object, demangle, read_symbols, tracer_start_size
from cli.checking.screening.screening import OF_TEXT
from cli.checking.screening.source import Answer, check_source, with_marks
from cli.errors import Refused

LINE_SEPARATOR = "\u2028"


class CodeTest(unittest.TestCase):
    TEXT = '#include "a.h"\n\nint f(int x) {\n  return x << 2;  // four times\n}\nconst char* const s = "a // b";\n'

    def test_comments_and_white_space_do_not_count(self) -> None:
        for text in (
            "// Zoe\n" + self.TEXT,
            self.TEXT.replace("// four times", "/* by\n4 */"),
            "\ufeff" + self.TEXT.replace("\n", "\r\n"),
            self.TEXT.replace("  ", "\t").replace("{\n", "\n{ "),
            self.TEXT.replace("return", "ret\\\nurn"),
        ):
            self.assertTrue(have_same_code(text, self.TEXT), text)

    def test_the_first_difference_ends_the_comparison(self) -> None:
        quotes = '"\\' * 200_000  # each of them could begin a literal, up to the end
        self.assertFalse(have_same_code(self.TEXT + quotes, self.TEXT))

    def test_code_counts(self) -> None:
        for old, new in (("x << 2", "x << 3"), ("a // b", "a //  b"), ("x", "y"), ("int f", "intf"), ("a.h", "b.h")):
            self.assertFalse(have_same_code(self.TEXT.replace(old, new), self.TEXT), new)


class _PreprocessedTest(support.FolderTest):
    def screen(self, source: Path, rewritten: Path) -> None:
        answer = Answer(source, rewritten, self.folder, (self.folder / "chapter",))
        whole = with_marks(self.preprocess(rewritten, "-fdirectives-only"), answer, "own")
        with_macros = self.put("room/with_macros.cpp", whole)
        check_source(self.preprocess(with_macros, *OF_TEXT), answer, self.preprocess_text, "own")

    def preprocess(self, file: Path, *options: str) -> str:
        command = ["g++", "-E", "-w", *options, "-isystem", f"{self.folder}/stubs", f"-I{self.folder}/chapter", str(file)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")

    def preprocess_text(self, text: str) -> tuple[str, str]:
        file = self.put("room/includes.cpp", text)
        return self.preprocess(file), str(file)


class SourceTest(Pieces, _PreprocessedTest):
    """The source is preprocessed by the real g++, between the lines that the rewriter adds."""

    section = "source"

    def check(self, text: str, rewritten_text: str = "") -> None:
        text = text.replace("$folder", str(self.folder))
        for secret in ("solution.cpp", "chapter/01_stage.cu"):
            self.put(secret, "int x;\n")
        self.put("chapter/given.h", 'inline void wait() { asm("pause"); }\n#ifdef BEGINS\nBEGINS\n#endif\n')
        source = self.put("ex1.cu", text)
        self.screen(source, self.put("answer.cpp", f'#include "given.h"\n#line 1 "{source}"\n{rewritten_text or text}'))

    def test_line_markers_with_other_characters(self) -> None:
        for marker in ("# \0\t1", "#li\\ \nne 1"):
            with self.subTest(marker):
                self.assert_refused(f'{marker} "/usr/include/given.h"\nvoid f() {{ asm(""); }}', "#line")

    def test_a_raw_string_contains_no_line_marker(self) -> None:
        for end in ("\n", LINE_SEPARATOR, "\r"):
            with self.subTest(end=end):
                marker = f'{end}# 1 "/usr/include/stdio.h" 1 3 4{end}'
                self.assert_refused(f'const char* t = R"({marker})"; void f() {{ asm(""); }}', "It uses assembler")
                self.check(f'const char* t = R"x({marker})" asm("")x";')

    def test_code_of_the_rewriter_passes(self) -> None:
        self.check(
            "k<<<1, 1>>>();",
            "void g() { (cuda_simulator::launch([&](auto...cuda_simulator_arguments)__attribute__((noinline))->void{})); }"
            ' extern __thread int s[] __asm__("cuda_simulator_dynamic_shared");'
            ' __attribute__((section("cuda_constant"))) int c;'
            ' void h() { int a[2]; const cuda_simulator::LocalArray cuda_simulator_follows_a(a, sizeof a, "a", true); }',
        )

    def test_a_million_lines_and_an_unfinished_directive_are_fast(self) -> None:
        self.check("\n" * 1_000_000 + "#" + "/**/" * 60 + " define X 1\n")


class ConditionsTest(Pieces, unittest.TestCase):
    """Conditions of the preprocessor in the learner's own files."""

    section = "conditions"

    def check(self, answer: str, **headers: str) -> None:
        given = {Path(name.replace("_", ".")): text for name, text in headers.items()}
        check_conditions({Path("ex1.cu"): answer, **given})

    def assert_refused(self, text: str, asked: str) -> None:
        reason = f"It asks for {asked} in a condition"
        for answer, headers in ((text, {}), ('#include "a.cuh"\n', {"a_cuh": text})):
            with self.subTest(text=text, headers=headers), self.assertRaisesRegex(Refused, reason):
                self.check(answer, **headers)

    def test_the_compiler_its_instrumentation_and_files(self) -> None:
        for name in ("__clang__", "__GNUC__", "__SANITIZE_THREAD__", "__OPTIMIZE__", "__COUNTER__"):
            self.assert_refused(f"#if {name} > 1\n#endif\n", name)
            self.assert_refused(f"#if TILE\n#elif !defined({name})\n#endif\n", name)
            self.assert_refused(f"#ifndef {name}\n#define {name}\n#endif\n", name)
        self.assert_refused("#if __has_include(<x>)\n#endif\n", "__has_include")
        self.assert_refused("#if defined(X) && __has_feature(y)\n#endif\n", "__has_feature")

    def test_with_other_characters(self) -> None:
        for text in ("\ufeff#if __GNUC__\n", "#i\\  \nf __GN\\\nUC__", "#if 0\r\n#elif __GNUC__\r\n", "\f#if __GNUC__"):
            self.assert_refused(text, "__GNUC__")

    def test_the_message_names_line_and_file(self) -> None:
        with self.assertRaisesRegex(Refused, r"line 5 of ex1\.cu: #if defined\(__clang__\)\. .*__CUDA_ARCH__"):
            self.check("/*\n*/\n#define A \\\n 1\n#if  defined(__clang__)  // why\n#endif\n")

    def test_guards_of_headers_pass(self) -> None:
        for guard in ("HELPER_H", "_HELPER_H_", "__HELPER_CUH__", "_helper_hpp", "__REDUCE_INCLUDED__", "__A__"):
            with self.subTest(guard=guard):
                self.check('#include "a.cuh"\n', a_cuh=f"#ifndef {guard}\r\n#define {guard}\r\nint x;\r\n#endif\r\n")

    def test_a_condition_that_is_left_for_the_compiler(self) -> None:
        for left in ("%:if __has_include(<x>)\n", "/* */ %: include <x>\n", "#\\\nif 1\n"):
            with self.subTest(left=left), self.assertRaisesRegex(Refused, "does not recognise"):
                check_text(f'# 1 "answer.cpp"\n#define A 1\n{left}')
        usual = '# 1 "answer.cpp"\n#define A 1\n#undef A\n#pragma unroll\n#warning "x"\n'
        check_text(f"{usual}// #if\n/*\n#if\n*/ int x = 5 %3;\n%:define A 2\n")

    def test_a_million_conditions_are_fast(self) -> None:
        self.check("#if TILE\n" * 20_000 + "\n" * 1_000_000 + "R\"(" * 20_000)


class OwnHeadersTest(_PreprocessedTest):
    """Headers that are handed in with an answer, through the real rewriter and the real g++."""

    def setUp(self) -> None:
        super().setUp()
        given = "#pragma once\nint given();\n#ifdef BEGINS\nBEGINS\n#endif\ninline void h() { k<<<1, 2>>>(); }\n"
        self.put("chapter/given.h", given)
        self.put("chapter/plain.h", "int plain();\n")
        self.put("stubs/cuda_runtime.h", "#pragma once\n")
        self.put("stubs/simulator/compiled_by_nvcc.h")

    def check(self, answer: str, **headers: str) -> None:
        """headers: texts by name; a_cuh is a.cuh, and in__b_h is in/b.h."""
        source = self.put("handed_in/ex1.cu", answer)
        for name, text in headers.items():
            self.put("handed_in/" + name.replace("__", "/").replace("_", "."), text)
        rewritten = self.folder / "room/answer.cpp"
        rewritten.parent.mkdir(exist_ok=True)
        for old in rewritten.parent.iterdir():
            old.unlink()
        rewriter = support.ROOT / "common/simulator/translate/rewrite_cuda.py"
        subprocess.run([sys.executable, str(rewriter), str(source), str(rewritten), str(self.folder / "chapter")], check=True)
        self.screen(source, rewritten)

    def test_ordinary_headers_pass(self) -> None:
        helper = '#pragma once\n#include "in/b.h"\n#include <vector>\n#include "given.h"\ninline int twice(int x);\n'
        self.check('#include "a.cuh"\n#include "given.h"\n#include "in/b.h"\n', a_cuh=helper, in__b_h="#pragma once\n")

    def test_a_header_with_a_launch_passes(self) -> None:
        launch = '#include "given.h"\ninline void f(void (*p)()) { k<<<1, 2>>>(); p<<<1, 2>>>(); }\n#include <cstdio>\n'
        self.check('#include "a.cuh"\n#include <vector>\n', a_cuh=launch)
        self.check('#include "a.cuh"\n', a_cuh='#include "in/b.h"\n#include <cmath>\n', in__b_h=launch)

    def test_headers_are_screened_like_the_answer(self) -> None:
        launch = "inline void g() { k<<<1, 2>>>(); }\n"
        for text, reason in (
            ('inline void f() { asm(""); }\n', "It uses assembler"),
            ('__attribute__((no_sanitize("thread"))) void f();\n', "hides code from the simulator"),
            ("void f() { CUDA_SIMULATOR_UNTRACED(); }\n", "names that belong to the simulator"),
            ("#define G(a, b) a##b\nvoid f() { G(cuda_sim, ulator)::run_grid(); }\n", "belongs to the simulator"),
            ('#define BEGINS void f() { asm(""); }\n#include "given.h"\n', "changes the text of a header"),
            ('#line 1 "/usr/include/given.h"\nvoid f() { asm(""); }\n', "#line"),
            (f'#line 1 "{self.folder}/room/answer.cpp.0_given.h"\nvoid f() {{ asm(""); }}\n', "#line"),
        ):
            for header in (text, launch + text, text + launch):
                with self.subTest(header=header):
                    with self.assertRaisesRegex(Refused, reason):
                        self.check('#include "a.cuh"\n', a_cuh=header)
                    with self.assertRaisesRegex(Refused, reason):
                        self.check('#include "a.cuh"\n', a_cuh='#include "in/b.h"\n', in__b_h=header)

    def test_the_workbooks_header_has_priority(self) -> None:
        self.check('#include "plain.h"\n', plain_h='#error "not this one"\n')

    def test_only_headers_of_the_answers_folder_can_be_included(self) -> None:
        self.put("other/b.h", "int b;\n")
        self.put("handed_in/plain.txt", "int c;\n")
        (self.folder / "handed_in/link.h").symlink_to(self.folder / "other/b.h")
        for name in ("../other/b.h", "plain.txt", "link.h", f"{self.folder}/other/b.h"):
            with self.subTest(name=name), self.assertRaisesRegex(Refused, "It includes .*its own headers in its own folder"):
                self.check(f'#include "{name}"\n')


class ObjectTest(Pieces, unittest.TestCase):
    """The screening of object files from the real g++."""

    section = "object"

    def try_piece(self, row: Row, _: str, text: str) -> None:
        self.judged(row, text, *(("-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-g") if row.how else ()))

    def check(self, text: str, *options: str) -> None:
        start_bytes = tracer_start_size(self.parts("void f(int* p) { *p = 1; }", *options)[2])
        check_object(*self.parts(text, *options), start_bytes, lambda name: demangle([name])[0])

    def parts(self, text: str, *options: str) -> tuple[str, str, list[Symbol]]:
        """The sections, the symbol table and the symbols of an object that g++ compiles from a text."""
        with tempfile.TemporaryDirectory(prefix="workbook-test-") as name:
            file = Path(name) / "a.o"
            command = ["g++", "-O1", "-w", "-x", "c++", "-c", "-", "-o", str(file), *options]
            subprocess.run(command, input=text, text=True, check=True)
            sections, table, symbols = (
                subprocess.run([*words, str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
                for words in (
                    ["objdump", "--section-headers", "--wide"],
                    ["objdump", "--syms", "--wide"],
                    ["nm", "--format=posix"],
                )
            )
        return sections, table, read_symbols(symbols)

    def test_calls_that_no_exercise_needs(self) -> None:
        for name in ("_exit", "quick_exit", "memfd_create", "mempcpy", "system", "fork", "syscall", "mmap", "dlsym", "open", "fopen", "write", "ptrace"):
            with self.subTest(name=name):
                self.assert_refused(f'extern "C" int {name}(...); void f() {{ {name}(1); }}', rf"It calls {name}\(\)")

    def test_functions_that_control_the_simulators_report(self) -> None:
        for name in (
            *("13take_findingsEv", "14limit_launchesEm", "10FindingLog3getEv", "10FindingLog4takeEv"),
            *("12AccessCounts3addEv", "12KernelTracer3getEv", "12DeviceMemory7nearestEPKv", "10ErrorState3getEv"),
        ):
            with self.subTest(name=name):
                text = f'extern "C" int _ZN14cuda_simulator{name}(); int f() {{ return _ZN14cuda_simulator{name}(); }}'
                self.assert_refused(text, r"It calls cuda_simulator::\w+.*, which no exercise needs")
        for name in ("cuda_simulator_switch_fiber", "_ZTVN14cuda_simulator12KernelTracerE"):
            with self.subTest(name=name):
                text = f'extern "C" char {name}[]; char* f() {{ return {name}; }}'
                self.assert_refused(text, "switch_fiber|KernelTracer")

    def test_the_names_of_inline_code_are_those_of_cudas_headers(self) -> None:
        folder = support.ROOT / "common/simulator/include"
        words = set(re.findall(r"\w+", "".join(file.read_text() for file in folder.rglob("*") if file.is_file())))
        self.assertEqual(set(SIMULATORS) - words, {"running_lane"})  # this one is for inline_steps.py
