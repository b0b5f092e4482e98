"""Grades one folder of answers: grade.py FOLDER RESULTS.json. What is asked is in grading.json, beside this file."""

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
    if not results.is_file():  # the student reads this, the teacher what the command has printed
        words = "Your answer could not be graded, which is no fault of yours. Please tell your teacher."
        results.write_text(json.dumps({"score": 0, "output": words, "stdout_visibility": "hidden"}), encoding="utf-8")
    return code


def grade(folder: Path, results: Path) -> int:
    try:
        asked = json.loads((HERE / "grading.json").read_text(encoding="utf-8"))
        command = [str(WORKBOOK / "workbook"), "grade", str(folder), *asked["exercises"], *asked["options"]]
    except (OSError, ValueError, KeyError) as error:
        print(f"grading.json is not as it was exported ({error}). Export it and upload it again.", file=sys.stderr)
        return 1
    command += ["--platform", "gradescope", "--result", str(results), "--contained"]
    if (HERE / "hidden.csv").is_file():
        command += ["--hidden", str(HERE / "hidden.csv")]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
