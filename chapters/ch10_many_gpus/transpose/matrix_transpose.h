#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// One GPU's share of a matrix and of its transpose, in its own memory: some consecutive rows of
// each, row by row, aligned as by cudaMalloc. No two arrays overlap.
struct Slab {
  const float* d_in;  // the GPU's rows of `in`
  float* d_out;       // the GPU's rows of `out`
  float* d_packed;    // room for as many floats as in d_in
  float* d_received;  // room for as many floats as in d_out
};

// Computes out(c, r) = in(r, c): `in` has rows x cols floats, `out` cols x rows. slabs[g] is in the
// memory of gpus[g]: the rows of `in` from share_begin(rows, gpus.size(), g) up to the beginning of
// share g + 1, and share g of the rows of `out`.
//
// There are 1 to kMostGpus different GPUs; rows and cols are each from 1 to kMaxExtent, and a slab
// can have no rows. The work starts when all earlier work in the GPUs' streams has completed. Work
// that is queued in gpus[g].stream afterwards finds its rows of `out`, and can change its rows of
// `in`. Returns when the work is queued; throws CudaError if it cannot be queued.
void matrix_transpose(const std::vector<Gpu>& gpus, const std::vector<Slab>& slabs, int rows,
                      int cols);

constexpr int kMaxExtent = 2147483647 - 1024;

// A contiguous range of `count` rows: share g.
struct RowRange {
  std::size_t begin, size;
};
inline RowRange rows_of(int count, std::size_t gpus, std::size_t g) {
  const auto rows = static_cast<std::size_t>(count);
  const std::size_t begin = share_begin(rows, gpus, g);
  return {begin, share_begin(rows, gpus, g + 1) - begin};
}
