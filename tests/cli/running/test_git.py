"""The messages if git is missing or fails."""

from __future__ import annotations

import os
from unittest import mock

from support import FolderTest

from cli.errors import WorkbookError
from cli.running.git import git_output


class GitTest(FolderTest):
    def ask(self) -> bytes:
        return git_output(self.folder, ["ls-files"], "git knows the files", "git does not tell: {said}")

    def test_without_git(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            with self.assertRaisesRegex(WorkbookError, "git knows the files, and git cannot be started .No such file"):
                self.ask()

    def test_with_a_git_that_fails(self) -> None:
        (self.folder / "git").write_text("#!/bin/sh\necho 'fatal: {not} a repository' >&2\nexit 128\n")
        (self.folder / "git").chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            with self.assertRaisesRegex(WorkbookError, "git does not tell: fatal: {not} a repository"):
                self.ask()
