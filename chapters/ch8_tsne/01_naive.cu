// Stage 01: naive
//
// One thread per pair: thread t computes distance t. It computes the indices of its two vectors
// from t, then accumulates the squared differences, with powf() for the square as in the formula.
//
// Cost: two loads per component of a pair, although the input has only count * dimensions numbers.
// The threads of a warp share vector i and read consecutive vectors j. So one load of the warp
// reads addresses that are a whole vector apart: 32 sectors for 32 numbers. powf() works for any
// exponent and takes about 80 instructions. Next: 02_multiply.cu.

#include "distances.h"
#include "pair_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;  // std::size_t: pair numbers can exceed 2^32

__global__ void distances_naive_kernel(const float* __restrict__ vectors, std::size_t count,
                                       std::size_t dimensions, float* __restrict__ distances) {
  const std::size_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= pair_count(count)) return;
  const Pair pair = pair_at(index, count);
  const std::size_t i = pair.i, j = pair.j;

  float sum = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const float difference = vectors[i * dimensions + k] - vectors[j * dimensions + k];
    sum += powf(difference, 2);
  }
  distances[index] = sum;
}

void squared_distances(const Points& points, float* distances, void* /*workspace*/,
                       cudaStream_t stream) {
  require_row_major(points);
  const std::size_t count = points.count, dimensions = points.dimensions;
  if (count < 2) return;  // a grid has at least one block
  const dim3 grid(ceil_div(pair_count(count), kThreads));
  distances_naive_kernel<<<grid, kThreads, 0, stream>>>(points.data, count, dimensions, distances);
  CUDA_CHECK(cudaGetLastError());
}
