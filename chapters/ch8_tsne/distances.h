#pragma once

#include "points.h"

#include <cuda_runtime.h>

#include <cstddef>

// distances[pair_index(i, j, count)] = the sum over k of (x(i, k) - x(j, k))^2, for all i < j.
// These are the pair_count(count) entries above the diagonal of the distance matrix, row after row.
// With no dimensions every distance is 0; with fewer than two vectors there is none.
//
// `distances` is in device memory, aligned as cudaMalloc aligns, and overlaps nothing else.
// `workspace` has workspace_bytes() of device memory, aligned likewise, with any content; it may be
// null if that is 0. Calls that may run at the same time need one each. Returns once the work is
// queued on `stream`. Throws std::invalid_argument for sizes that points.h rules out, or for
// vectors that are too long for a stage that keeps whole ones (04b), and CudaError if the work
// cannot be launched.
//
// Every stage of this chapter defines the three functions here; each program links exactly one
// stage.
void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream = nullptr);
std::size_t workspace_bytes(int count, int dimensions);

// What an error is measured by.
enum class Scale {
  kDistance,      // the exact distance: small ones are as accurate as large ones
  kCentredNorms,  // |x_i|^2 + |x_j|^2, once the mean of all vectors, as floats, is taken off each
  kNorms,         // |x_i|^2 + |x_j|^2
};

// How far a distance may be from the exact one, relative to the scale: what the stage's arithmetic
// rounds by at most, for vectors of that many dimensions. Holds where nothing overflows, and where
// no square is so small that a float loses digits of it.
struct ErrorBound {
  double largest;
  Scale relative_to;
};
ErrorBound error_bound(int dimensions);
