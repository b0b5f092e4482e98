// The map without a reduction
//
// Computes every term and stores it, without a sum. This is the cost of a program that first
// computes an array of terms and adds them later.
//
// Cost: 16 sectors per load and 16 per store: twice the bytes of the whole sum of stage 06, which
// keeps its terms in registers. A sum over the array would read the array once more.

#include "baselines/map.h"

#include "reduction.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr int kPairsPerThread = 4;  // 64 bytes in flight per thread
constexpr std::size_t kTilePairs = kThreads * kPairsPerThread;

__global__ void map_log_density_kernel(const double* __restrict__ in, double* __restrict__ out,
                                       std::size_t size) {
  const double2* const in_pairs = reinterpret_cast<const double2*>(in);
  double2* const out_pairs = reinterpret_cast<double2*>(out);
  const std::size_t pair_count = size / 2;
  const std::size_t tile = blockIdx.x * kTilePairs;

  double2 pair[kPairsPerThread] = {};
#pragma unroll
  for (int k = 0; k < kPairsPerThread; ++k) {
    const std::size_t i = tile + k * kThreads + threadIdx.x;
    if (i < pair_count) pair[k] = in_pairs[i];
  }
#pragma unroll
  for (int k = 0; k < kPairsPerThread; ++k) {
    const std::size_t i = tile + k * kThreads + threadIdx.x;
    if (i < pair_count) {
      out_pairs[i] = make_double2(log_density(pair[k].x), log_density(pair[k].y));
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    out[size - 1] = log_density(in[size - 1]);
  }
}

void map_log_density(const double* d_in, double* d_out, std::size_t size, cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>(std::max<std::size_t>(ceil_div(size / 2, kTilePairs), 1));
  map_log_density_kernel<<<blocks, kThreads, 0, stream>>>(d_in, d_out, size);
  CUDA_CHECK(cudaGetLastError());
}
