"""The learner's headers that a file includes, and rewritten copies of those with CUDA syntax."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cuda_source import Source, includes, read, write
from cuda_to_cpp import needs_rewriting, rewrite
from definitions import defined_here

_ROOT = Path(__file__).resolve().parents[3]
_CHAPTERS = "chapters/"  # the beginning of the name of another chapter's header, relative to the workbook's root


class Headers:
    """The learner's headers that a file includes, and rewritten copies of those that need it."""

    def __init__(self, output: Path, folders: list[Path], definitions: Mapping[str, str] = {}) -> None:
        """output: the copies are stored next to it. folders: searched for headers, after the includer's folder.
        definitions: new values of constants.
        """
        self._output = output
        self._folders = folders
        self._definitions = definitions
        self._copies: dict[Path, Path] = {}
        self._sources: dict[Path, Source] = {}

    @property
    def read(self) -> list[Path]:
        """Every header that was found."""
        return list(self._sources)

    def replacement(self, includer: Path, header: str, is_moved: bool = False) -> Path | None:
        """Returns the file to include instead of `header`: its copy; or the header's full path, if the includer is
        moved or only the includer's folder has it. Otherwise None.

        Raises RewriteError for a header that cannot be rewritten.
        """
        file = self._find(includer, header)
        if file is None:
            return None
        if any(self._needs_rewriting(self._source(reached)) for reached in self._reached_from(file)):
            return self._copy(file)
        return file if is_moved or not self._is_in_folders(header) else None

    def reached_from(self, file: Path, source: Source) -> list[Source]:
        """`source`, the text of `file`, and every header of the learner's that it includes, directly or not."""
        found = [self._find(file, include["header"]) for include in includes(source)]
        headers = dict.fromkeys(each for one in found if one for each in self._reached_from(one))
        return [source, *map(self._source, headers)]

    def _needs_rewriting(self, header: Source) -> bool:
        return needs_rewriting(header) or bool(defined_here(header, self._definitions))

    def _find(self, includer: Path, header: str) -> Path | None:
        roots = [_ROOT] if header.startswith(_CHAPTERS) else []
        for folder in (includer.parent, *self._folders, *roots):
            if (folder / header).is_file():
                return (folder / header).resolve()
        return None

    def _is_in_folders(self, header: str) -> bool:
        return any((folder / header).is_file() for folder in (*self._folders, _ROOT))

    def _source(self, file: Path) -> Source:
        if file not in self._sources:
            self._sources[file] = Source(read(file), str(file))
        return self._sources[file]

    def _reached_from(self, file: Path) -> list[Path]:
        reached = [file]
        for one in reached:  # the list grows during the loop
            for include in includes(self._source(one)):
                found = self._find(one, include["header"])
                if found and found not in reached:
                    reached.append(found)
        return reached

    def _copy(self, file: Path) -> Path:
        if file not in self._copies:
            # The copies have no folder of their own, because the sandbox removes folders after each command.
            copy = self._output.with_name(f"{self._output.name}.{len(self._copies)}_{file.name}")
            self._copies[file] = copy  # before the text is rewritten, because headers may include each other
            replace = lambda header: self.replacement(file, header, True)  # noqa: E731
            write(copy, rewrite(self._source(file).text, str(file), replace, self._definitions))
        return self._copies[file]
