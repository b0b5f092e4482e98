#pragma once

#include <cuda_runtime.h>

// Computes the share of each neighbour of a point, for `rows` points, from the squared distances:
//
//   share(i, k) = exp(-b_i d(i, k)) / sum over k of exp(-b_i d(i, k))
//
// with the precision b_i at which the entropy of its shares, the sum of -share log(share), is
// within 1e-5 of log(perplexity). If more neighbours than the perplexity are at the smallest
// distance, no precision has such a low entropy: then these have equal shares, the others 0, and
// the precision is infinite.
//
// d_distances and d_shares are rows x neighbours, row by row, d_precisions has `rows` elements; all
// are in device memory. Distances are finite and not negative. neighbours is from 1 to
// kMaxNeighbours; perplexity is at least 1 and below neighbours, or 1 if there is only one. Returns
// when the work is queued on `stream`; throws CudaError if it cannot be launched.
void find_shares(const float* d_distances, float* d_shares, float* d_precisions, int rows,
                 int neighbours, float perplexity, cudaStream_t stream = nullptr);

constexpr int kMaxNeighbours = 512;
