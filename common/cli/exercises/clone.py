"""A learner's git clone: the newest version of the repository that it comes from, and the commit that joins both."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.running.children import temporary_folder
from cli.running.git import git_output

NO_FILE = "0" * 40
_REMOTE = "upstream"  # the remote's name for a repository that the learner has named
_UNFINISHED = {
    **{"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick"},
    **{"rebase-merge": "rebase", "rebase-apply": "rebase"},
}


@dataclass(frozen=True)
class Change:
    """A file that differs between two commits: git's hashes of its contents (NO_FILE: it does not exist there)."""

    path: str
    old: str
    new: str
    mode: str  # in the second commit


class Clone:
    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, stdin: bytes | None = None, index: str = "", failure: str = "") -> str:
        """git's output. Raises WorkbookError, with `failure`, in which {said} stands for git's message."""
        need = "'./workbook update' needs git (./workbook doctor)"
        again = "Nothing of yours is lost. Run './workbook update' again."
        failure = failure or f"git {arguments[0]} failed: {{said}}\n{again}"
        environment = {"GIT_INDEX_FILE": index} if index else {}
        said = git_output(self.root, list(arguments), need, failure, stdin, environment)
        return said.decode(errors="surrogateescape")

    def says(self, *arguments: str) -> str:
        """git's output without the line's end; empty if git fails."""
        try:
            return self.git(*arguments).strip()
        except WorkbookError:
            return ""

    @property
    def is_usable(self) -> bool:
        """Whether the workbook's folder is the top of a git repository with a commit."""
        top = self.says("rev-parse", "--show-toplevel")
        return bool(top) and Path(top).resolve() == self.root.resolve() and bool(self.says("rev-parse", "HEAD"))

    def require_nothing_unfinished(self) -> None:
        for name, what in _UNFINISHED.items():
            if (self.root / self.says("rev-parse", "--git-path", name)).exists():
                raise WorkbookError(
                    f"A git {what} is unfinished in this folder. Undo it with 'git {what} --abort', and run "
                    "'./workbook update' again. (Or finish it.)"
                )

    def fetch(self, repository: str) -> str:
        """Downloads the newest version and returns the name of its branch here, such as refs/remotes/origin/main.

        repository: the address that is used from now on; empty for the one that is known.
        """
        known = self.says("remote", "get-url", _REMOTE)
        remote = _REMOTE if known or repository else self.says("config", f"branch.{self._branch}.remote") or "origin"
        if repository:
            place = os.path.abspath(repository) if os.path.isdir(repository) else repository
            self.git("remote", *(("set-url",) if known else ("add",)), _REMOTE, place)
        address = self.says("remote", "get-url", remote)
        if not address:
            raise WorkbookError(
                "git does not know the repository that this copy comes from. Name its address once: "
                "./workbook update https://..."
            )
        advice = "Nothing was changed. Check the network and the address, and run the command again."
        try:
            self.git("fetch", "--quiet", remote, failure=f"{address} cannot be reached: {{said}}\n{advice}")
        except WorkbookError:
            if repository:  # the next call must not use an address that is wrong
                self.git("remote", *(("set-url", _REMOTE, known) if known else ("remove", _REMOTE)))
            raise
        self.says("remote", "set-head", remote, "--auto")
        for name in (f"{remote}/HEAD", f"{remote}/{self._branch}", f"{remote}/main", f"{remote}/master"):
            found = self.says("rev-parse", "--symbolic-full-name", "--verify", "--quiet", name)
            if found:
                return found
        raise WorkbookError(f"{address} has no branch. Ask the teacher whether the exercises are there.")

    @property
    def _branch(self) -> str:
        return self.says("symbolic-ref", "--short", "-q", "HEAD") or "main"

    def original(self, newest: str) -> str:
        """The commit of `newest`, or of its past, from which the learner has started.

        If the teacher has replaced the history, --fork-point finds the commit that was fetched earlier. A copy of a
        template has a history of its own, which begins with the original files.
        """
        return (
            self.says("merge-base", "--fork-point", newest, "HEAD")
            or self.says("merge-base", newest, "HEAD")
            or self.git("rev-list", "--max-parents=0", "HEAD").split()[-1]
        )

    def changes(self, old: str, new: str) -> list[Change]:
        words = self.git("diff-tree", "-r", "-z", "--no-renames", old, new).split("\0")
        found = []
        for facts, path in zip(words[::2], words[1::2]):
            _, mode, before, after, _ = facts.split()
            found.append(Change(path, before, after, mode))
        return found

    def hashes(self, commit: str) -> dict[str, str]:
        """git's hashes of the files of a commit."""
        lines = self.git("ls-tree", "-r", "-z", commit).split("\0")[:-1]
        return {path: facts.split()[2] for facts, path in (line.split("\t", 1) for line in lines)}

    def content(self, blob: str) -> bytes:
        """A file's content. Raises WorkbookError if git does not have it."""
        return self.git("cat-file", "blob", blob).encode(errors="surrogateescape")

    def store(self, file: Path) -> str:
        """Adds a file's content to the repository, and returns git's hash of it."""
        return self.git("hash-object", "-w", "--", str(file)).strip()

    def join(self, newest: str, entries: Iterable[tuple[str, str, str]]) -> None:
        """Makes `newest` a part of the branch's history. entries: mode, hash and path of the files that the joined
        version has or, with NO_FILE, does not have; all others are as in the learner's last commit. Files in the folder
        do not change, so changes that are not committed stay so.
        """
        lines = "".join(f"{'0' if blob == NO_FILE else mode} {blob}\t{path}\0" for mode, blob, path in entries)
        listed = lines.encode(errors="surrogateescape")
        with temporary_folder() as folder:
            index = str(folder / "index")
            self.git("read-tree", "HEAD", index=index)
            self.git("update-index", "-z", "--index-info", stdin=listed, index=index)
            tree = self.git("write-tree", index=index).strip()
        head, joined = self.git("rev-parse", "HEAD").strip(), self.git("rev-parse", newest).strip()
        is_theirs = tree == self.git("rev-parse", f"{joined}^{{tree}}").strip()
        if not is_theirs or self.says("merge-base", head, joined) != head:
            words = ("commit-tree", tree, "-p", head, "-p", joined, "-m", "Update of the workbook")
            joined = self.git(*self._identity(), *words).strip()
        self.git("update-index", "-z", "--index-info", stdin=listed)
        self.git("update-ref", "-m", "workbook update", "HEAD", joined, head)
        self.says("update-index", "-q", "--refresh")

    def _identity(self) -> list[str]:
        if self.says("var", "GIT_COMMITTER_IDENT"):
            return []
        return ["-c", "user.name=workbook update", "-c", "user.email=workbook@localhost"]
