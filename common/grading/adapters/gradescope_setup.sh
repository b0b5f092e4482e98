#!/bin/bash
# Gradescope runs this once, as root, when it builds the grader's image: installs the tools, and builds the parts common
# to all submissions. It works on Ubuntu 22.04, which is Gradescope's default, and newer, and on Debian 12 and newer.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
autograder=${AUTOGRADER:-/autograder}
programs=${PROGRAMS:-/usr/local/bin}
least_gxx=12     # for the simulator
least_cmake=3.22

is_older() {  # VERSION OTHER
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}
cmake_version() {
  cmake --version | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p'
}

apt-get update
apt-get install -y --no-install-recommends g++ cmake make ninja-build python3 libgtest-dev

gxx=$(g++ -dumpfullversion)
if is_older "$gxx" "$least_gxx"; then
  echo "g++ here is $gxx, and the simulator needs $least_gxx or newer. Installing g++-$least_gxx next to it."
  if ! apt-get install -y --no-install-recommends "g++-$least_gxx"; then
    echo "This image has no g++-$least_gxx. Choose an image with Ubuntu 22.04 or Debian 12, or newer." >&2
    exit 1
  fi
fi

if is_older "$(cmake_version)" "$least_cmake"; then
  echo "CMake here is $(cmake_version), and the workbook needs $least_cmake or newer. Installing a newer one from PyPI."
  apt-get install -y --no-install-recommends python3-venv ca-certificates
  python3 -m venv "$autograder/newer_cmake"
  "$autograder/newer_cmake/bin/pip" install --quiet "cmake>=$least_cmake,<4"
  ln -sf "$autograder/newer_cmake/bin/cmake" "$programs/cmake"
  hash -r
  if is_older "$(cmake_version)" "$least_cmake"; then
    echo "CMake is still $(cmake_version): $(command -v cmake) comes before $programs in PATH. Remove it." >&2
    exit 1
  fi
fi

mkdir -p "$autograder/workbook"
tar -xzf "$autograder/source/workbook.tar.gz" -C "$autograder/workbook"
if [ -f "$autograder/source/hidden.csv" ]; then
  chmod 600 "$autograder/source/hidden.csv"
fi
# An empty folder of answers: all parts are built, and the reference answers are tried with the hidden cases.
no_answers=$(mktemp -d)
python3 "$autograder/source/grade.py" "$no_answers" "$no_answers.json"
rm -rf "$no_answers" "$no_answers.json"
