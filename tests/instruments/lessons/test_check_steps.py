"""check_steps.py, on a chapter of three stages and a header."""

import tempfile
import unittest
from pathlib import Path

from check_steps import Step, code_lines, new_lines, steps


class StepsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "ch1_a"
        self.folder.mkdir()

    def write(self, name: str, *lines: str) -> None:
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def new_lines_of(self, *stages: str) -> dict[str, int]:
        return {step.stage: step.new_lines for step in steps(self.folder, list(stages), set())}

    def test_comments_blank_lines_and_indentation_do_not_count(self) -> None:
        self.assertEqual(code_lines("// a\n\n  int x;  // b\n/* c\n d */ int y;\n"), ["int x;", "int y;"])

    def test_lines_that_the_previous_stage_lacks_are_new(self) -> None:
        self.assertEqual(new_lines(["a", "b", "c"], ["a", "x", "c", "y"]), 2)
        self.assertEqual(new_lines(["a", "b"], ["a"]), 0)

    def test_the_first_stage_has_no_previous_stage(self) -> None:
        self.write("01_one.cu", "a", "b")
        self.write("02_two.cu", "a", "c")
        self.assertEqual(self.new_lines_of("02_two", "01_one"), {"01_one": 0, "02_two": 1})

    def test_the_first_stage_after_the_stages_of_another_chapter(self) -> None:
        self.write("01_one.cu", '#include "other.h"', '#include "own.h"', "a", "c")
        self.write("own.h", "h2", "h3")
        other = self.folder.parent / "ch0_b"
        other.mkdir()
        (other / "01_b.cu").write_text('#include "other.h"\na\n', encoding="utf-8")
        (other / "other.h").write_text("h1\nh2\n", encoding="utf-8")
        (step,) = steps(self.folder, ["01_one"], set(), [other / "01_b.cu"])
        self.assertEqual(step.new_lines, 3)  # the #include of own.h, c, and h3

    def test_a_header_belongs_to_the_stage_that_first_includes_it(self) -> None:
        self.write("own.h", "h1", "h2", "a")
        self.write("01_one.cu", "a")
        self.write("02_two.cu", '#include "own.h"', "a")
        self.write("03_three.cu", '#include "own.h"', "a", "b")
        # Line a of the header is not new: stage 01 has it.
        self.assertEqual(self.new_lines_of("01_one", "02_two", "03_three"), {"01_one": 0, "02_two": 3, "03_three": 1})

    def test_a_variant_is_compared_with_the_stage_of_its_number(self) -> None:
        self.write("01_one.cu", "a", "b")
        self.write("01b_other.cu", "a", "x")
        self.write("02_two.cu", "a", "b", "c")
        self.assertEqual(self.new_lines_of("01_one", "01b_other", "02_two"), {"01_one": 0, "01b_other": 1, "02_two": 1})

    def test_limits_are_those_of_the_path(self) -> None:
        for path, lines, new, is_over in (
            ("core", 80, 40, False),
            ("core", 81, 0, True),
            ("core", 60, 41, True),
            ("advanced", 180, 80, False),
            ("advanced", 181, 0, True),
            ("advanced", 100, 81, True),
        ):
            with self.subTest(path=path, lines=lines, new=new):
                self.assertEqual(Step("ch1_a", "01_one", path, lines, new).is_over, is_over)


if __name__ == "__main__":
    unittest.main()
