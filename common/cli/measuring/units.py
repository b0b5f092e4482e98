"""The units of the rates that programs print. It is the only such list in Python: the plots also read it."""

from __future__ import annotations

# The keys are columns of the CSV tables, as in RateUnit (common/harness/measurement.h and the chapters' programs). The
# column of a ceiling has the ceiling's name before it (copy_gb_per_s).
RATE_UNITS = {"gb_per_s": "GB/s", "tflop_per_s": "TFLOP/s", "gentries_per_s": "Gentry/s", "gpairs_per_s": "Gpair/s"}
