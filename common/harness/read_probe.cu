// The ceiling: a kernel that only reads
//
// 16 bytes per load, four loads in flight per thread, and a cache hint that the bytes are not used
// again. It computes only an exclusive or of the words. The compiler must keep the loads, because a
// thread would store its result if it were one certain 32-bit number. Only the data determines that
// it is not.
//
// Cost: the fewest bytes, in the fewest requests. If the result is that number, 4 bytes more.

#include "common/harness/read_probe.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>

constexpr std::size_t kThreads = 512;
constexpr int kVectorsPerThread = 4;  // 64 bytes in flight per thread
constexpr std::size_t kTileVectors = kThreads * kVectorsPerThread;
constexpr std::size_t kMaxBlocks = 4096;
constexpr unsigned kUnlikely = 0x9e3779b9;

__global__ void read_probe_kernel(const double* __restrict__ in, std::size_t size,
                                  unsigned* unused) {
  const uint4* const vectors = reinterpret_cast<const uint4*>(in);
  const std::size_t vector_count = size / 2;

  unsigned bits = 0;
  for (std::size_t tile = blockIdx.x * kTileVectors; tile < vector_count;
       tile += gridDim.x * kTileVectors) {
    uint4 vector[kVectorsPerThread] = {};
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      const std::size_t i = tile + k * kThreads + threadIdx.x;
      if (i < vector_count) vector[k] = __ldcs(vectors + i);
    }
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) {
      bits ^= vector[k].x ^ vector[k].y ^ vector[k].z ^ vector[k].w;
    }
  }
  if (size % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) {
    bits ^= __double2hiint(in[size - 1]);
  }
  if (bits == kUnlikely) *unused = bits;
}

void read_probe(const double* d_in, std::size_t size, void* d_unused, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(ceil_div(size / 2, kTileVectors), 1, kMaxBlocks));
  read_probe_kernel<<<blocks, kThreads, 0, stream>>>(d_in, size, static_cast<unsigned*>(d_unused));
  CUDA_CHECK(cudaGetLastError());
}
