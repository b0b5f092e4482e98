#!/bin/bash
# Gradescope runs this once, as root, when the grader's image is made. What submissions have in common is built here.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends g++ cmake make ninja-build python3 libgtest-dev
mkdir -p /autograder/workbook
tar -xzf /autograder/source/workbook.tar.gz -C /autograder/workbook
if [ -f /autograder/source/hidden.csv ]; then
  chmod 600 /autograder/source/hidden.csv
fi
# Nobody's answer: all parts are built, and the reference answers are tried with the hidden cases.
mkdir -p /tmp/nobody
python3 /autograder/source/grade.py /tmp/nobody /tmp/nobody.json
rm -rf /tmp/nobody /tmp/nobody.json
