"""The script that builds Gradescope's image, with programs in PATH that only say which version they have.

tests/instruments/containers/try_gradescope.py runs it in root file systems of Ubuntu and Debian.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile

from support import ROOT, FolderTest

from cli.machine.tools import MINIMUM_CMAKE, MINIMUM_GXX, as_text

SCRIPT = ROOT / "common/grading/adapters/gradescope_setup.sh"
# "python3 -m venv FOLDER" makes a pip, which makes a new CMake.
PYTHON = """if [ "$2" = venv ]; then
  mkdir -p "$3/bin"
  cat > "$3/bin/pip" <<END
#!/bin/sh
echo "pip \$*" >> {log}
printf '#!/bin/sh\\necho cmake version {newer}\\n' > $3/bin/cmake
chmod +x $3/bin/cmake
END
  chmod +x "$3/bin/pip"
fi"""


class SetupTest(FolderTest):
    def program(self, name: str, text: str) -> None:
        file = self.put(f"bin/{name}", f'#!/bin/sh\necho "{name} $*" >> {self.folder}/log\n{text}\n')
        file.chmod(0o755)

    def set_up(
        self, gxx: str, cmake: str, newer: str = "3.31.6", has_newer_gxx: bool = True
    ) -> tuple[int, str, list[str]]:
        """Runs the script; returns its exit code, its output, and the calls of apt-get, pip and grade.py."""
        self.program("apt-get", "" if has_newer_gxx else 'case "$*" in *g++-12) exit 100;; esac')
        self.program("g++", f"echo {gxx}")
        self.program("cmake", f"echo cmake version {cmake}")
        self.program("python3", PYTHON.format(log=self.folder / "log", newer=newer))
        (self.folder / "first").mkdir(exist_ok=True)
        archive = self.put("autograder/source/workbook.tar.gz")
        with tarfile.open(archive, "w:gz") as packed:
            packed.addfile(tarfile.TarInfo("workbook"), io.BytesIO())
        folder = self.folder
        environment = {
            "PATH": f"{folder}/first:{folder}/bin:{os.environ['PATH']}",
            "AUTOGRADER": f"{folder}/autograder",
            "PROGRAMS": f"{folder}/first",
        }
        command = ["bash", str(SCRIPT)]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        calls = (folder / "log").read_text().splitlines()
        calls = [call for call in calls if not re.match(r"(g\+\+|cmake) ", call)]
        return ended.returncode, ended.stdout + ended.stderr, calls

    def test_recent_tools_need_nothing_more(self) -> None:
        code, said, calls = self.set_up("12.2.0", "3.22.1")
        self.assertEqual((code, said), (0, ""))
        self.assertEqual([call.split()[:2] for call in calls[:-1]], [["apt-get", "update"], ["apt-get", "install"]])
        self.assertRegex(calls[-1], r"^python3 .*/autograder/source/grade.py ")
        self.assertTrue((self.folder / "autograder/workbook/workbook").is_file())

    def test_ubuntu_22_04_gets_a_newer_compiler(self) -> None:
        code, said, calls = self.set_up("11.4.0", "3.22.1")
        self.assertEqual(code, 0)
        words = "g++ here is 11.4.0, and the simulator needs 12 or newer. Installing g++-12 next to it.\n"
        self.assertEqual(said, words)
        self.assertIn("apt-get install -y --no-install-recommends g++-12", calls)

    def test_an_old_cmake_is_replaced_from_pypi(self) -> None:
        code, said, calls = self.set_up("12.2.0", "3.18.4")
        self.assertEqual(code, 0)
        self.assertRegex(said, "^CMake here is 3.18.4, and the workbook needs 3.22 or newer. Installing a newer one fr")
        self.assertIn("pip install --quiet cmake>=3.22,<4", calls)

    def test_an_old_cmake_that_stays_first_is_an_error(self) -> None:
        code, said, _ = self.set_up("12.2.0", "3.18.4", newer="3.18.4")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"CMake is still 3.18.4: .*/first/cmake comes before .*/first in PATH. Remove it.")

    def test_an_image_without_a_newer_compiler_is_an_error(self) -> None:
        code, said, _ = self.set_up("9.4.0", "3.22.1", has_newer_gxx=False)
        self.assertEqual(code, 1)
        self.assertIn("This image has no g++-12. Choose an image with Ubuntu 22.04 or Debian 12, or newer.", said)

    def test_the_limits_are_the_workbook_s(self) -> None:
        script = SCRIPT.read_text(encoding="utf-8")
        limits = re.findall(r"^least_\w+=(\S+)", script, re.MULTILINE)
        self.assertEqual(limits, [as_text(MINIMUM_GXX), as_text(MINIMUM_CMAKE)])
