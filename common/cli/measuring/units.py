"""The units in which programs give rates. This is the one list of them in Python: the plots read it too."""

from __future__ import annotations

# By the column of the CSV tables, as RateUnit in common/harness/measurement.h and in chapters' programs; a ceiling's
# column has its name before it (copy_gb_per_s).
RATE_UNITS = {"gb_per_s": "GB/s", "tflop_per_s": "TFLOP/s", "gentries_per_s": "Gentry/s", "gpairs_per_s": "Gpair/s"}
