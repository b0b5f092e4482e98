// Project: Monte Carlo with error bars (90 minutes)
//
// Estimate an integral from n random samples, and say how far off the estimate may be: write
// monte_carlo() as monte_carlo.h specifies it. README.md has the formulas and the chapters that
// taught them. The design is yours.
//
// Goal: the right mean and standard error for every n; no race. For 2^20 samples at least 16,384
// threads, and at most 8192 global requests of each kind (loads, stores, atomics), which is two for
// each 256 samples.
// Check:   ./workbook check project_monte_carlo
// Look:    ./workbook inspect project_monte_carlo
//
// Predict first: 2^20 threads call atomicAdd twice each. How many atomic requests are that, and
// how many are left if each block adds its values first?

#include "monte_carlo.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
