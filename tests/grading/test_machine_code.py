"""The screening of an answer's object: its machine code, and the library functions that its kernels reach.

The pieces are rewritten and compiled as answers are, with the simulator's header of launches alone.
"""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from support import ROOT, FolderTest

from cli.errors import Refused
from grading.screening.call_graph import check_calls
from grading.screening.code_listing import LISTING_COMMANDS, Place, line_words, read_listing
from grading.screening.machine_code import SYSTEM_CALLS, check_machine_code

_HEADERS = '#include "simulator/traced_memory.h"\n#include "simulator/launch.h"\n'
_OPTIONS = (
    *("-std=c++17", "-O1", "-g1", "-gdwarf-4", "-w", "-fno-pie", "-U_FORTIFY_SOURCE"),
    *("-fno-optimize-sibling-calls", "-fno-builtin-memcpy"),
)
_TRACED = ("-fsanitize=thread", "-fsanitize-coverage=trace-pc")
_LAUNCH = "void launch(char* a, const char* b, int n) { k<<<1, 2>>>(a, b); }\n"

_HASHES = """
#include <cstdint>
inline uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}
inline uint64_t pcg(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
inline uint32_t wang(uint32_t x) { x = (x ^ 61) ^ (x >> 16); x *= 0x27d4eb2d; return x ^ (x >> 15); }
inline uint32_t jenkins(uint32_t x) { x = ~x + (x << 15); x = (x << 15) + 0x165667b1; return (x << 15) ^ 0xc761c23c; }
inline uint64_t fnv(uint64_t h, uint8_t b) { return (h ^ b) * 0x100000001b3; }
"""
_KERNEL_IN_MANY_STYLES = """
#include <assert.h>
#include <cmath>
#include <cstdio>
#include <cstring>
__device__ float square(float x) { return x * x; }
__device__ float cube(float x) { return x * x * x; }
using Function = float (*)(float);
__device__ Function functions[2] = {square, cube};
struct Add { float a; __device__ float operator()(float x) const { return x + a; } };
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape {
  float a;
  __device__ Square(float a) : a(a) {}
  __device__ float area() const override { return a * a; }
};
template <typename F> __global__ void map(float* p, int n, F f) {
  assert(p);
  char bytes[16];
  std::memcpy(bytes, p, 8);
  switch (n) {
    case 0: p[0] += 1; break;
    case 1: p[1] *= 3; break;
    case 2: p[3] -= 7; break;
    case 3: printf("%d 100%%\\n", n); break;
    case 4: p[2] = std::sin(p[2]); break;
    case 5: p[4] = bytes[n]; break;
    case 6: p[5] = Square(p[1]).area(); break;
    default: p[6] = functions[n & 1](f(p[n])); break;
  }
}
"""
_HOST_IN_MANY_STYLES = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
static int compare(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }
static void report(const char* name, int n) {
  char text[40];
  snprintf(text, sizeof text, "%s %d", name, n);
  puts(text);
}
struct Named { virtual const char* name() { return "x"; } virtual int length() { return strlen(name()); } };
int parse(int kind, char* text) {
  switch (kind) {
    case 0: strcpy(text, "a"); return 1;
    case 1: return sprintf(text, "%d", kind);
    case 2: return strtol(text, nullptr, 10);
    case 3: return atoi(text) * 2;
    case 4: return strlen(text);
    case 5: return sscanf(text, "%d", &kind);
  }
  return kind;
}
void launch(float* p, int n, char** names, Named& named, void (*callback)(const char*, int)) {
  map<<<(n + 255) / 256, 256>>>(p, n, Add{2});
  map<<<1, 1296>>>(p, n, [=] __device__(float x) { return x + n; });
  auto* const pointer = map<Add>;
  pointer<<<1, 2>>>(p, n, Add{1});
  std::string text = "n = " + std::to_string(n);
  const std::function<void(int)> append = [&](int i) { text += names[i]; };
  append(named.length());
  qsort(names, n, sizeof *names, compare);
  if (n > 13327) callback = report;
  callback(text.c_str(), parse(n, names[0]));
}
"""


class _ObjectTest(FolderTest):
    def check(self, text: str, *options: str) -> None:
        """Raises Refused as the screening of an answer with this text does."""
        source, rewritten, compiled = self.put("ex1.cu", text), self.folder / "answer.cpp", self.folder / "answer.o"
        self.put("stubs/simulator/compiled_by_nvcc.h", _HEADERS)
        translate, headers = ROOT / "common/simulator/translate", ROOT / "common/simulator/include"
        self.output(sys.executable, "-S", translate / "rewrite_cuda.py", source, rewritten)
        wrapper = f"{sys.executable},-E,-s,-S,{translate}/traced_assembly.py"
        folders = (f"-I{self.folder}/stubs", f"-I{headers}")
        self.output("g++", "-c", *_OPTIONS, *options, "-wrapper", wrapper, *folders, rewritten, "-o", compiled)
        commands = (("objdump", "--syms", "--wide"), *LISTING_COMMANDS)
        table, *code = (self.output(*command, compiled) for command in commands)
        listing = read_listing(table, *code, also_with=tuple(SYSTEM_CALLS))

        def line(place: Place) -> str:
            command = ("addr2line", "-i", "-e", compiled, "-j", place.section, hex(place.offset))
            return line_words(self.output(*command), source)

        def plain(name: str) -> str:
            return self.output("c++filt", "--", name).strip()

        check_machine_code(listing, line, plain)
        check_calls(listing, line, plain, lambda section: self.output("objdump", "-s", "-j", section, compiled))

    def output(self, *command: str | Path) -> str:
        return subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True).stdout

    def assert_refused(self, text: str, *words: str) -> None:
        with self.assertRaises(Refused) as caught:
            self.check(text)
        for word in words:
            self.assertIn(word, str(caught.exception))


class MachineCodeTest(_ObjectTest):
    def test_honest_code_passes(self) -> None:
        for options in ((), _TRACED):
            with self.subTest(options=options):
                self.check(_HASHES + _KERNEL_IN_MANY_STYLES + _HOST_IN_MANY_STYLES, *options)

    def test_an_address_inside_a_function(self) -> None:
        self.assert_refused(
            "__attribute__((noinline)) int f(int x) { return x + 0x12345678; }\n"
            "int g(int x) { return ((int (*)(int))((char*)&f + 3))(x); }\n",
            "an address inside the function f in line 2. Only its start can be used",
        )

    def test_an_address_inside_its_own_function(self) -> None:
        text = "int f(int x) {\nchar* volatile p = (char*)&f + 3;\nreturn x + ((int (*)(int))p)(x); }\n"
        self.assert_refused(text, "an address inside the function f in line 2")

    def test_an_address_inside_a_function_in_a_table(self) -> None:
        self.assert_refused(
            "int f(int x) { return x + 0x12345678; }\n"
            "static char* const table[] = {(char*)&f + 3, (char*)&f + 4};\n"
            "int g(int i) { return ((int (*)(int))table[i])(1); }\n",
            "an address inside the function f in the variable table",
        )

    def test_the_address_of_a_label(self) -> None:
        text = (
            "int f(int x) { static void* const t[] = {&&a, &&b}; goto *((char*)t[x] + 1);\n"
            "a: return 3; b: return x; }\n"
        )
        self.assert_refused(text, "an address inside the function f", "the address of a label")

    def test_a_number_with_a_system_call(self) -> None:
        call = "int call(int (*f)()) {\nreturn f() + 1; }\n"
        for number, name in ((0xC3050F0000003CB8, "syscall"), (0xC3340F90, "sysenter"), (0x1180CD11, "int 0x80")):
            text = f"unsigned long f(unsigned long x) {{ return x + {number:#x}; }}\n"
            with self.subTest(name):
                self.check(text)  # no call through a pointer
                self.assert_refused(
                    text + call,
                    f"in line 1, which contains the bytes of the instruction {name}",
                    "through a pointer in line 3",
                )

    def test_a_number_as_a_distance_in_memory(self) -> None:
        text = "int g(int (*f)(), char* p) { return p[0x3c3050f] + f(); }\n"
        self.assert_refused(text, "0x3c3050f", "instruction syscall")

    def test_small_numbers_pass(self) -> None:
        # 0x050f and 0x340f: nothing that returns fits behind a system call in them.
        self.check("int g(int (*f)(), int i) { for (; i < 1296; ++i) f(); return i == 13327 ? 1295 : 32973 * i; }\n")


class ListingTest(unittest.TestCase):
    def test_code_for_arm(self) -> None:
        code = (
            "Disassembly of section .text:\n\n0000000000000000 <f>:\n"
            "   0:\t10000041 \tadr\tx1, 8 <f+0x8>\n"
            "   4:\td61f0020 \tbr\tx1\n"
            "   8:\t94000000 \tbl\t0 <strncpy>\t8: R_AARCH64_CALL26\tstrncpy\n"
        )
        listing = read_listing("0000000000000000 g     F .text\t000000000000000c f\n", code, "")
        position, jump, call = listing.functions[Place(".text", 0)].instructions
        self.assertEqual(position.references[0].places, (Place(".text", 8),))
        self.assertTrue(jump.is_through_pointer and call.is_call)
        self.assertEqual(call.references[0].name, "strncpy")
        check_machine_code(listing, lambda place: "", str)


class CallGraphTest(_ObjectTest):
    def assert_kernel_refused(self, statement: str, *words: str) -> None:
        headers = {"std::from_chars": "charconv", "std::string": "string"}
        header = next((name for used, name in headers.items() if used in statement), "cstdio")
        self.assert_refused(
            f"#include <{header}>\n#include <cstdlib>\n#include <cstring>\n"
            f"__device__ void inner(char* a, const char* b) {{ {statement}; }}\n"
            "__global__ void k(char* a, const char* b) { inner(a, b); }\n" + _LAUNCH,
            *words,
        )

    def test_functions_of_text_in_a_kernel(self) -> None:
        for statement, name in (
            ("strncpy(a, b, 1)", "strncpy"),
            ("*a = strlen(b)", "strlen"),
            ('sscanf(b, "%c", a)', "sscanf"),
            ('sprintf(a, "%g", 0.1)', "sprintf"),
            ("*a = strtol(b, nullptr, 10)", "strtol"),
            ("std::from_chars(b, b + 4, *(double*)a)", "std::from_chars"),
            ("std::string(b, 4).copy(a, 4)", "std::string"),
            ("qsort(a, 2, 1, (int (*)(const void*, const void*))b)", "qsort"),
        ):
            with self.subTest(name):
                words = (f"It calls {name}", "in line 4, in code of k(), a kernel.", "use memcpy")
                self.assert_kernel_refused(statement, *words)

    def test_a_constant_pointer_to_a_function(self) -> None:
        statement = "constexpr auto f = &std::strncpy; f(a, b, 1)"
        self.assert_kernel_refused(statement, "It calls strncpy() in line 4, in code of k()")

    def test_the_address_of_a_function_of_text(self) -> None:
        for text in (
            "typedef char* (*F)(char*, const char*, size_t); __device__ F f[2] = {nullptr, strncpy};\n"
            "__global__ void k(char* a, const char* b) { f[b[0] - 1](a, b, 1); }\n" + _LAUNCH,
            "__global__ void k(char* a, const char* b, decltype(&strncpy) f) { f(a, b, 1); }\n"
            "void launch(char* a, const char* b) { k<<<1, 2>>>(a, b, strncpy); }\n",
        ):
            with self.subTest(text):
                words = ("uses the address of strncpy()", "by its name, in host code")
                self.assert_refused("#include <cstring>\n" + text, *words)

    def test_a_format_that_stores(self) -> None:
        for text in ("%hhn", "a %% b% 3$ln", "%s" "\" \"" "%.*n"):
            with self.subTest(text):
                self.assert_kernel_refused(f'printf("{text}", a, b, a)', "the conversion %n in line", "Remove it")

    def test_formats_that_only_print_pass(self) -> None:
        for text in ("%%n %d\\n", "%5.2f%% new %-3s\\n", "100%%new %lld"):
            with self.subTest(text):
                kernel = f'__global__ void k(char* a, const char*) {{ printf("{text}", a, 2, "n"); }}\n'
                self.check("#include <cstdio>\n" + kernel + _LAUNCH)

    def test_a_function_in_a_table(self) -> None:
        self.assert_refused(
            "#include <cstring>\nstatic void move(char* a, const char* b) { strcpy(a, b); }\n"
            "typedef void (*F)(char*, const char*); static F const volatile table[] = {move, nullptr};\n"
            "__global__ void k(char* a, const char* b) { table[b[0] - 1](a, b); }\n" + _LAUNCH,
            "It calls strcpy() in line 2, in code of k(), a kernel",
        )

    def test_a_pointer_from_the_host(self) -> None:
        self.assert_refused(
            "#include <cstring>\nstatic void move(char* a, const char* b) { strcpy(a, b); }\n"
            "__global__ void k(char* a, const char* b, void (*f)(char*, const char*)) { f(a, b); }\n"
            "void launch(char* a, const char* b) { k<<<1, 2>>>(a, b, move); }\n",
            "It calls strcpy() in line 2, in code of move(), which a kernel that calls through a pointer can run",
        )

    def test_a_pointer_from_the_host_to_a_function_named_like_a_part_of_std_function(self) -> None:
        self.assert_refused(
            "#include <cstring>\nstatic void copy_M_invoke(char* a, const char* b) { strcpy(a, b); }\n"
            "__global__ void k(char* a, const char* b, void (*f)(char*, const char*)) { f(a, b); }\n"
            "void launch(char* a, const char* b) { k<<<1, 2>>>(a, b, copy_M_invoke); }\n",
            "It calls strcpy() in line 2, in code of copy_M_invoke()",
        )

    def test_a_stream_from_the_host(self) -> None:
        self.assert_refused(
            "#include <iostream>\nstatic void move(std::iostream* s, char* a, char* b) { s->write(b, 4); s->read(a, 4); }\n"
            "__global__ void k(std::iostream* s, char* a, char* b, void (*f)(std::iostream*, char*, char*)) { f(s, a, b); }\n"
            "void launch(std::iostream* s, char* a, char* b) { k<<<1, 2>>>(s, a, b, move); }\n",
            "in code of move(), which a kernel that calls through a pointer can run",
        )

    def test_a_virtual_function_of_an_object_from_the_host(self) -> None:
        self.assert_refused(
            "#include <cstring>\nstruct S { virtual void move(char* a, const char* b) { strcpy(a, b); } };\n"
            "__global__ void k(char* a, const char* b, S* s) { s->move(a, b); }\n"
            "void launch(char* a, const char* b) { k<<<1, 2>>>(a, b, new S); }\n",
            "It calls strcpy() in line 2, in code of S::move(), which a kernel that calls through a pointer can run",
        )

    def test_a_launch_through_a_pointer(self) -> None:
        self.assert_refused(
            "#include <string>\n#define KERNEL(name) __global__ void name##_kernel\n"
            "KERNEL(move)(char* a, const char* b) { std::string(b, 4).copy(a, 4); }\n"
            "void launch(char* a, const char* b) { auto* const p = move_kernel; p<<<1, 2>>>(a, b); }\n",
            "in line 3, in code of move_kernel(), which the launch through a pointer can start",
        )
