"""The learner's command, `./workbook`. Runs on Python 3.9 and newer with the standard library alone."""
