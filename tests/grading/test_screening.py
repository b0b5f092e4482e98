"""The screening of graded answers: the preprocessed source, and the object file."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

from cli.errors import Refused
from grading.screening.directives import check_conditions, check_text, have_same_code
from grading.screening.imports import SIMULATORS
from grading.screening.object_file import Symbol, check_object, demangle, read_symbols, tracer_start_size
from grading.screening.source import Answer, check_source

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


class SourceTest(support.FolderTest):
    """The source is preprocessed by the real g++, between the lines that the rewriter adds."""

    def check(self, text: str, rewritten_text: str = "") -> None:
        source, rewritten = (self.folder / name for name in ("ex1.cu", "answer.cpp"))
        source.write_text(text, encoding="utf-8")
        (self.folder / "chapter").mkdir(exist_ok=True)
        given = 'inline void wait() { asm("pause"); }\n#ifdef BEGINS\nBEGINS\n#endif\n'
        (self.folder / "chapter/given.h").write_text(given, encoding="utf-8")
        rewritten.write_text(f'#include "given.h"\n#line 1 "{source}"\n{rewritten_text or text}', encoding="utf-8")
        answer = Answer(source, rewritten, self.folder, (self.folder / "chapter",))
        check_source(self.preprocess(rewritten), answer, self.preprocess_text)

    def preprocess(self, file: Path) -> str:
        command = ["g++", "-E", "-w", f"-I{self.folder}/chapter", str(file)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")

    def preprocess_text(self, text: str) -> tuple[str, str]:
        file = self.folder / "includes.cpp"
        file.write_text(text, encoding="utf-8")
        return self.preprocess(file), str(file)

    def assert_refused(self, text: str, reason: str) -> None:
        with self.assertRaisesRegex(Refused, reason):
            self.check(text)

    def test_ordinary_code_passes(self) -> None:
        self.check(
            "#include <cmath>\n#include <vector>\n#define TILE 32\n#pragma unroll\n"
            'const char* const text = "asm volatile"; // asm\nint section = TILE; /* no_sanitize */\n'
            "// #1 and\n  // # 2\n#if TILE > 1\n#endif\n"
        )

    def test_assembler_in_another_header_passes(self) -> None:
        self.check('#include "given.h"\n')

    def test_assembler(self) -> None:
        self.assert_refused('void f() { asm("syscall"); }', "It uses assembler")
        self.assert_refused('__asm__(".incbin \\"x\\"");', "It uses assembler")
        self.assert_refused('void f() { __asm volatile(""); }', "It uses assembler")

    def test_assembler_from_a_macro(self) -> None:
        self.assert_refused('#define GLUE(a, b) a##b\nvoid f() { GLUE(as, m)("syscall"); }', "It uses assembler")

    def test_assembler_in_continued_lines(self) -> None:
        self.assert_refused('void f() { as\\\nm("syscall"); }', "It uses assembler")

    def test_code_that_the_simulator_would_not_see(self) -> None:
        self.assert_refused('__attribute__((no_sanitize("thread"))) void f();', "hides code from the simulator")
        self.assert_refused("[[gnu::no_sanitize_thread]] void f();", "hides code from the simulator")
        self.assert_refused("#pragma GCC optimize 3\n", "#pragma GCC")
        self.assert_refused('_Pragma("GCC optimize 3")\n', "#pragma GCC")

    def test_the_simulators_own_functions(self) -> None:
        self.assert_refused("extern \"C\" void __tsan_read4(void*);", "a function that belongs to the simulator")
        self.assert_refused("namespace cuda_simulator { void x(); }", "names that belong to the simulator")

    def test_attributes_for_the_linker(self) -> None:
        self.assert_refused('__attribute__((section(".text"))) const char code[] = "x";', "an attribute for the linker")
        self.assert_refused("__attribute__((__constructor__(101))) void f();", "an attribute for the linker")

    def test_lines_under_another_name(self) -> None:
        for text in (
            '#line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '# 1 "/usr/include/given.h" 1 3\nvoid f() { asm(""); }',
            '/* */ # /*\n*/ line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '%:line 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            f'# 1 "{self.folder}/chapter/given.h" 1\nvoid f() {{ asm(""); }}\n# 1 "{self.folder}/ex1.cu" 2\n',
            '# \0\t1 "/usr/include/given.h"\nvoid f() { asm(""); }',
            '#li\\ \nne 1 "/usr/include/given.h"\nvoid f() { asm(""); }',
        ):
            with self.subTest(text=text):
                self.assert_refused(text, "#line")

    def test_a_raw_string_contains_no_line_marker(self) -> None:
        for end in ("\n", LINE_SEPARATOR, "\r"):
            with self.subTest(end=end):
                marker = f'{end}# 1 "/usr/include/stdio.h" 1 3 4{end}'
                self.assert_refused(f'const char* t = R"({marker})"; void f() {{ asm(""); }}', "It uses assembler")
                self.check(f'const char* t = R"x({marker})" asm("")x";')

    def test_a_macro_that_a_header_expands(self) -> None:
        text = '#define BEGINS void f() { asm(""); }\n#include "given.h"\n'
        self.assert_refused(text, "changes the text of a header")
        self.assert_refused(f"#define __BEGIN_DECLS int x;\n{text}#include <assert.h>\n", "changes the text of a header")

    def test_macros_of_its_own_pass(self) -> None:
        self.check(
            "#define N 32\n#define _GUARD_H_\n#include <cstdio>\n#include <vector>\n"
            "#define CHECK(call) do { if ((call) != 0) std::printf(\"%s %d\", #call, __LINE__); } while (0)\n"
            "void f(int x) { CHECK(x); }\n"
        )

    def test_files_that_are_not_for_answers_cannot_be_included(self) -> None:
        secret = self.folder / "solution.cpp"
        secret.write_text("int x;\n", encoding="utf-8")
        (self.folder / "chapter").mkdir()
        (self.folder / "chapter/01_stage.cu").write_text("int x;\n", encoding="utf-8")
        for name in (secret, "../solution.cpp", "01_stage.cu", "/etc/hostname"):
            with self.subTest(name=name):
                self.assert_refused(f'#if 1\n#include "{name}"\n#endif\n', "It includes ")

    def test_functions_can_have_names_of_attributes(self) -> None:
        self.check("int section(int x); int alias(int x) { int a[4] = {}; return a[section(x)]; }")

    def test_atomic_functions_of_the_hosts_compiler(self) -> None:
        for call in ("__atomic_store_n(p, 1, 0)", "__atomic_fetch_or_4(p, 1, 0)", "__sync_lock_test_and_set(p, 1)"):
            with self.subTest(call):
                self.assert_refused(f"void f(int* p) {{ {call}; }}", "an atomic function of the host's compiler")

    def test_the_inside_of_a_file(self) -> None:
        self.assert_refused("#include <cstdio>\nvoid f() { stdout->_fileno = 3; }", "the inside of a FILE")

    def test_functions_that_are_declared_again(self) -> None:
        for text in (
            'namespace other { extern "C" void* memcpy(void*, const void*, unsigned long); }',
            'namespace other { extern "" "C" { int x(); int snprintf(char*, unsigned long, const char*, ...); } }',
        ):
            with self.subTest(text):
                self.assert_refused(text, r"a declaration of (?:memcpy|snprintf)\(\) instead of its header")

    def test_functions_with_the_linkage_of_c(self) -> None:
        self.check(
            "#include <cstdio>\n#include <cstring>\n"
            'extern "C" int add(int x) { std::printf("%d", x); return x; }\n'
            'extern "C" {\nint twice(int x) { std::memset(&x, 0, 4); return x; }\nint more(int);\n}\n'
        )

    def test_vector_intrinsics(self) -> None:
        self.assert_refused("void f(float* p, V v) { _mm256_maskstore_ps(p, v, v); }", "an intrinsic of the host.s processor")
        self.assert_refused("void f() { __builtin_ia32_movntps(0, 0); }", "an intrinsic of the host.s processor")

    def test_intrinsics_that_are_not_vectors(self) -> None:
        self.assert_refused("void f(unsigned* p) { _addcarry_u32(0, 1, 2, p); }", "an intrinsic of the host")
        self.assert_refused("void f(unsigned* p) { _rdrand32_step(p); }", "an intrinsic of the host")

    @unittest.skipUnless(platform.machine() == "x86_64", "headers of x86-64")
    def test_headers_of_intrinsics(self) -> None:
        for name in ("immintrin.h", "x86intrin.h", "emmintrin.h", "cpuid.h"):
            with self.subTest(name=name):
                self.assert_refused(f"#include <{name}>\n", f"It includes {name}, which has intrinsics")

    def test_attributes_in_other_brackets(self) -> None:
        self.assert_refused('<:<:gnu::target("avx2"):>:> void f();', "changes the compilation")
        self.assert_refused('[<:gnu::section("x"):>] int x;', "an attribute for the linker")
        self.check("int section(int x); int f(int a<:4:>) { return a<:section(2):>; }")

    def test_attributes_that_change_the_compilation(self) -> None:
        self.assert_refused('__attribute__((optimize("O3"))) void f();', "changes the compilation")
        self.assert_refused('[[gnu::target("avx2")]] void f();', "changes the compilation")

    def test_the_simulators_names_from_a_macro(self) -> None:
        self.assert_refused("#define G(a, b) a##b\nvoid f() { G(cuda_sim, ulator)::run_grid(); }", "belongs to the simulator")
        self.assert_refused("#define G(a, b) a##b\nnamespace s = G(cuda_sim, ulator);", "belongs to the simulator")
        text = '#define G(a, b) a##b\nextern "C" int G(_ZN14cuda_sim, ulator10FindingLog4takeEv)(...);'
        self.assert_refused(text, "belongs to the simulator")

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


class ConditionsTest(unittest.TestCase):
    """Conditions of the preprocessor in the learner's own files."""

    def check(self, answer: str, **headers: str) -> None:
        given = {Path(name.replace("_", ".")): text for name, text in headers.items()}
        check_conditions({Path("ex1.cu"): answer, **given})

    def assert_refused(self, text: str, asked: str) -> None:
        for answer, headers in ((text, {}), ('#include "a.cuh"\n', {"a_cuh": text})):
            reason = f"It asks for {asked} in a condition"
            with self.subTest(text=text, headers=headers), self.assertRaisesRegex(Refused, reason):
                self.check(answer, **headers)

    def test_the_compiler_its_instrumentation_and_files(self) -> None:
        for name in ("__clang__", "__GNUC__", "__SANITIZE_THREAD__", "__OPTIMIZE__", "__COUNTER__"):
            self.assert_refused(f"#if {name} > 1\n#endif\n", name)
            self.assert_refused(f"#if TILE\n#elif !defined({name})\n#endif\n", name)
            self.assert_refused(f"#ifndef {name}\n#define {name}\n#endif\n", name)
        self.assert_refused("#if __has_include(<x>)\n#endif\n", "__has_include")
        self.assert_refused("#if defined(X) && __has_feature(y)\n#endif\n", "__has_feature")

    def test_through_macros(self) -> None:
        self.assert_refused("#define HOST defined(__clang__)\n#define IS HOST\n#if IS\n#endif\n", "__clang__")
        self.assert_refused("#define P(a, b) a##b\n#if P(cla, ng)\n#endif\n", r"a name that P makes with ##")
        self.assert_refused("#define P(a, b) a%:%:b\n#if P(cla, ng)\n#endif\n", r"a name that P makes with ##")

    def test_however_it_is_written(self) -> None:
        for text in (
            *("#if\\\n \\\n __GNUC__", "%: if __GNUC__", "/*\n*/ # /* \n */ if/**/__GNUC__", "\ufeff#if __GNUC__\n"),
            *("#i\\  \nf __GN\\\nUC__", "#if 1 // \\\n x\n#elif __GNUC__", "#if 0\r\n#elif __GNUC__\r\n"),
            *("#if 'a' < __GNUC__", "int x = 1'000;\n#if __GNUC__ // '", "\f#if __GNUC__"),
            'const char* t = R"x(\\\n)x\\\n"\n#if 1\n)x";\n#if __GNUC__',
        ):
            self.assert_refused(text, "__GNUC__")

    def test_the_message_names_line_and_file(self) -> None:
        with self.assertRaisesRegex(Refused, r"line 5 of ex1\.cu: #if defined\(__clang__\)\. .*__CUDA_ARCH__"):
            self.check("/*\n*/\n#define A \\\n 1\n#if  defined(__clang__)  // why\n#endif\n")

    def test_ordinary_conditions_pass(self) -> None:
        for text in (
            "#ifdef __CUDA_ARCH__\n#endif\n#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800\n#endif",
            "#ifndef NDEBUG\n#endif\n#if __cplusplus >= 201703L\n#endif\n#ifdef _WIN32\n#endif",
            "#include <cfloat>\n#if defined(M_PI) && FLT_MAX > 1 && INT_MAX > 2\n#endif\n#ifndef NULL\n#endif",
            "#define MAX_OF(_a, _b) ((_a) > (_b) ? (_a) : (_b))\n#define TILE 32\n#if MAX_OF(TILE, 16) > 16\n#endif",
            "// #if __GNUC__\n/*\n#if __GNUC__\n*/ const char* t = R\"(\n#if __GNUC__\n)\";",
            "#define GLUE(a, b) a##b\nint GLUE(x, y);\n#if TILE\n#endif",
        ):
            with self.subTest(text=text):
                self.check(text)

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


class OwnHeadersTest(support.FolderTest):
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
        checked = Answer(source, rewritten, self.folder, (self.folder / "chapter",))
        check_source(self.preprocess(rewritten), checked, self.preprocess_text)

    def preprocess(self, file: Path) -> str:
        command = ["g++", "-E", "-w", "-isystem", f"{self.folder}/stubs", f"-I{self.folder}/chapter", str(file)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")

    def preprocess_text(self, text: str) -> tuple[str, str]:
        file = self.put("room/includes.cpp", text)
        return self.preprocess(file), str(file)

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


class ObjectTest(unittest.TestCase):
    """The screening of object files from the real g++."""

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

    def assert_refused(self, text: str, reason: str, *options: str) -> None:
        with self.assertRaisesRegex(Refused, reason):
            self.check(text, *options)

    def test_ordinary_code_passes(self) -> None:
        self.check(
            "#include <cmath>\n#include <cstdio>\n#include <stdexcept>\n#include <vector>\nint cudaDeviceSynchronize();\n"
            "void f(std::vector<int>& v) { static std::vector<int> kept; kept = v; v.push_back(1); cudaDeviceSynchronize();\n"
            'if (v.empty()) throw std::runtime_error("empty"); std::printf("%d", v[0]); }\n'
            "static int counter; const float table[] = {1, 2}; thread_local int x; int g() { return ++counter + x; }"
        )

    def test_ordinary_code_passes_when_it_is_traced(self) -> None:
        self.check("void f(int* p) { *p = 1; }", "-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-g")

    def test_streams_pass(self) -> None:
        self.check("#include <iostream>\nvoid f() { std::cout << 1; }", "-fsanitize=thread")

    def test_calls_that_no_exercise_needs(self) -> None:
        for name in ("_exit", "quick_exit", "memfd_create", "mempcpy", "system", "fork", "syscall", "mmap", "dlsym", "open", "fopen", "write", "ptrace"):
            with self.subTest(name=name):
                self.assert_refused(f'extern "C" int {name}(...); void f() {{ {name}(1); }}', rf"It calls {name}\(\)")

    def test_harmless_code_passes(self) -> None:
        self.check(
            "#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n#include <memory>\n"
            'void f() { std::fprintf(stderr, "%ld", std::clock()); if (*std::make_shared<int>(3) == 4) std::exit(1); }'
        )

    def test_files_and_threads_of_the_library(self) -> None:
        self.assert_refused('#include <fstream>\nvoid f() { std::ofstream("x") << 1; }', "filebuf|fstream|basic_file")
        self.assert_refused('#include <fstream>\nint f() { return std::__basic_file<char>(0).fd(); }', "__basic_file")
        self.assert_refused("#include <thread>\nvoid f() { std::thread([] {}).detach(); }", "thread")

    def test_functions_of_the_tests(self) -> None:
        self.assert_refused("namespace testing { void pass(); } void f() { testing::pass(); }", r"testing::pass\(\)")

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

    def test_the_inline_code_of_cudas_headers_passes(self) -> None:
        folder = support.ROOT / "common/simulator/include"
        words = set(re.findall(r"\w+", "".join(file.read_text() for file in folder.rglob("*.h"))))
        self.assertEqual(set(SIMULATORS) - words, {"running_lane"})  # this one is for inline_steps.py
        declared = "namespace cuda_simulator { struct LocalArray { ~LocalArray(); }; int lane(); }"
        self.check(f"{declared} int f() {{ cuda_simulator::LocalArray a; return cuda_simulator::lane(); }}")

    def test_mathematics_passes(self) -> None:
        self.check(
            "#include <cmath>\n#include <complex>\n"
            "using Complex = std::complex<float>; Complex f(Complex z, Complex w) { return std::sqrt(z) * std::pow(z, w) / w; }\n"
            "double g(double x, int* e) { return std::lgamma(x) + std::frexp(x, e) + std::erf(x) + std::fmod(x, 3); }\n"
            "unsigned __int128 h(unsigned __int128 a, unsigned __int128 b) { return a / b + a % b; }\n"
            "long k(float x) { return std::lround(x) + __builtin_popcountl(std::llrint(x)); }"
        )

    def test_code_that_runs_before_main(self) -> None:
        self.assert_refused("int g(); int x = g();", "before main")
        self.assert_refused("struct A { A(); }; A a;", "before main", "-fsanitize=thread")
        text = "extern int x; void __attribute__((constructor(99))) f() { x = 1; }"
        self.assert_refused(text, "before main", "-fsanitize=thread")

    def test_sections_of_its_own(self) -> None:
        self.assert_refused('__attribute__((section(".init"))) void f() {}', r"before main|section")
        self.assert_refused('__attribute__((section("mine"))) void f() {}', "a section of its own, mine")

    def test_machine_code_as_data(self) -> None:
        self.assert_refused('__attribute__((section(".text#"))) extern const char code[] = "\\xc3";', "data in a section for code")

    def test_a_function_that_is_selected_at_the_start(self) -> None:
        text = 'extern "C" { static void* pick() { return 0; } void f() __attribute__((ifunc("pick"))); }'
        self.assert_refused(text, "ifunc")
