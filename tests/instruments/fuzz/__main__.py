"""`python3 tests/instruments/fuzz`; see runner.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Replaces this folder on the path by the folders of this package, of the command and of the simulator.
sys.path[:1] = [str(ROOT / folder) for folder in ("tests/instruments", "common", "common/simulator/translate")]

from cli.terminal.console import until_reader_ends  # noqa: E402
from fuzz.runner import main  # noqa: E402

sys.exit(until_reader_ends(lambda: main(sys.argv[1:])))
