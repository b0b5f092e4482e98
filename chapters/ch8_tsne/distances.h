#pragma once

#include "pair_index.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>

enum class Layout {
  kRowMajor,    // vector after vector
  kTransposed,  // component after component
};

// The address, the number and the length of vectors of floats: `count` vectors of `dimensions`
// floats in device memory, aligned as cudaMalloc aligns. It does not own the memory.
struct Points {
  const float* data;
  int count, dimensions;
  Layout layout;
};

// distances[pair_index(i, j, count)] = the sum over k of (x(i, k) - x(j, k))^2, for all i < j.
// These are the pair_count(count) entries above the diagonal of the distance matrix, row after row.
// With no dimensions every distance is 0; with fewer than two vectors there are no distances.
//
// `distances` is in device memory, aligned as cudaMalloc aligns, and overlaps nothing else.
// `workspace` has workspace_bytes() of device memory, aligned likewise, with any content; it can be
// null if that is 0. Calls that run at the same time need different workspaces. Returns once the
// work is queued on `stream`. Throws std::invalid_argument for vectors that require_valid()
// refuses, for a layout that the stage does not support, and for vectors that are too long for a
// stage that keeps whole vectors (04b); CudaError if the work cannot be launched.
//
// Every stage of this chapter defines this function; each program links exactly one stage.
void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream = nullptr);

// A stage without a workspace does not define this function: that of tsne.cpp returns 0.
std::size_t workspace_bytes(int count, int dimensions);

// 16 million: the sum of that many floats has no reliable digit left.
constexpr int kMaxDimensions = 1 << 24;

// Throws std::invalid_argument if the stages do not support the sizes.
inline void require_valid(const Points& points) {
  if (points.count < 0 || points.count > kMaxCount || points.dimensions < 0 ||
      points.dimensions > kMaxDimensions) {
    throw std::invalid_argument(std::to_string(points.count) + " vectors of " +
                                std::to_string(points.dimensions) +
                                " dimensions: stages support 0 to " + std::to_string(kMaxCount) +
                                " vectors of 0 to " + std::to_string(kMaxDimensions) + ".");
  }
}

// Also throws std::invalid_argument if the vectors are not row-major, for the core stages.
inline void require_row_major(const Points& points) {
  require_valid(points);
  if (points.layout != Layout::kRowMajor) {
    throw std::invalid_argument(
        "this program takes row-major vectors only (--layout 1). Stage 04b_whole_vectors and the "
        "stages after it also take transposed vectors (--layout 2).");
  }
}
