// Project: one step of k-means (2 hours)
//
// Find the nearest centre of each point, then the mean of the points of each centre. k_means.h has
// the exact rules and the function to define. Everything below the includes is yours: constants,
// kernels and launches.
//
// Goal: correct for every n and k, clusters without points and n = 0 too. For 65,536 points and 64
// centres: at least 16,384 threads, and at most 8192 global load requests (4 per 32 points), with 4
// sectors each. The blocks add their sums with at most 1536 global atomic requests; one atomicAdd
// per point for each of the three sums would be 6144.
// Check:   ./workbook check project_k_means
// Look:    ./workbook inspect project_k_means
//
// Start with the simplest kernels that are correct, with one thread per point.
// chapters/projects/README.md suggests the steps after that.

#include "k_means.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
