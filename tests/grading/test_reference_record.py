"""Changes after which a reference answer that has passed is tried again."""

from __future__ import annotations

from unittest import mock

from support import FolderTest

from grading.reference_record import ReferenceCosts, ReferenceRecord

COSTS = ReferenceCosts(0.5, (8.0, None))


class ReferenceRecordTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.tests = self.put("tests", "program")

    def record(self, words: str = "seed 7") -> ReferenceRecord:
        tree = mock.Mock(folder=self.folder / "build")
        return ReferenceRecord(tree, "ch3_ex2", ([self.tests, self.folder / "absent"], words))

    def test_an_answer_that_has_passed_is_recorded(self) -> None:
        self.assertIsNone(self.record().costs())
        self.record().write(COSTS)
        self.assertEqual(self.record().costs(), COSTS)

    def test_a_different_file_or_setting_needs_a_new_trial(self) -> None:
        self.record().write(COSTS)
        self.assertIsNone(self.record("seed 8").costs())
        self.tests.write_text("another program")
        self.assertIsNone(self.record().costs())
        self.tests.write_text("program")
        (self.folder / "absent").write_text("")
        self.assertIsNone(self.record().costs())

    def test_a_record_that_cannot_be_read_is_ignored(self) -> None:
        self.record().write(COSTS)
        (file,) = (path for path in (self.folder / "build").rglob("*") if path.is_file())
        for text in ("", "[]", "{}", file.read_text()[:20]):
            file.write_text(text)
            self.assertIsNone(self.record().costs())
