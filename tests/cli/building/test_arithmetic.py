"""The text of the warnings. tests/simulator/arithmetic_test.py tests which code causes them."""

from __future__ import annotations

from support import ROOT, FolderTest

from cli.building.arithmetic import arithmetic_warnings

KERNEL = "__global__ void scale(const float* in, float* out, int n) {{\n{}}}\n"


class ArithmeticWarningsTest(FolderTest):
    def warnings(self, *lines: str) -> list[str]:
        file = self.folder / "my file.cu"
        file.write_text(KERNEL.format("".join(f"  {line}\n" for line in lines)), encoding="utf-8")
        return arithmetic_warnings([file], ROOT)

    def test_names_the_file_and_the_line(self) -> None:
        (warning,) = self.warnings("const int i = threadIdx.x;", "if (i < n) out[i] = 2.0 * in[i];")
        self.assertTrue(warning.startswith("my file.cu:3:23: warning: 2.0 is a double"), warning)
        self.assertTrue(warning.endswith("Write 2.0f."), warning)

    def test_three_at_most(self) -> None:
        warnings = self.warnings(*["out[0] = 2.0 * in[0];"] * 5)
        self.assertEqual(len(warnings), 4)
        self.assertEqual(warnings[-1], "And 2 more of this kind.")

    def test_no_warnings(self) -> None:
        self.assertEqual(self.warnings("out[0] = 2.0f * in[0];"), [])

    def test_unreadable_files(self) -> None:
        self.assertEqual(arithmetic_warnings([ROOT / "no such file.cu"], ROOT), [])
        self.assertEqual(self.warnings("out[0] = 2.0 * in[0];", "k<<<"), self.warnings("out[0] = 2.0 * in[0];"))
