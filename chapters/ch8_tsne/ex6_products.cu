// Exercise 6: distances that cannot be (20 minutes)
// Bug hunt
//
// Distances of all pairs, i >= j too, from norms and products. A first kernel copies the vectors
// into rows, so that all later loads have 16 bytes; a second kernel computes the norms. Three lines
// are wrong. For some numbers of dimensions the loads are not aligned. The distance of two equal
// vectors is not 0. And some distances are negative.
//
// TODO: find the three lines, and fix them.
//
// Goal: no negative distance; exactly 0 for two equal vectors; NaN for the pairs of a vector with a
// NaN, and only for them; 16 bytes per load.
// Check:   ./workbook check ch8_ex6
// Look:    ./workbook inspect ch8_ex6 -- --n 20 --d 6
//
// Predict first: the norms and the product of two equal vectors are the same sum. Why can the
// distance differ from 0? Which of fmaxf(x, 0) and x < 0 ? 0 : x keeps a NaN?

#include "full_matrix.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr std::size_t kGroup = 4;  // floats of a load of 16 bytes
constexpr std::size_t kSide = 16;  // threads of a block in each direction
constexpr std::size_t kThreads = 256;

// The number of floats from the start of a row in the workspace to the next row.
__host__ __device__ constexpr std::size_t row_floats(std::size_t dimensions) {
  return dimensions + dimensions % kGroup;
}

__device__ float4 load_group(const float* from) { return *reinterpret_cast<const float4*>(from); }

// sum + a b, with four roundings.
__device__ float add_products(float sum, float4 a, float4 b) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

// Copies the vectors into rows of row_floats(), with zeros after the last component.
__global__ void rows_kernel(const float* __restrict__ vectors, std::size_t count,
                            std::size_t dimensions, float* __restrict__ rows) {
  const std::size_t at = blockIdx.x * kThreads + threadIdx.x, width = row_floats(dimensions);
  if (at >= count * width) return;
  const std::size_t i = at / width, k = at % width;
  rows[at] = k < dimensions ? vectors[i * dimensions + k] : 0;
}

__global__ void norms_kernel(const float* __restrict__ rows, std::size_t count,
                             std::size_t dimensions, float* __restrict__ norms) {
  const std::size_t i = blockIdx.x * kThreads + threadIdx.x, width = row_floats(dimensions);
  if (i >= count) return;
  float norm = 0;
  for (std::size_t k = 0; k < dimensions; k += kGroup) {
    const float4 x = load_group(rows + i * width + k);
    norm += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  norms[i] = norm;
}

__global__ void full_matrix_kernel(const float* __restrict__ rows, const float* __restrict__ norms,
                                   std::size_t count, std::size_t dimensions,
                                   float* __restrict__ distances) {
  const std::size_t i = blockIdx.y * kSide + threadIdx.y, j = blockIdx.x * kSide + threadIdx.x;
  if (i >= count || j >= count) return;
  const std::size_t width = row_floats(dimensions);
  float product = 0;
  for (std::size_t k = 0; k < dimensions; k += kGroup) {
    product =
        add_products(product, load_group(rows + i * width + k), load_group(rows + j * width + k));
  }
  const float distance = fmaf(-2.0f, product, norms[i] + norms[j]);
  distances[i * count + j] = distance;
}

void full_matrix(const float* d_vectors, float* d_distances, void* d_workspace, std::size_t count,
                 std::size_t dimensions, cudaStream_t stream) {
  if (count == 0) return;  // a grid has at least one block
  float* const rows = static_cast<float*>(d_workspace);
  float* const norms = rows + count * row_floats(dimensions);
  if (dimensions > 0) {
    const dim3 row_blocks(ceil_div(count * row_floats(dimensions), kThreads));
    rows_kernel<<<row_blocks, kThreads, 0, stream>>>(d_vectors, count, dimensions, rows);
    CUDA_CHECK(cudaGetLastError());
  }
  norms_kernel<<<ceil_div(count, kThreads), kThreads, 0, stream>>>(rows, count, dimensions, norms);
  CUDA_CHECK(cudaGetLastError());
  const dim3 grid(ceil_div(count, kSide), ceil_div(count, kSide)), block(kSide, kSide);
  full_matrix_kernel<<<grid, block, 0, stream>>>(rows, norms, count, dimensions, d_distances);
  CUDA_CHECK(cudaGetLastError());
}

std::size_t full_matrix_workspace(std::size_t count, std::size_t dimensions) {
  return (count * row_floats(dimensions) + count) * sizeof(float);
}
