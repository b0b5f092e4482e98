"""What graded answers may contain: the source as the preprocessor sees it, and the object file."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # the path to cli

from cli.grading.screening import Refused, Symbol, check_object, check_source, read_symbols, tracer_start_size

UNTRACED = '__attribute__((no_sanitize("thread"), no_sanitize_coverage))'


class SourceTest(unittest.TestCase):
    """The source is preprocessed by the real g++, between the lines that the rewriter adds."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def check(self, text: str, rewritten_text: str = "") -> None:
        source, rewritten, output = (self.folder / name for name in ("ex1.cu", "answer.cpp", "answer.ii"))
        source.write_text(text, encoding="utf-8")
        (self.folder / "given.h").write_text('inline void wait() { asm("pause"); }\n', encoding="utf-8")
        rewritten.write_text(f'#include "given.h"\n#line 1 "{source}"\n{rewritten_text or text}', encoding="utf-8")
        command = ["g++", "-E", "-w", str(rewritten), "-o", str(output)]
        subprocess.run(command, check=True)
        check_source(output.read_text(encoding="utf-8"), rewritten, source)

    def assert_refused(self, text: str, reason: str) -> None:
        with self.assertRaisesRegex(Refused, reason):
            self.check(text)

    def test_ordinary_code_passes(self) -> None:
        self.check(
            "#include <cmath>\n#include <vector>\n#define TILE 32\n#pragma unroll\n"
            'const char* const text = "asm volatile"; // asm\nint section = TILE; /* no_sanitize */\n'
            "// #1 and\n  // # 2\n#if TILE > 1\n#endif\n"
        )

    def test_assembler_in_a_header_of_others_passes(self) -> None:
        self.check('#include "given.h"\n')

    def test_assembler(self) -> None:
        self.assert_refused('void f() { asm("syscall"); }', "It uses assembler")
        self.assert_refused('__asm__(".incbin \\"x\\"");', "It uses assembler")
        self.assert_refused('void f() { __asm volatile(""); }', "It uses assembler")

    def test_assembler_from_a_macro(self) -> None:
        self.assert_refused('#define GLUE(a, b) a##b\nvoid f() { GLUE(as, m)("syscall"); }', "It uses assembler")

    def test_assembler_behind_continued_lines(self) -> None:
        self.assert_refused('void f() { as\\\nm("syscall"); }', "It uses assembler")

    def test_code_that_the_simulator_would_not_see(self) -> None:
        self.assert_refused('__attribute__((no_sanitize("thread"))) void f();', "hides code from the simulator")
        self.assert_refused("[[gnu::no_sanitize_thread]] void f();", "hides code from the simulator")
        self.assert_refused("#pragma GCC optimize 3\n", "#pragma GCC")
        self.assert_refused('_Pragma("GCC optimize 3")\n', "#pragma GCC")

    def test_the_simulators_own_functions(self) -> None:
        self.assert_refused("extern \"C\" void __tsan_read4(void*);", "a function of the simulator's own")
        self.assert_refused("namespace cuda_simulator { void x(); }", "the simulator's own names")

    def test_attributes_for_the_linker(self) -> None:
        self.assert_refused('__attribute__((section(".text"))) const char code[] = "x";', "an attribute for the linker")
        self.assert_refused("__attribute__((__constructor__(101))) void f();", "an attribute for the linker")

    def test_lines_under_another_name(self) -> None:
        for text in (
            '#line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '# 1 "/usr/include/given.h" 1 3\nvoid f() { asm(""); }',
            '/* */ # /*\n*/ line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '%:line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            f'# 1 "{self.folder}/given.h" 1\nvoid f() {{ asm(""); }}\n# 1 "{self.folder}/ex1.cu" 2\n',
            '# \0\t1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '#li\\ \nne 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
        ):
            with self.subTest(text=text):
                self.assert_refused(text, "other names")

    def test_a_launch_is_untraced_and_nothing_else_like_it(self) -> None:
        launch = f"auto f = [&](auto...cuda_simulator_arguments){UNTRACED}->void{{}};"
        marked = launch.replace(UNTRACED, "CUDA_SIMULATOR_UNTRACED")
        definition = f"#define CUDA_SIMULATOR_UNTRACED {UNTRACED}\n"
        self.check("k<<<1, 1>>>();", f"{definition}void g() {{ {marked} }}")
        with self.assertRaisesRegex(Refused, "from a macro"):
            self.check("k<<<1, 1>>>();", f"{definition}#define LAUNCH {marked}\nvoid g() {{ LAUNCH LAUNCH }}")


class ObjectTest(unittest.TestCase):
    """Object files are the real g++'s."""

    def check(self, text: str, *options: str) -> None:
        start_bytes = tracer_start_size(self.parts("void f(int* p) { *p = 1; }", *options)[2])
        check_object(*self.parts(text, *options), frozenset({"_Z6launchv"}), start_bytes)

    def parts(self, text: str, *options: str) -> tuple[str, str, list[Symbol]]:
        """The sections, the symbol table and the symbols of what g++ makes of a text."""
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

    def assert_refused(self, text: str, reason: str, *options: str) -> None:
        with self.assertRaisesRegex(Refused, reason):
            self.check(text, *options)

    def test_ordinary_code_passes(self) -> None:
        self.check(
            "#include <cmath>\n#include <cstdio>\n#include <stdexcept>\n#include <vector>\nvoid launch();\n"
            "void f(std::vector<int>& v) { static std::vector<int> kept; kept = v; v.push_back(1); launch();\n"
            'if (v.empty()) throw std::runtime_error("empty"); std::printf("%d", v[0]); }\n'
            "static int counter; const float table[] = {1, 2}; thread_local int x; int g() { return ++counter + x; }"
        )

    def test_ordinary_code_passes_as_it_is_traced(self) -> None:
        self.check("void f(int* p) { *p = 1; }", "-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-g")

    def test_streams_pass(self) -> None:
        self.check("#include <iostream>\nvoid f() { std::cout << 1; }", "-fsanitize=thread")

    def test_calls_that_no_exercise_has_use_for(self) -> None:
        for name in ("_exit", "exit", "system", "fork", "syscall", "mmap", "dlsym", "open", "fopen", "write", "ptrace"):
            with self.subTest(name=name):
                self.assert_refused(f'extern "C" int {name}(...); void f() {{ {name}(1); }}', rf"It calls {name}\(\)")

    def test_files_and_threads_of_the_library(self) -> None:
        self.assert_refused('#include <fstream>\nvoid f() { std::ofstream("x") << 1; }', "filebuf|fstream")
        self.assert_refused("#include <thread>\nvoid f() { std::thread([] {}).detach(); }", "thread")

    def test_functions_of_the_tests(self) -> None:
        self.assert_refused("namespace testing { void pass(); } void f() { testing::pass(); }", r"testing::pass\(\)")

    def test_what_tells_the_simulator_what_to_report(self) -> None:
        with self.assertRaisesRegex(Refused, "take_findings"):
            symbols = read_symbols("_ZN14cuda_simulator13take_findingsEv U\n")
            check_object("", "", symbols, frozenset({"_ZN14cuda_simulator13take_findingsEv"}), 0)

    def test_code_that_runs_before_main(self) -> None:
        self.assert_refused("int g(); int x = g();", "before main")
        self.assert_refused("struct A { A(); }; A a;", "before main", "-fsanitize=thread")
        text = "extern int x; void __attribute__((constructor(99))) f() { x = 1; }"
        self.assert_refused(text, "before main", "-fsanitize=thread")

    def test_sections_of_its_own(self) -> None:
        self.assert_refused('__attribute__((section(".init"))) void f() {}', r"before main|section")
        self.assert_refused('__attribute__((section("mine"))) void f() {}', "a section of its own, mine")

    def test_machine_code_as_data(self) -> None:
        self.assert_refused('__attribute__((section(".text#"))) extern const char code[] = "\\xc3";', "data where code")

    def test_a_function_that_is_chosen_at_the_start(self) -> None:
        text = 'extern "C" { static void* pick() { return 0; } void f() __attribute__((ifunc("pick"))); }'
        self.assert_refused(text, "ifunc")
