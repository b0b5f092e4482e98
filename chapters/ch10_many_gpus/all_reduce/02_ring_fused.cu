// All-reduce, step 02: a fused ring: the kernel that adds also fetches
//
// In all_reduce/01_ring.cu a chunk is copied into a GPU's memory; then a kernel reads it, adds to
// it and writes the sums. With peer access the kernel that adds can read the previous GPU's chunk
// over the link: each element is added as it arrives, and written once.
//
// Cost: the same number of bytes over the links as in all_reduce/01_ring.cu; 2 (G - 1) waits and no
// copies. The kernel needs peer access. Next: all_reduce/03_one_shot.cu.

#include "all_reduce/all_reduce.h"
#include "peer_access.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

constexpr int kThreads = 512;
constexpr std::size_t kMaxBlocks = 1024;

// Computes sum = peer + own, or copies peer if own is null. peer is in another GPU's memory.
__global__ void add_peers_kernel(const float* peer, const float* own, float* sum,
                                 std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < size; i += stride) {
    sum[i] = own ? peer[i] + own[i] : peer[i];
  }
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size, const std::vector<void*>&) {
  require_peer_access(gpus, "ch10_many_gpus_all_reduce_ring");
  const std::size_t count = gpus.size();
  const std::size_t steps = count - 1;  // per phase
  wait_for_each_other(gpus);            // no GPU still uses the arrays

  for (std::size_t step = 0; step < 2 * steps; ++step) {
    const bool reduces = step < steps;
    for (std::size_t g = 0; g < count; ++g) {
      const std::size_t before = (g + count - 1) % count;
      // Each step moves a chunk one GPU forward. So in the next step each GPU fetches the chunk
      // with the previous number. In a ring, one step back equals count - 1 steps forward.
      const std::size_t chunk = (before + (count - 1) * step) % count;
      const std::size_t begin = share_begin(size, count, chunk);
      const std::size_t chunk_size = share_begin(size, count, chunk + 1) - begin;
      if (chunk_size == 0) continue;
      const float* const d_from = step == 0 ? d_in[before] : d_out[before];
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      const std::size_t blocks = std::min(ceil_div(chunk_size, std::size_t{kThreads}), kMaxBlocks);
      add_peers_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, gpus[g].stream>>>(
          d_from + begin, reduces ? d_in[g] + begin : nullptr, d_out[g] + begin, chunk_size);
      CUDA_CHECK(cudaGetLastError());
    }
    wait_for_each_other(gpus);  // the chunks for the next step are there
  }
  if (count == 1) {  // no steps: the sum is the array itself
    CUDA_CHECK(cudaMemcpyAsync(d_out[0], d_in[0], size * sizeof(float), cudaMemcpyDeviceToDevice,
                               gpus[0].stream));
  }
}
