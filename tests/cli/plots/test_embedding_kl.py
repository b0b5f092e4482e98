"""plots/embedding_kl.py: reading a file, and the errors for invalid files."""

from __future__ import annotations

from pathlib import Path

from support import FolderTest

from embedding_kl import History, HistoryError, read_history


class ReadHistory(FolderTest):
    def read(self, text: str) -> History:
        file = self.folder / "digits_map_kl.csv"
        file.write_text(text, encoding="utf-8")
        return read_history(file)

    def test_reads_the_file_of_a_program(self) -> None:
        self.assertEqual(self.read("iteration,kl\n10,2.5\n20,0.75\n"), History("digits_map_kl", [10, 20], [2.5, 0.75]))
        self.assertEqual(self.read("iteration,kl\n"), History("digits_map_kl", [], []))

    def test_the_message_names_a_wrong_or_missing_file(self) -> None:
        for text in ("", "x,y\n1,2\n", "iteration,kl\n1\n", "iteration,kl\nten,1\n"):
            with self.assertRaisesRegex(HistoryError, "digits_map_kl.csv has no divergences"):
                self.read(text)
        with self.assertRaisesRegex(HistoryError, "nowhere.csv cannot be read"):
            read_history(Path("nowhere.csv"))
