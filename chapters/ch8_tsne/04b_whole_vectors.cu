// Stage 04b: whole vectors in shared memory
//
// A published kernel's method to avoid bank conflicts, with its bugs fixed. A block loads two
// subsets of 16 vectors, as in stage 04, but all components at once: 32 whole vectors. Shared
// memory and global memory hold the vectors component after component. So a warp loads 32
// consecutive floats and stores them in 32 consecutive words, without a permutation. A first kernel
// transposes row-major vectors. 32 vectors have 496 pairs, at most one per thread of 512. Many
// blocks load a subset. Only the block that also loads the next subset computes the pairs inside
// it; for the last subset, the block that also loads the previous one.
//
// Cost: 128 bytes of shared memory per component, 38,400 for 300, and two loads per component of a
// pair, as in stage 04. In nearly all blocks, 1/4 of the warps and 1/3 of the lanes of the other
// warps have no pair.

#include "distances.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/harness/format.h"

constexpr int kSubset = 16;            // vectors
constexpr int kVectors = 2 * kSubset;  // per block: a warp wide
constexpr int kPairs = static_cast<int>(pair_count(kVectors));
constexpr int kThreads = 512;  // whole warps for 496 pairs
constexpr int kTile = 32;      // vectors and components of a tile that is transposed

__global__ void turn_kernel(const float* __restrict__ data, int count, int dimensions,
                            float* __restrict__ transposed) {
  __shared__ float tile[kTile][kTile + 1];  // one wider, against bank conflicts

  const int tiles_across = ceil_div(dimensions, kTile);
  const int first_k = blockIdx.x % tiles_across * kTile;
  const int first_vector = blockIdx.x / tiles_across * kTile;
  for (int v = threadIdx.y; v < kTile; v += blockDim.y) {
    const int vector = first_vector + v, k = first_k + threadIdx.x;
    if (vector < count && k < dimensions) {
      tile[v][threadIdx.x] = data[static_cast<std::size_t>(vector) * dimensions + k];
    }
  }

  __syncthreads();  // below, a thread reads what other threads wrote

  for (int p = threadIdx.y; p < kTile; p += blockDim.y) {
    const int vector = first_vector + threadIdx.x, k = first_k + p;
    if (vector < count && k < dimensions) {
      transposed[static_cast<std::size_t>(k) * count + vector] = tile[threadIdx.x][p];
    }
  }
}

// The vectors are stored component after component. Their number is subsets * kSubset; those past
// the last vector are unused zeros.
__global__ void __launch_bounds__(kThreads)
    distances_whole_vectors_kernel(const float* __restrict__ data, int count, int dimensions,
                                   int subsets, float* __restrict__ distances) {
  extern __shared__ float vectors[];  // dimensions x kVectors

  const auto [subset_i, subset_j] = pair_at(blockIdx.x, subsets);
  const int first_i = subset_i * kSubset, first_j = subset_j * kSubset;

  const int lane = threadIdx.x % kVectors;
  const int vector = lane < kSubset ? first_i + lane : first_j + (lane - kSubset);
  for (int k = threadIdx.x / kVectors; k < dimensions; k += kThreads / kVectors) {
    vectors[k * kVectors + lane] =
        vector < count ? data[static_cast<std::size_t>(k) * count + vector] : 0;
  }

  __syncthreads();  // below, a thread reads what other threads wrote

  if (threadIdx.x >= kPairs) return;
  const auto [a, b] = pair_at(threadIdx.x, kVectors);
  // The pairs inside subset i are those with b < kSubset, those inside j have a >= kSubset.
  const bool is_next = subset_j == subset_i + 1, is_last = is_next && subset_j == subsets - 1;
  const int first_b = is_next ? 0 : kSubset, end_a = is_last ? kVectors : kSubset;
  if (b < first_b || a >= end_a) return;

  float sum = 0;
  for (int k = 0; k < dimensions; ++k) {
    const float difference = vectors[k * kVectors + a] - vectors[k * kVectors + b];
    sum += difference * difference;
  }
  const int i = a < kSubset ? first_i + a : first_j + (a - kSubset);
  const int j = b < kSubset ? first_i + b : first_j + (b - kSubset);
  if (j < count) distances[pair_index(i, j, count)] = sum;
}

// The bytes of shared memory. Throws std::invalid_argument if a block cannot have so many bytes.
static int shared_bytes(int dimensions) {
  constexpr int kBytesEach = kVectors * sizeof(float);
  int device = 0, most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (dimensions > most / kBytesEach) {
    throw std::invalid_argument(format(
        "Vectors of %d dimensions: %d whole vectors take %lld bytes of shared memory, and a block "
        "can have %d, enough for %d dimensions. Stage 04 has no such limit.",
        dimensions, kVectors, 1LL * dimensions * kBytesEach, most, most / kBytesEach));
  }
  return dimensions * kBytesEach;
}

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  require_valid(points);
  const auto [data, count, dimensions, layout] = points;
  const int bytes = shared_bytes(dimensions);
  if (count < 2) return;  // a grid has at least one block

  const float* transposed = data;
  if (layout == Layout::kRowMajor && dimensions > 0) {
    const dim3 grid(ceil_div(count, kTile) * ceil_div(dimensions, kTile));
    turn_kernel<<<grid, dim3(kTile, 8), 0, stream>>>(data, count, dimensions,
                                                     static_cast<float*>(workspace));
    CUDA_CHECK(cudaGetLastError());
    transposed = static_cast<const float*>(workspace);
  }
  // A second subset is required, even if it holds only zeros.
  const int subsets = count > kSubset ? ceil_div(count, kSubset) : 2;
  CUDA_CHECK(cudaFuncSetAttribute(distances_whole_vectors_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  distances_whole_vectors_kernel<<<static_cast<unsigned>(pair_count(subsets)), kThreads, bytes,
                                   stream>>>(transposed, count, dimensions, subsets, distances);
  CUDA_CHECK(cudaGetLastError());
}

// Memory for transposed vectors; empty if the caller's vectors are transposed already.
std::size_t workspace_bytes(int count, int dimensions) {
  return static_cast<std::size_t>(count) * dimensions * sizeof(float);
}
