"""Grades one folder of answers: grade.py FOLDER RESULTS.json. The exercises are in grading.json, next to this file."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKBOOK = HERE.parent / "workbook"


def main() -> int:
    folder, results = Path(sys.argv[1]), Path(sys.argv[2])
    results.unlink(missing_ok=True)
    code = grade(folder, results)
    if not results.is_file():  # the student reads this text, the teacher the output of the command
        words = "Your answer could not be graded. This is not your fault. Please tell your teacher."
        results.write_text(json.dumps({"score": 0, "output": words, "stdout_visibility": "hidden"}), encoding="utf-8")
    return code


def grade(folder: Path, results: Path) -> int:
    try:
        asked = json.loads((HERE / "grading.json").read_text(encoding="utf-8"))
        command = [str(WORKBOOK / "workbook"), "grade", str(folder), *asked["exercises"], *asked["options"]]
    except (OSError, ValueError, KeyError) as error:
        print(f"grading.json has changed since its export ({error}). Export it and upload it again.", file=sys.stderr)
        return 1
    command += ["--platform", "gradescope", "--result", str(results), "--contained"]
    for option in ("hidden", "weights"):
        table = HERE / f"{option}.csv"
        command += [f"--{option}", str(table)] if table.is_file() else []
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
