"""The results of all mutants, kept in a file, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import astuple
from pathlib import Path

from cli.running import limited_run
from cli.tracing import traced_run
from cli.verdicts import googletest
from mutate import trial
from mutate.trial import CpuTimes, Fate, Result


class Results:
    """Lines of JSON, one per mutant; the key is its text and everything else that its result depends on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._known: dict[str, Result] = {}
        modules = (trial, limited_run, googletest, traced_run)
        self._rules = b"".join(Path(module.__file__ or "").read_bytes() for module in modules)
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else []:
            try:
                entry = json.loads(line)
                cpu = CpuTimes(*entry["cpu_s"])
                self._known[entry["key"]] = Result(Fate(entry["fate"]), entry["detail"], cpu, entry["code"])
            except (ValueError, KeyError, TypeError):
                continue  # the run was interrupted within this line

    def key(self, fingerprint: str, text: str) -> str:
        return hashlib.sha256(self._rules + fingerprint.encode() + text.encode()).hexdigest()

    def get(self, key: str) -> Result | None:
        return self._known.get(key)

    def put(self, key: str, result: Result) -> None:
        entry = {
            "key": key,
            "fate": result.fate.value,
            "detail": result.detail,
            "cpu_s": astuple(result.cpu),
            "code": result.code,
        }
        with self._lock:
            self._known[key] = result
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
