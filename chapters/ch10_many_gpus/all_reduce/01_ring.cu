// All-reduce, step 01: a ring
//
// Each GPU has an array, and all need the sum of these arrays. The arrays are cut into as many
// chunks as there are GPUs, and the GPUs form a ring: each one sends only to the next one.
//
// Reduce-scatter: in each step a GPU sends the chunk that it has just computed, and adds its own
// elements to the chunk that arrives. After G - 1 steps each GPU has one chunk that is the sum of
// all: the result, scattered. All-gather: in G - 1 more steps the finished chunks travel around the
// ring, and each GPU keeps a copy.
//
// Cost: 2 (G - 1) steps with 1/G of the array each, so 2 (G - 1) / G of the array cross each link,
// less than twice the array for any G; all links are always busy. For a small array the cost is
// 2 (G - 1) copies and waits, one at a time. Next: all_reduce/02_ring_fused.cu.

#include "all_reduce/all_reduce.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

constexpr int kThreads = 512;
constexpr std::size_t kMaxBlocks = 1024;

__global__ void add_kernel(float* sum, const float* own, std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < size; i += stride) {
    sum[i] += own[i];
  }
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size, const std::vector<void*>&) {
  const std::size_t count = gpus.size();
  const std::size_t steps = count - 1;  // per half
  wait_for_each_other(gpus);            // no GPU still uses the arrays

  for (std::size_t step = 0; step < 2 * steps; ++step) {
    const bool reduces = step < steps;
    // A chunk moves to the next GPU in each step, so each GPU sends the previous chunk in the next
    // step. In a ring, one back is count - 1 forward.
    const auto chunk_of = [&](std::size_t sender) { return (sender + (count - 1) * step) % count; };
    const auto begin_of = [&](std::size_t chunk) { return share_begin(size, count, chunk); };
    for (std::size_t g = 0; g < count; ++g) {
      const std::size_t next = (g + 1) % count, begin = begin_of(chunk_of(g));
      const std::size_t bytes = (begin_of(chunk_of(g) + 1) - begin) * sizeof(float);
      const float* const d_from = step == 0 ? d_in[g] : d_out[g];
      CUDA_CHECK(cudaMemcpyPeerAsync(d_out[next] + begin, gpus[next].device, d_from + begin,
                                     gpus[g].device, bytes, gpus[g].stream));
    }
    wait_for_each_other(gpus);  // all chunks have arrived
    for (std::size_t g = 0; reduces && g < count; ++g) {
      const std::size_t chunk = chunk_of((g + count - 1) % count), begin = begin_of(chunk);
      const std::size_t chunk_size = begin_of(chunk + 1) - begin;
      if (chunk_size == 0) continue;
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      const std::size_t blocks = std::min(ceil_div(chunk_size, std::size_t{kThreads}), kMaxBlocks);
      add_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, gpus[g].stream>>>(
          d_out[g] + begin, d_in[g] + begin, chunk_size);
      CUDA_CHECK(cudaGetLastError());
    }
  }
  if (count == 1) {  // no step: the sum is the array
    CUDA_CHECK(cudaMemcpyAsync(d_out[0], d_in[0], size * sizeof(float), cudaMemcpyDeviceToDevice,
                               gpus[0].stream));
  }
}
