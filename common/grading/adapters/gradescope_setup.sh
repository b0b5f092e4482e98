#!/bin/bash
# Gradescope runs this once, as root, when it builds the grader's image: builds the parts common to all submissions.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends g++ cmake make ninja-build python3 libgtest-dev
mkdir -p /autograder/workbook
tar -xzf /autograder/source/workbook.tar.gz -C /autograder/workbook
if [ -f /autograder/source/hidden.csv ]; then
  chmod 600 /autograder/source/hidden.csv
fi
# An empty folder of answers: all parts are built, and the reference answers are tried with the hidden cases.
mkdir -p /tmp/no_answer
python3 /autograder/source/grade.py /tmp/no_answer /tmp/no_answer.json
rm -rf /tmp/no_answer /tmp/no_answer.json
