"""The rewriter: the launches that it understands, and compiler messages with the learner's lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIMULATOR = Path(__file__).resolve().parents[2] / "common" / "simulator"
TRANSLATE = SIMULATOR / "translate"
sys.path.insert(0, str(TRANSLATE))

from cuda_source import RewriteError, mask  # noqa: E402
from cuda_to_cpp import rewrite  # noqa: E402

COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

_LAUNCH = re.compile(
    r"cuda_simulator::LaunchConfiguration\((?P<configuration>.*?)\),\{CUDA_SIMULATOR_TEXT\((?P<text>.*?)\)"
    r"(?:,cuda_simulator::address_of\((?P<pointer>.*?)\))?\},"
    r"(?:\[&\].*?\{(?P<kernel>.*?)\(cuda_simulator_arguments\.\.\.\);\}"
    r"|cuda_simulator::call_of\((?P<called>(?:\([^()]*\)|[^()])*)\))\)"
)


def without_lines(rewritten: str) -> str:
    """The rewritten text without #line directives, with single spaces for white space."""
    return re.sub(r"\s+", " ", re.sub(r"^#line .*$", "", rewritten, flags=re.MULTILINE))


def launches(text: str) -> list[tuple[str, str, str]]:
    """The kernel, the configuration and the arguments of each launch in `text`, as the rewriter read them."""
    rewritten = without_lines(rewrite(text, "a.cu"))
    masked = mask(rewritten)
    found = []
    for match in _LAUNCH.finditer(rewritten):
        depth, end = 0, match.end()
        while depth > 0 or masked[end - 1] != ")" or end == match.end():
            depth += {"(": 1, ")": -1}.get(masked[end], 0)
            end += 1
        arguments = rewritten[match.end() : end].strip()
        found.append(((match["kernel"] or match["called"]).strip(), match["configuration"].strip(), arguments))
    return found


# A text, and its launch: the kernel, the configuration and the arguments.
_LAUNCHES = (
    ("void f() { k<<<1, 32>>>(x, 3); }", "k", "1, 32", "(x, 3)"),
    ("void f() { k<<<1, 32>>>(); }", "k", "1, 32", "()"),
    ("k<<<grid, block, bytes, stream>>>(x);", "k", "grid, block, bytes, stream", "(x)"),
    # NULL is a pointer.
    ("void f() { k<<<1, 32>>>(x, NULL); }", "k", "1, 32", "(x, nullptr )"),
    ("void f() { k<<<1, 32>>>( NULL , g(1, NULL)); }", "k", "1, 32", "( nullptr , g(1, nullptr ))"),
    ("void f() { k<<<1, 32>>>(NULLS, x == NULL); }", "k", "1, 32", "(NULLS, x == NULL)"),
    # A function of the host has the name of a kernel in a header.
    ("void k(int n) { k<4><<<1, 32>>>(n); }", "k<4>", "1, 32", "(n)"),
    # Commas, parentheses, shifts, comments, strings and white space.
    ("k<<<dim3(a, f(b, c)), dim3{32, 8}, (n + 1) * sizeof(float)>>>(g(x, y), T{1, 2}, p[i, j]);", "k",
     "dim3(a, f(b, c)), dim3{32, 8}, (n + 1) * sizeof(float)", "(g(x, y), T{1, 2}, p[i, j])"),
    ("k<<<n >> 5, 1 << 5>>>(x >> 1, y << 2);", "k", "n >> 5, 1 << 5", "(x >> 1, y << 2)"),
    ("int n = 1'000'000; k<<<n, 1'024>>>(2'0);", "k", "n, 1'024", "(2'0)"),
    ('k<<<1, /* a, >>> */ 2>>>(")", \')\', "<<<");', "k", "1, /* a, >>> */ 2", '(")", \')\', "<<<")'),
    ("\tk\t<<<1,\t2>>>\t(x);", "k", "1, 2", "(x)"),
    ("k<int,\n  2>\n  <<<grid,\n     block>>>(\n  x,\n  y);", "k<int, 2>", "grid, block", "( x, y)"),
    # Chevrons with spaces.
    ("k << <1, 32 >> > (x);", "k", "1, 32", "(x)"),
    ("k< < <dim3{1}, 1 << 3> > >(x);", "k", "dim3{1}, 1 << 3", "(x)"),
    ("k<<<1, 32 >> >(x, a >> 3);", "k", "1, 32", "(x, a >> 3)"),
    # Template arguments, namespaces, pointers and members.
    ("k<float, 32><<<1, 2>>>(x);", "k<float, 32>", "1, 2", "(x)"),
    ("k<std::vector<int>><<<1, 2>>>(x);", "k<std::vector<int>>", "1, 2", "(x)"),
    ("k<A<B<C>>><<<1, 2>>>(x);", "k<A<B<C>>>", "1, 2", "(x)"),
    ("k<(a > b), (1 << 3)><<<1, 2>>>(x);", "k<(a > b), (1 << 3)>", "1, 2", "(x)"),
    ("k<&S::f><<<1, 2>>>(x);", "k<&S::f>", "1, 2", "(x)"),
    ("a::b::k<<<1, 2>>>(x);", "a::b::k", "1, 2", "(x)"),
    ("::k<<<1, 2>>>(x);", "::k", "1, 2", "(x)"),
    ("A<int>::k<<<1, 2>>>(x);", "A<int>::k", "1, 2", "(x)"),
    ("(*pointer)<<<1, 2>>>(x);", "(*pointer)", "1, 2", "(x)"),
    ("kernels[i + 1]<<<1, 2>>>(x);", "kernels[i + 1]", "1, 2", "(x)"),
    ("stage.kernel<<<1, 2>>>(x);", "stage.kernel", "1, 2", "(x)"),
    ("stage->kernel<<<1, 2>>>(x);", "stage->kernel", "1, 2", "(x)"),
    ("stages[2].kernel<<<1, 2>>>(x);", "stages[2].kernel", "1, 2", "(x)"),
    # After a condition.
    ("if (ready) k<<<1, 2>>>(x);", "k", "1, 2", "(x)"),
    ("else k<<<1, 2>>>(x);", "k", "1, 2", "(x)"),
    ("for (;;) k<<<1, 2>>>(x);", "k", "1, 2", "(x)"),
)


class LaunchTest(unittest.TestCase):
    def test_launches(self):
        for text, *launch in _LAUNCHES:
            with self.subTest(text):
                self.assertEqual(launches(text), [tuple(launch)])

    def test_two_on_a_line(self):
        found = launches("a<<<1, 2>>>(x); b<<<3, 4>>>(y);")
        self.assertEqual(found, [("a", "1, 2", "(x)"), ("b", "3, 4", "(y)")])

    def test_in_a_macro(self):
        text = "#define RUN(kernel, ...) \\\n  kernel<<<1, 2>>>(__VA_ARGS__)\nint after;\n"
        self.assertEqual(launches(text), [("kernel", "1, 2", "(__VA_ARGS__)")])
        self.assertEqual(rewrite(text, "a.cu").count("#line"), 1)  # no directive inside the macro
        self.assertEqual(rewrite(text, "a.cu").split("\n").index("int after;"), 4)  # two lines came before

    def test_quotes_in_a_sentence_that_is_left_out(self):
        left_out = "#if 0\nDon't say \"this.\nIt's 1'000, not u8'x' or 'y'. // don't\n#endif\n"
        rewritten = rewrite(f"int don't;\n{left_out}char c = 'c'; // don't\n", "a.cu")
        kept = "#if 0\nDon`t say `this.\nIt`s 1'000, not u8'x' or 'y'. // don't\n#endif\nchar c = 'c'; // don't"
        self.assertIn(kept, rewritten)
        self.assertIn("int don't;", rewritten)  # outside a condition it is an error that the compiler reports

    def test_the_other_spelling_of_a_directive(self):
        rewritten = rewrite("%:define A \\\n 5 %:%: 3\n // %:\n  %: if A\nint x = 5 %A;\n", "a.cu")
        self.assertTrue(rewritten.endswith("\n# define A \\\n 5 %:%: 3\n // %:\n  #  if A\nint x = 5 %A;\n"), rewritten)

    def test_kernel_as_a_pointer_to_void(self):
        for cast in ("(void*)k", "(const void *) k", "reinterpret_cast<const void*>(k)"):
            rewritten = without_lines(rewrite(f"void f() {{ cudaLaunchKernel({cast}, g, b, args); }}", "a.cu"))
            self.assertRegex(rewritten, r"cudaLaunchKernel\(cuda_simulator::pointer_to\( *\(?k\)? *\) *, g, b, args\)")

    def test_kernel_that_a_node_gets_as_a_pointer_to_void(self):
        kernel = "template <int N> __global__ void __launch_bounds__(32) k(int* x) {}\n"
        for code, expected in (
            ("p.func = (void*)other;", r"p.func = cuda_simulator::pointer_to\( *other\) *;"),
            ("void* a[] = {(void*)k<3>, (void*)x};", r"{cuda_simulator::pointer_to\( *k<3>\) *, \(void\*\)x};"),
            ("g((void*)&k<f<2>::n>, y > 1);", r"g\(cuda_simulator::pointer_to\( *&k<f<2>::n>\) *, y > 1\);"),
        ):
            self.assertRegex(without_lines(rewrite(kernel + code, "a.cu")), expected)

    def test_alignas_behind_shared(self):
        rewritten = rewrite("__shared__ alignas(sizeof(int)) int x[4];", "a.cu")
        self.assertIn("alignas(sizeof(int)) __shared__ int x[4];", rewritten)

    def test_pointers_and_kernels_names(self):
        for text, pointer in (
            ("void f() { const auto k = pick(); k<<<1, 2>>>(x); }", "k"),
            ("void f(void (*k)(int)) { k<<<1, 2>>>(x); }", "k"),
            ("template <typename Kernel> void f(Kernel k) { k<<<1, 2>>>(x); }", "k"),
            ("namespace a { void f() { Kernel* const k{pick()}; if (b) { k<<<1, 2>>>(x); } } }", "k"),
            ("(*k)<<<1, 2>>>(x);", "(*k)"),
            ("kernels[i + 1]<<<1, 2>>>(x);", "kernels[i + 1]"),
            ("stages[2].kernel<<<1, 2>>>(x);", "stages[2].kernel"),
            ("stage->kernel<<<1, 2>>>(x);", "stage->kernel"),
            ("kernels[i++]<<<1, 2>>>(x);", None),  # it would be evaluated twice
            ("__global__ void k(int x) {} void f() { k<<<1, 2>>>(x); }", None),
            ("f(g, k); return k; k<<<1, 2>>>(x);", None),
            ("void g(int k) {} void f() { k<<<1, 2>>>(x); }", None),  # another function's
            ("#define LAUNCH(k) k<<<1, 2>>>(x)\nvoid f(void (*k)(int));", None),
            ("#define LAUNCH(k) k<<<1, 2>>>(x)\nvoid f() { LAUNCH(kernel); }", None),
            ("#define LAUNCH(k) k<<<1, 2>>>(x)\nvoid f(Kernel p) { LAUNCH(kernel); LAUNCH(p); }", "k"),
            ("#define LAUNCH(n, k) (k)<<<n, 2>>>(x)\nvoid f(Kernel p) { LAUNCH(g(1, 2), p); }", "(k)"),
            ("#define LAUNCH(n, k) (k)<<<n, 2>>>(x)\nvoid f(Kernel p) { LAUNCH(p, (kernel<1, 2>)); }", None),
            ("#define LAUNCH(k) k<<<1, 2>>>(x)\n#define ALL(k) LAUNCH(k)\nvoid f(Kernel p) { ALL(p); }", "k"),
            ("#define RUN p<<<1, 2>>>(x)\nvoid f(Kernel p) { RUN; }", "p"),
            ("#define RUN p<<<1, 2>>>(x)\nvoid g(Kernel p); void f() { RUN; }", None),
            ("#define LAUNCH(k) k<<<1, 2>>>(x) LAUNCH(k)\nvoid f() { LAUNCH(); LAUNCH(kernel); }", None),
            ("void f(Kernel k) { (k)<<<1, 2>>>(x); }", "(k)"),
            ("void f() { (k<int, 2>)<<<1, 2>>>(x); }", None),
            ("void f() { for (auto k : kernels) k<<<1, 2>>>(x); }", "k"),
            ("void f() { for (const auto& [name, k] : kernels) k<<<1, 2>>>(x); }", "k"),
            ("void f() { switch (n) { case k: k<<<1, 2>>>(x); } }", None),
            ("k<int><<<1, 2>>>(x);", None),
            ("a::k<<<1, 2>>>(x);", None),
        ):
            match = _LAUNCH.search(without_lines(rewrite(text, "a.cu")))
            assert match is not None
            self.assertEqual(match["pointer"], pointer, text)


class NoLaunchTest(unittest.TestCase):
    def test_text_that_stays_as_it_is(self):
        for text in (
            "// k<<<1, 2>>>(x);\n/* k<<<1,\n 2>>>(x); */\n",
            "// continued \\\n k<<<1, 2>>>(x);\n",
            'const char* a = "k<<<1, 2>>>(x);", *b = "\\"<<<";\n',
            'const char* a = R"(k<<<1, "2>>>(x);\n<<<)";\n',
            'const char* a = R"tag(k<<<1, )" 2>>>(x);)tag";\n',
            "char a = '<', b = '\\'', c = '\"';\n",
            "friend S& operator<< <>(S&, A<B<C<int> > >(x));",
            'std::cerr << "text" << n; std::cout <</* n */<< n;',
            "int a = b << 2, c = d >> 3;\nstd::cout << x << y;\nA<B<C<int>>> e;\nf <<= 2;\n",
            'extern int values[];\nextern "C" void f();\n',
        ):
            with self.subTest(text):
                expected = f'#include <simulator/compiled_by_nvcc.h>\n#line 1 "a.cu"\n{text}'
                self.assertEqual(rewrite(text, "a.cu"), expected)


class ExternSharedTest(unittest.TestCase):
    def test_in_a_function(self):
        rewritten = without_lines(rewrite("void k() { extern __shared__ float tile[]; }", "a.cu"))
        self.assertIn("float*const tile=cuda_simulator::DynamicSharedMemory();", rewritten)

    def test_of_any_type(self):
        for declared, pointer in [
            ("unsigned char", "unsigned char*const"),
            ("std::pair<int, float>", "std::pair<int, float>*const"),
            ("ns::T", "ns::T*const"),
            ("char*", "char**const"),
        ]:
            with self.subTest(declared):
                text = f"void k() {{ extern __shared__ {declared} tile[]; }}"
                self.assertIn(f"{pointer} tile=", without_lines(rewrite(text, "a.cu")))

    def test_words_in_any_order(self):
        for words in ("extern float __shared__", "__shared__ extern float", "extern __shared__ float"):
            rewritten = without_lines(rewrite(f"void f() {{ {words} s[]; }}", "a.cu"))
            self.assertRegex(rewritten, r"\{\s+float\s*\*const\s+s=cuda_simulator::DynamicSharedMemory\(\);")

    def test_static_shared_has_one_static(self):
        for words in ("static __shared__ int", "static volatile __shared__ int", "__shared__ static int"):
            self.assertNotRegex(rewrite(f"void f() {{ {words} s[32]; }}", "a.cu"), r"\bstatic\b")
        self.assertIn("static int s", rewrite("void f() { __shared__ int a; static int s; }", "a.cu"))

    def test_aligned(self):
        for alignment in ("__align__(16)", "alignas(16)", "__align__(sizeof(float4))"):
            with self.subTest(alignment):
                text = f"void k() {{ extern __shared__ {alignment} char bytes[]; }}"
                self.assertIn("char*const bytes=", without_lines(rewrite(text, "a.cu")))

    def test_of_rows(self):
        rewritten = without_lines(rewrite("void k() { extern __shared__ float tile[][32]; }", "a.cu"))
        self.assertIn("float(*const tile)[32]=", rewritten)

    def test_at_namespace_scope(self):
        for text in ("extern __shared__ float tile[];", "namespace a { extern __shared__ float tile[]; }"):
            with self.subTest(text):
                self.assertIn('[] __asm__("cuda_simulator_dynamic_shared");', rewrite(text, "a.cu"))

    def test_in_a_comment(self):
        self.assertNotIn("Dynamic", rewrite("// extern __shared__ float tile[];\n", "a.cu"))


def marks(body: str, before: str = "__global__ void k(const int* in, int n)") -> list[str]:
    """The arrays that the rewriter marks in a function with this body: the properties of each that are true."""
    rewritten = rewrite(f"{before} {{ {body} }}", "a.cu")
    found = re.findall(r"CUDA_SIMULATOR_LOCAL_ARRAY\((\w+),(\w+),(\w+),(\w+)\)", rewritten)
    words = ("by_thread", "by_data", "is_set")
    return [" ".join([name, *(word for word, flag in zip(words, flags) if flag == "true")]) for name, *flags in found]


class LocalArrayTest(unittest.TestCase):
    def test_indexed_by_the_thread(self):
        for uses in (
            "a[threadIdx.x] = 1; f(a[0]);",
            "const int t = threadIdx.x, u = t + 1; f(a[u]);",
            "for (int i = threadIdx.x; i < 8; i += 32) a[i] = 0;",
            "int i = 0; i += threadIdx.x; a[i] = 0;",
            "const auto i = block.thread_rank(); a[i] = 0;",
        ):
            with self.subTest(uses):
                self.assertEqual(marks(f"float a[8]; {uses}"), ["a by_thread"])

    def test_indexed_by_a_parameter_of_a_device_function(self):
        self.assertEqual(marks("float a[8]; a[t] = 1;", "__device__ void f(float x, int t)"), ["a by_thread"])
        self.assertEqual(marks("float a[8]; a[n] = 1;"), [])  # a kernel's is the same for all threads

    def test_indexed_by_data(self):
        for body, found in (
            ("int a[8]; a[in[i] % 8] = 1;", ["a by_data"]),
            ("int a[8][2] = {}, b[2]; a[0][in[i]] = 1; b[0] = 1;", ["a by_data is_set"]),
            ("int a[8]; const int k = in[i] & 7; a[k] = 1;", ["a by_data"]),
            ("int a[8] = {}; const int k = in[threadIdx.x]; a[k + 1] += 1;", ["a by_thread by_data is_set"]),
            ("int a[2] = {in[0], in[1]}; for (int k = 0; k < 2; ++k) x += a[k];", []),
            ("int a[8]; for (int k = 0; k < n; k += 2) a[k] = in[k];", []),
            ("int a[8]; int k = in[i]; k = 0; a[k] = in[k]; a[0][b] = 1;", []),
        ):
            with self.subTest(body):
                self.assertEqual(marks(body), found)

    def test_read_first(self):
        for uses in ("a[i] += 1;", "a[i]++;", "++a[i];", "x = a[i];", "const float x = 2 * a[i];", "return a[i];"):
            with self.subTest(uses):
                self.assertEqual(marks(f"float a[8]; for (int i = 0; i < 8; ++i) {{ {uses} }}"), ["a"])

    def test_kept_in_registers(self):
        for body in (
            "float a[8]; for (int i = 0; i < 8; ++i) a[i] = in[i]; x += a[1];",
            "float2 a[8]; for (int i = 0; i < 8; ++i) { a[i].x = 0; a[i].y += 1; }",
            "for (int i = threadIdx.x; i < n; ++i) f(i); float a[8]; for (int i = 0; i < 8; ++i) a[i] = 0;",
            "float a[8] = {}; a[threadIdx.x] += 1;",
            "float a[8]; load(a); x = a[threadIdx.x];",
            "float a[8]; load(&a[0]); x = a[threadIdx.x];",
            "float a[8][8]; load(a[threadIdx.x]);",
            "float a[8]; asm(\"\" : \"=f\"(a[threadIdx.x]));",
            "__shared__ float a[8]; a[threadIdx.x] += 1;",
            "static float a[8]; a[threadIdx.x] += 1;",
            "extern __shared__ float a[]; a[threadIdx.x] += 1;",
            "switch (n) { float a[8]; case 1: a[threadIdx.x] = 1; }",
            "f(b[8], a[threadIdx.x]);",
            "return b[threadIdx.x];",
            "float x = b[threadIdx.x]; y = b[threadIdx.y];",  # an element, not a declaration of b
            "float a[8]; load(a); float x = a[threadIdx.x]; y = a[0];",
        ):
            with self.subTest(body):
                self.assertEqual(marks(body), [])

    def test_the_types_and_declarators_of_an_array(self):
        for declared in (
            "unsigned char a[8];",
            "unsigned a[2 * kN];",
            "std::pair<int, float> a[kN];",
            "T a[kRows][kCols + 1];",
            "int n = 3, a[8];",
            "alignas(16) float a[8];",
            "__half a[8];",
            "volatile float a[8];",
        ):
            with self.subTest(declared):
                index = "[i][threadIdx.x]" if "][" in declared else "[threadIdx.x]"
                self.assertEqual(marks(f"{declared} a{index} = 1;"), ["a by_thread"])
        self.assertEqual(marks("int a[8], b[4]; a[threadIdx.x] = b[threadIdx.y];"), ["a by_thread", "b by_thread"])

    def test_not_in_host_code(self):
        self.assertEqual(marks("float a[8]; a[i] += threadIdx.x;", "void f()"), [])
        self.assertEqual(marks("float a[8]; a[i] += 1;", "__global__ void k(); void f()"), [])

    def test_text_after_it_keeps_its_line_and_column(self):
        text = "__global__ void k() {\n  int a[8]; a[threadIdx.x] = b;\n}\n"
        self.assertIn('a,true,false,false)\n#line 2 "a.cu"\n           ', rewrite(text, "a.cu"))


_NO_END = "this '<<<' has no '>>>'"
_OPEN = "this '(' is never closed"
_NO_NAME = "only the name of a kernel or a pointer to a kernel can be before '<<<'"
_NOT_A_KERNEL = "'k' is not a kernel: only a __global__ void function can be launched"
_REFERENCE = (
    "a kernel's parameter cannot be a reference: on a GPU it would be an address in host memory. "
    "Use a value or a pointer"
)
_STD_ATOMIC = (
    "std::atomic is for host code, and nvcc rejects it in a kernel. Use atomicAdd() or another atomic function of CUDA"
)
# A text, and the line, the column and the message of its error.
_WRONG = (
    ("\n  k<<<1, 2>>(x);\n", 2, 4, _NO_END),
    ("k<<<1, 2;\n", 1, 2, _NO_END),
    ("k<<<1, 2", 1, 2, _NO_END),
    ("k<<<1, dim3(2>>>(x);\n", 1, 12, _OPEN),
    ("k<<<1, 2>>>(x;\n", 1, 12, _OPEN),
    ("k<<<1, 2>>>;\n", 1, 9, "'>>>' must be followed by the kernel's arguments in parentheses"),
    ("int a; <<<1, 2>>>(x);\n", 1, 8, "there is no kernel name before '<<<'"),
    ("(ready ? a : b)<<<1, 2>>>(x);\n", 1, 1, _NO_NAME),
    ("  (x[0] = 1, k)<<<1, 2>>>(x);\n", 1, 3, _NO_NAME),
    ("k<<<1, 2>>>(j<<<1, 2>>>(x));\n", 1, 14, "a launch cannot contain another launch"),
    ("inline void k(int* p) {}\nvoid f() { k<<<1, 2>>>(x); }\n", 2, 12, _NOT_A_KERNEL),
    ("template <int N>\n__device__ void k(int* p);\nvoid f() { k<3><<<1, 2>>>(x); }\n", 3, 12, _NOT_A_KERNEL),
    ("template <int N> void k(int n) {} void f() { k<4><<<1, 32>>>(2); }", 1, 46, _NOT_A_KERNEL),
    ("__global__ void k(float* out, const int& n) { *out = n; }\n", 1, 40, _REFERENCE),
    ("template <class F>\n__global__ void __launch_bounds__(32)\nk(F&& f) {}\n", 3, 4, _REFERENCE),
    ("__global__ void k(std::atomic<int>* n) { ++*n; }\n", 1, 19, _STD_ATOMIC),
    ("__global__ void k(int* p) {\n  auto* n = (std::atomic<int>*)p;\n}\n", 2, 14, _STD_ATOMIC),
)
_RIGHT = (
    "__global__ void k(int* p);\nvoid g(); void f() { k<<<1, 2>>>(x); }\n",
    "template <int N> __global__ void __launch_bounds__(N) k(int* p);\nvoid f() { k<3><<<1, 2>>>(x); }\n",
    "__global__ void k(int n = 3 & 1, int* p = &x) {}",
    "__global__ void k(std::function<void(int&)> f, void (*g)(int&)) {}",
    "__global__ void k(int* p) { int& first = p[0]; first = 1; }",
    "inline void h(int& n) {}\n__global__ void k(int n);",
    "#define KERNEL(T) __global__ void k(T& x)",
    "template <class T> __global__ void __launch_bounds__(1024, 2) k(Pair<T> p) {}",
    "std::atomic<int> n;\n__global__ void k(int* p) { atomicAdd(p, 1); }\nvoid f(std::atomic<int>& n);",
)


class ErrorTest(unittest.TestCase):
    def test_messages(self):
        for text, line, column, message in _WRONG:
            with self.subTest(text), self.assertRaises(RewriteError) as raised:
                rewrite(text, "a.cu")
            self.assertEqual(str(raised.exception), f"a.cu:{line}:{column}: error: {message}")

    def test_similar_text_has_no_error(self):
        for text in _RIGHT:
            with self.subTest(text):
                rewrite(text, "a.cu")


class DefinitionTest(unittest.TestCase):
    def test_the_value_of_a_constant_is_replaced(self):
        for text, replaced in (
            ("#define N (1 << 20)  // elements", "#define N 1000  // elements"),
            ("#ifndef N\n#define N 4\n#endif", "#ifndef N\n#define N 1000\n#endif"),
            ("const int N = 1 << 20, M = max(1, N);", "const int N = 1000, M = max(1, N);"),
            ("int M = 2, N = f(1, 2);", "int M = 2, N = 1000;"),
            ("constexpr std::size_t N{1024};", "constexpr std::size_t N{1000};"),
            ("for (int i = 0, N = 7; i < N; ++i)", "for (int i = 0, N = 1000; i < N; ++i)"),
        ):
            self.assertTrue(rewrite(text, "a.cu", definitions={"N": "1000"}).endswith(f"\n{replaced}"), text)

    def test_other_names_and_uses_stay(self):
        for text in ("#define N2 N", "#define N(x) x", "N = 5; return N == 3;", "int NN = 4; // int N = 4;"):
            self.assertTrue(rewrite(text, "a.cu", definitions={"N": "1000"}).endswith(f"\n{text}"), text)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_rewriter(self, contents: bytes, *options: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "a.cu").write_bytes(contents)
        command = [sys.executable, str(TRANSLATE / "rewrite_cuda.py"), "a.cu", "a.cpp", *options]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def test_windows_line_ends_and_byte_order_mark(self):
        result = self.run_rewriter(b"\xef\xbb\xbfint before;\r\nvoid f() { k<<<1, 2>>>(3); }\r\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rewritten = (self.folder / "a.cpp").read_bytes()
        self.assertNotIn(b"\r", rewritten)
        self.assertTrue(rewritten.startswith(b'#include <simulator/compiled_by_nvcc.h>\n#line 1 "a.cu"\nint before;\n'))

    def test_error_has_the_format_of_a_compilers(self):
        result = self.run_rewriter(b"k<<<1, 2;\n")
        self.assertEqual((result.returncode, result.stderr), (1, "a.cu:1:2: error: this '<<<' has no '>>>'\n"))
        self.assertFalse((self.folder / "a.cpp").exists())

    def test_old_encodings_pass_through(self):
        self.assertEqual(self.run_rewriter(b"int a; // \xff\n").returncode, 0)
        self.assertTrue((self.folder / "a.cpp").read_bytes().endswith(b"int a; // \xff\n"))

    def test_utf_16(self):
        result = self.run_rewriter("int a;\n".encode("utf-16"))
        message = "a.cu:1:1: error: this is UTF-16, or not a text file; save it as UTF-8\n"
        self.assertEqual((result.returncode, result.stderr), (1, message))

    def test_a_constant_that_the_file_only_reads(self):
        (self.folder / "sizes.h").write_text("#define M 8\n")
        contents = b'#include "sizes.h"\n#ifdef SMALL\nint n = M;\n#endif\n'
        self.assertEqual(self.run_rewriter(contents, "-DSMALL=", "-DM=4").returncode, 0)
        self.assertIn('#define SMALL \n#line 1 "a.cu"', (self.folder / "a.cpp").read_text())
        self.assertIn("#define M 4\n", (self.folder / "a.cpp.0_sizes.h").read_text())

    def test_a_constant_that_no_file_contains(self):
        result = self.run_rewriter(b"int a;\n", "-DN=4")
        message = "a.cu:1:1: error: --define N=4 has no effect: this file and its headers do not contain N\n"
        self.assertEqual((result.returncode, result.stderr), (1, message))
        (self.folder / "b.cu").write_text("const int N = 8;\n")
        self.assertEqual(self.run_rewriter(b"int a;\n", "-DN=4", "-other=b.cu").returncode, 0)
        self.assertEqual(self.run_rewriter(b"int a;\n", "-DM=4", "-other=b.cu").returncode, 1)

    def test_missing_file(self):
        command = [sys.executable, str(TRANSLATE / "rewrite_cuda.py"), "none.cu", "a.cpp"]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("none.cu", result.stderr)


class HeaderTest(unittest.TestCase):
    """Headers with code that only the rewriter understands."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="my kernels ")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def rewrite(self, *folders: str) -> str:
        """The output for a.cu; the command must succeed."""
        command = [sys.executable, str(TRANSLATE / "rewrite_cuda.py"), str(self.folder / "a.cu"), "out.cpp", *folders]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return (self.folder / "out.cpp").read_text(encoding="utf-8")

    def copy(self, name: str) -> str:
        return (self.folder / f"out.cpp.{name}").read_text(encoding="utf-8")

    def test_header_without_cuda_is_included_from_its_folder(self):
        self.write("plain.h", "int f();  // <<< >>>\n")
        self.write("a.cu", '#include "plain.h"\n#include <vector>\n')
        self.assertIn('#include "plain.h"\n#include <vector>\n', self.rewrite("."))
        # The output can be in a different folder, so it names the header's folder.
        self.assertIn(f'#include "{self.folder}/plain.h"\n#include <vector>\n', self.rewrite())
        self.assertEqual(list(self.folder.glob("*_plain.h")), [])

    def test_copy_of_a_header_with_a_launch(self):
        header = self.write("launch.cuh", "#pragma once\ninline void f() { k<<<1, 2>>>(3); }\n")
        self.write("a.cu", '#include "launch.cuh"\n')
        self.assertIn(f'#include "{self.folder}/out.cpp.0_launch.cuh"\n', self.rewrite())
        self.assertIn(f'#line 1 "{header}"\n#pragma once\ninline void f() {{', self.copy("0_launch.cuh"))
        self.assertIn("cuda_simulator::launch(", self.copy("0_launch.cuh"))

    def test_header_between_is_copied_too_and_finds_the_headers_next_to_it(self):
        deep = self.write("sub/deep.h", "int deep();\n")
        self.write("sub/shared.cuh", "inline void f() { extern __shared__ float s[]; }\n")
        self.write("sub/between.h", '#include "deep.h"\n#include "shared.cuh"\n')
        self.write("a.cu", '#include "sub/between.h"\n')
        self.assertIn("0_between.h", self.rewrite())
        shared_copy = self.folder / "out.cpp.1_shared.cuh"
        self.assertIn(f'#include "{deep}"\n#include "{shared_copy}"\n', self.copy("0_between.h"))

    def test_headers_that_include_each_other(self):
        self.write("one.cuh", '#pragma once\n#include "two.cuh"\n')
        self.write("two.cuh", '#pragma once\n#include "one.cuh"\ninline void f() { k<<<1, 2>>>(); }\n')
        self.write("a.cu", '#include "one.cuh"\n#include "two.cuh"\n')
        self.rewrite()
        self.assertIn("0_one.cuh", self.copy("1_two.cuh"))

    def test_folders_that_are_given(self):
        self.write("include/launch.cuh", "inline void f() { k<<<1, 2>>>(); }\n")
        self.write("a.cu", "#include <launch.cuh>\n")
        self.assertIn("#include <launch.cuh>\n", self.rewrite())
        self.assertIn(f"#include <{self.folder}/out.cpp.0_launch.cuh>\n", self.rewrite("include"))

    def test_header_of_another_chapter(self):
        self.write("a.cu", '#include "chapters/ch9_embedding/step.h"\n')
        self.assertIn(f'#include "{self.folder}/out.cpp.0_step.h"\n', self.rewrite())
        embedding = SIMULATOR.parents[1] / "chapters" / "ch9_embedding" / "embedding.h"
        self.assertIn(f'#include "{embedding}"\n', self.copy("0_step.h"))

    def test_include_in_a_comment(self):
        self.write("launch.cuh", "inline void f() { k<<<1, 2>>>(); }\n")
        self.write("a.cu", '/*\n#include "launch.cuh"\n*/\n')
        self.assertIn('#include "launch.cuh"', self.rewrite())

    def test_files_that_were_read_are_listed_for_the_build(self):
        self.write("plain.h", "")
        self.write("a.cu", '#include "plain.h"\n')
        self.rewrite()
        escaped = str(self.folder).replace(" ", "\\ ")
        self.assertEqual(
            (self.folder / "out.cpp.d").read_text(encoding="utf-8"),
            f"out.cpp: \\\n {escaped}/a.cu \\\n {escaped}/plain.h\n",
        )


# A comment at the end of a line has the column and the word of its error.
_ERRORS = """\
__global__ void k(float* out, int n) { out[n] = 1.0f; }
template <int kSize> __global__ void t(float* out) { out[0] = kSize; }
void launches(float* p) {
  k<<<grid, 32>>>(p, 1);                       // 7 grid
  k<<<1, 32, 0, strea>>>(p, 1);                // 17 strea
  k<<<1, 32>>>(q, 1);                          // 16 q
  nokernel<<<1, 32>>>(p, 1);                   // 3 nokernel
\tk<<<1, 32>>>(p, tabbed);                     // 18 tabbed
  k<<<1, 32>>>(p, 1); after = 2;               // 23 after
  k<<<1, 32>>>(p, 1);
  next_line = 3;                               // 3 next_line
  k<<<1,
      lines>>>(                                // 7 lines
      p, 1);
  t<8><<<dim3(1, wrong), 32>>>(p);             // 18 wrong
  t<unknown><<<1, 32>>>(p);                    // 5 unknown
  k<<<1, 1>>>(p, 1); k<<<1, twice>>>(p, 1);    // 29 twice
}
__global__ void d() {
  extern __shared__ flaot tile[];              // 21 flaot
  extern __shared__ float named[]; anmed = 1;  // 36 anmed
}
"""

_GOOD = """\
__global__ void k(float* out, int n) { extern __shared__ float tile[]; tile[n] = 1; out[n] = tile[n]; }
__global__ void k(float* out) { *out = 2; }
template <typename T, int kSize> __global__ void t(T* out) { __shared__ T s[kSize]; s[0] = T{}; *out = s[0]; }
#define RUN(kernel, ...) kernel<<<1, 2>>>(__VA_ARGS__)
#define TWICE(statement) \\
  do {                   \\
    statement;           \\
    statement;           \\
  } while (false)
void launches(float* p, const dim3 grid, cudaStream_t stream) {
  k<<<grid, 32, sizeof(float) * 32, stream>>>(p, 3);
  k<<<1, 1>>>(p);
  t<float, (8 > 4)><<<grid, {32, 2}>>>(p);
  void (*const pointer)(float*) = k;
  (*pointer)<<<1, 1>>>(p);
  RUN(k, p, 1);
  TWICE(k<<<1, 1>>>(p));
  const auto later = [=](int n) { k<<<n, 1>>>(p, n); };
  later(1);
}
"""


class CompilerTest(unittest.TestCase):
    """Compiles rewritten text against the simulator's headers."""

    def compile(self, text: str) -> str:
        command = [COMPILER, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-I"]
        command += [str(SIMULATOR / "include"), "-"]
        environment = {**os.environ, "LC_ALL": "C"}
        result = subprocess.run(
            command, input=rewrite(text, "a.cu"), env=environment, capture_output=True, text=True, check=False
        )
        return result.stderr

    def test_correct_code_has_no_warnings(self):
        self.assertEqual(self.compile(_GOOD), "")

    def test_messages_have_the_learners_line_and_column(self):
        messages = self.compile(_ERRORS)
        for number, line in enumerate(_ERRORS.split("\n"), start=1):
            mark = re.search(r"// (\d+) (\w+)$", line)
            if not mark:
                continue
            column, word = mark.groups()
            with self.subTest(word):
                self.assertRegex(messages, rf"(?m)^a\.cu:{number}:{column}: error: .*‘?'?{word}")

    def test_there_are_no_other_messages(self):
        places = re.findall(r"(?m)^(\S+?):(\d+):\d+: (?:error|warning)", self.compile(_ERRORS))
        marked = {n for n, line in enumerate(_ERRORS.split("\n"), start=1) if re.search(r"// \d+ \w+$", line)}
        self.assertEqual({int(line) for _, line in places}, marked)
        self.assertEqual({file for file, _ in places}, {"a.cu"})

    def test_static_variables_of_kernels_need_a_constant(self):
        for words, is_accepted in (
            ("static int last = n - 1; last = 2;", False),
            ("const int a = 1; static const float last = n;", False),
            ("static int last; static int more[2] = {1, 2}; last = more[0];", True),
            ("static constexpr int kLast = 3; static __shared__ int shared; shared = kLast;", True),
            ("for (static int i = n; i < 3; ++i) {}", False),
        ):
            with self.subTest(words):
                messages = self.compile(f"__global__ void k(int n) {{ {words} }}\n")
                self.assertEqual(": error: " not in messages, is_accepted, messages)
        self.assertEqual(self.compile("int f(int n) { static int last = n - 1; return last; }\n"), "")

    def test_wrong_arguments_are_reported_as_for_a_plain_call(self):
        messages = self.compile("__global__ void k(float*, int);\nvoid f(float* p) { k<<<1, 1>>>(p); }\n")
        self.assertRegex(messages, r"a\.cu:2:\d+: error: too few arguments to function 'void k\(float\*, int\)'")


_HOST_AND_DEVICE = """\
#define HD __host__ __device__
HD int f() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
"""


class ArchitectureTest(unittest.TestCase):
    """__CUDA_ARCH__: the chosen branch, and the line at which the build stops."""

    compile = CompilerTest.compile

    def assert_stops(self, text: str, line: int, words: str) -> None:
        self.assertRegex(self.compile(text), rf"(?m)^a\.cu:{line}:\d+: error: #error .*{words}")

    def assert_compiles(self, text: str) -> None:
        """Code that must not be compiled contains `wrong`, which is not declared."""
        self.assertEqual(self.compile(text), "")

    def test_kernels_and_device_functions_have_the_devices_value(self):
        conditions = (
            *("#if __CUDA_ARCH__", "#ifdef __CUDA_ARCH__", "#if defined(__CUDA_ARCH__)", "#if defined __CUDA_ARCH__"),
            "#if __CUDA_ARCH__ >= 700 && \\\n  __CUDA_ARCH__ < 1000",
            "#if 0\n wrong;\n#elif __CUDA_ARCH__ == 900",
        )
        heads = (
            *("__global__ void k(int* x)", "template <class T> __device__ void f(T* x)"),
            "struct S { __device__ void f(int* x) { if (x) {} } }; __device__ void f(int* x)",
        )
        for condition in conditions:
            for head in heads:
                with self.subTest(condition=condition, head=head):
                    self.assert_compiles(f"{head} {{\n{condition}\n  *x = 1;\n#else\n  wrong;\n#endif\n}}\n")
        self.assert_compiles("__device__ void f() {\n#ifndef __CUDA_ARCH__\n  wrong;\n#endif\n}\n")
        self.assert_compiles("__device__ int f() { return __CUDA_ARCH__ + 0; }\n")

    def test_hosts_code_does_not_have_it(self):
        self.assert_compiles("int main() {\n#ifdef __CUDA_ARCH__\n  wrong;\n#endif\n}\n")
        self.assert_compiles("#define TEST_OF(x) void x()\nTEST_OF(f) {\n#ifdef __CUDA_ARCH__\n  wrong;\n#endif\n}\n")
        self.assert_compiles("namespace n {\nvoid f() {\n#if __CUDA_ARCH__ >= 700\n  wrong;\n#endif\n}\n}\n")

    def test_lambda_for_the_device_in_host_code(self):
        self.assert_compiles(
            "int main() {\n  auto f = [=] __device__ (int i) {\n#ifdef __CUDA_ARCH__\n    return i;\n#else\n"
            "    wrong;\n#endif\n  };\n  return f(0);\n}\n"
        )

    def test_name_in_comments_and_strings(self):
        text = '// __CUDA_ARCH__\nconst char* const s = "__CUDA_ARCH__";  /* #ifdef __CUDA_ARCH__ */\n'
        self.assertTrue(rewrite(text, "a.cu").endswith(text))

    def test_braces_that_a_conditional_opens_twice(self):
        heads = "#ifdef MORE\nvoid f(int* x, int) {\n#else\nvoid f(int* x) {\n#endif\n  *x = 1;\n}\n"
        self.assert_compiles(f"{heads}int main() {{\n#ifdef __CUDA_ARCH__\n  wrong;\n#endif\n}}\n")

    def test_outside_of_functions_both_passes_must_agree(self):
        self.assert_compiles("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\nwrong;\n#endif\n")
        self.assert_compiles("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700\n#error wrong\n#endif\n")
        self.assert_compiles("#ifdef __CUDA_ARCH__\n#include <cmath>\n#endif\n")
        defines = "#if __CUDA_ARCH__ >= 700\n#define N 4\n#else\n#define N x\n#endif\n"
        self.assert_stops(f"int a;\n{defines}", 2, "body of a")
        self.assert_stops("#if __CUDA_ARCH__ >= 700\n#define N 4\n#endif\n", 1, "body of a")
        self.assert_stops("#ifdef __CUDA_ARCH__\n__global__ void k() {}\n#endif\n", 1, "body of a")
        self.assert_stops("#ifdef MINE\n#elif __CUDA_ARCH__ > 1\n__global__ void k() {}\n#endif\n", 1, "body of a")

    def test_macros_for_numbers_have_the_value_of_the_place_where_they_are_used(self):
        defines = "#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900\n#define N 2\n#else\n#define N 1\n#endif\n"
        self.assert_compiles(f"{defines}__global__ void __launch_bounds__(1024, N) k(int* x) {{ *x = N; }}\n")
        rewritten = rewrite(defines, "a.cu")
        self.assertIn("#define N (cuda_simulator::in_device_code() ? (N_on_device) : (N_on_host))\n", rewritten)
        self.assertIn("#if 900 == 800", rewritten.replace("          ", ""))
        self.assertRegex(self.compile(f"{defines}int x = wrong;\n"), r"(?m)^a\.cu:6:9: error: .*wrong")
        self.assertNotEqual(self.compile(f"{defines}#if N > 1\n#endif\n"), "")

    def test_device_functions_outside_are_the_devices(self):
        with_else = "#if __CUDA_ARCH__ >= 700\n{}\n#else\n__device__ void f() {{ wrong; }}\n#endif\n{}"
        self.assert_compiles(with_else.format("__device__ void f() {}", "__global__ void k() { f(); }"))
        atomic = "template <class T>\n__device__ void f(T x) { if (x) {} }"
        self.assert_compiles(f"#if defined(__CUDA_ARCH__)\n{atomic}\n#endif\n__global__ void k() {{ f(1); }}")
        self.assert_stops(with_else.format("__host__ __device__ void f() {}", ""), 1, "body of a")

    def test_lines_after_a_check_are_the_learners(self):
        text = "#if __CUDA_ARCH__ >= 700 || 1\n#endif\nint x = wrong;\n"
        self.assertRegex(self.compile(text), r"(?m)^a\.cu:3:9: error: .*wrong")
        text = f"{_HOST_AND_DEVICE}int x = wrong;\n"
        self.assertRegex(self.compile(text), r"(?m)^a\.cu:9:9: error: .*wrong")

    def test_functions_of_both_take_whole_statements(self):
        self.assert_compiles(_HOST_AND_DEVICE)
        begin = "__host__ __device__ int f() {\n"
        declaration = f"{begin}#ifdef __CUDA_ARCH__\n  int i = 1;\n#else\n  int i = 2;\n#endif\n"
        self.assert_stops(f"{declaration}  return i;\n}}\n", 2, "whole statements")
        used_inside = declaration.replace("= 1;", "= 1; return i;").replace("= 2;", "= 2; return i;")
        self.assert_compiles(f"{used_inside}  return 3;\n}}\n")
        expression = f"{begin}  return\n#ifdef __CUDA_ARCH__\n  1;\n#else\n  2;\n#endif\n}}\n"
        self.assert_stops(expression, 3, "whole statements")
        braces = f"{begin}#ifdef __CUDA_ARCH__\n  if (1) {{\n#else\n  {{\n#endif\n  return 1; }}\n}}\n"
        self.assert_stops(braces, 2, "whole statements")

    def test_function_of_an_unknown_kind(self):
        text = _HOST_AND_DEVICE.replace("#define HD __host__ __device__", '#include "hd.h"').replace("HD", "MY_HD")
        self.assertIn("cannot find out for which of them", rewrite(text, "a.cu"))

    def test_macro_that_contains_it(self):
        macro = "#define NEW (__CUDA_ARCH__ >= 700)\n"
        with self.assertRaisesRegex(RewriteError, r"a\.cu:3:5: error: the macro 'NEW' contains __CUDA_ARCH"):
            rewrite(f"{macro}__global__ void k() {{\n#if NEW\n#endif\n}}\n", "a.cu")
        self.assert_compiles(macro)
        self.assertIn("CUDA_ARCH_in_a_macro", rewrite(macro, "a.cu"))  # so that a use in another file is an error

    def test_header(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            header = "__device__ int f() {\n#ifdef __CUDA_ARCH__\n  return 1;\n#endif\n}\n"
            (folder / "f.h").write_text(header, encoding="utf-8")
            (folder / "a.cu").write_text('#include "f.h"\n', encoding="utf-8")
            script = TRANSLATE / "rewrite_cuda.py"
            subprocess.run([sys.executable, script, folder / "a.cu", folder / "a.cpp"], check=True)
            self.assertIn("#if 1", (folder / "a.cpp.0_f.h").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
