// Stage 02: multiply instead of powf
//
// powf() works for any exponent. For the exponent 2 a multiplication computes the square in one
// instruction, and the compiler fuses it with the addition.
//
// Cost: a subtraction and a multiply-add per component of a pair, instead of about 80 instructions.
// The loads are those of stage 01, and now the warps wait for these loads, because one of the two
// touches 32 sectors. Next: 03_shared.cu.

#include "distances.h"
#include "pair_index.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kThreads = 256;  // std::size_t: pair numbers can exceed 2^32

__global__ void distances_multiply_kernel(const float* __restrict__ vectors, std::size_t count,
                                          std::size_t dimensions, float* __restrict__ distances) {
  const std::size_t index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= pair_count(count)) return;
  const Pair pair = pair_at(index, count);
  const std::size_t i = pair.i, j = pair.j;

  float sum = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const float difference = vectors[i * dimensions + k] - vectors[j * dimensions + k];
    sum += difference * difference;
  }
  distances[index] = sum;
}

void squared_distances(const Points& points, float* distances, void* /*workspace*/,
                       cudaStream_t stream) {
  require_row_major(points);
  const std::size_t count = points.count, dimensions = points.dimensions;
  if (count < 2) return;  // a grid has at least one block
  const dim3 grid(ceil_div(pair_count(count), kThreads));
  distances_multiply_kernel<<<grid, kThreads, 0, stream>>>(points.data, count, dimensions,
                                                           distances);
  CUDA_CHECK(cudaGetLastError());
}
