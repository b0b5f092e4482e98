"""The runs of one grading: each command in the room for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from cli.running.limited_run import Ended
from cli.running.runner import Rooms, Runner


class Runs(Rooms):
    """Builds an answer in one room, and runs its programs in others. Moves the transcript of each run of the tests out of
    the reach of the next run.
    """

    def __init__(self, build: Runner, run_sealed: Callable[..., Ended], kept: Path, hidden: dict[str, str]) -> None:
        super().__init__(build)
        self._run_sealed, self._kept, self._hidden = run_sealed, kept, hidden
        self.transcripts: list[Path] = []
        kept.mkdir()

    def count(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        """The goals are counted without hidden cases, except a hidden shape."""
        return self._run_sealed(command, folder, environment, [], [])

    def test(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        transcript = folder / "transcript"
        recording = {**environment, "WORKBOOK_TRANSCRIPT": str(transcript)}
        ended = self._run_sealed(command, folder, recording, [], [transcript])
        if not self._hidden.items() <= environment.items():  # of a run for the student's text
            transcript.unlink()
            return ended
        kept = self._kept / f"{len(self.transcripts)}"
        shutil.move(str(transcript), kept)
        kept.chmod(0o644)
        if ended.returncode in (0, 1) and not ended.stopped:  # 1: tests have failed
            self.transcripts.append(kept)
        return ended
