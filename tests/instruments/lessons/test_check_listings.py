import tempfile
import unittest
from pathlib import Path

import check_listings

SOURCE = "first\n  second\nthird\nfourth\n"


class CheckListings(unittest.TestCase):
    def problems(self, listing: str, name: str = "stage.cu") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "README.md"
            (page.parent / "stage.cu").write_text(SOURCE)
            page.write_text(f"Text.\n\n```cuda {name}\n{listing}```\n")
            return check_listings.problems(page)

    def test_accepts_consecutive_lines(self) -> None:
        self.assertEqual(self.problems("  second\nthird\n"), [])

    def test_accepts_omissions_in_order(self) -> None:
        self.assertEqual(self.problems("first\n...\nfourth\n"), [])

    def test_rejects_another_order(self) -> None:
        self.assertEqual(len(self.problems("third\n...\nfirst\n")), 1)

    def test_rejects_a_changed_line(self) -> None:
        (found,) = self.problems("  secand\n")
        self.assertRegex(found, r"README\.md:3: these lines are not in stage\.cu, .*\n  secand\n")

    def test_rejects_a_missing_file(self) -> None:
        self.assertIn("other.cu", self.problems("first\n", "other.cu")[0])


if __name__ == "__main__":
    unittest.main()
