#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// What one GPU has of a matrix and of the matrix's transpose, in its own memory: some neighbouring
// rows of each, row after row, aligned as cudaMalloc aligns. No two arrays overlap.
struct Slab {
  const float* d_in;  // its rows of `in`
  float* d_out;       // its rows of `out`
  float* d_packed;    // room for as many floats as d_in has
  float* d_received;  // and as many as d_out
};

// out(c, r) = in(r, c): `in` has rows x cols floats, `out` cols x rows. slabs[g] is in the memory
// of gpus[g]: rows share_begin(rows, gpus.size(), g) to that of g + 1 of `in`, and the same of
// `out`'s cols rows.
//
// There are 1 to kMostGpus GPUs, each another one; rows and cols are each from 1 to kMaxExtent, and
// a GPU may have none. The work begins once what stands in the GPUs' streams is done; what is
// queued in gpus[g].stream afterwards finds its rows of `out` there, and may change its rows of
// `in`. Returns once the work is queued; throws CudaError if it cannot be queued.
void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols);

constexpr int kMaxExtent = 2147483647 - 1024;

// Some neighbours of `count` rows: those of share g.
struct RowRange {
  std::size_t begin, size;
};
inline RowRange rows_of(int count, std::size_t gpus, std::size_t g) {
  const auto rows = static_cast<std::size_t>(count);
  const std::size_t begin = share_begin(rows, gpus, g);
  return {begin, share_begin(rows, gpus, g + 1) - begin};
}
