// Exercise 3: once too often (15 minutes)
// Bug hunt
//
// The ring all-reduce with a bug. The result is correct on one GPU.
//
// TODO: find the bug and fix it (1 line). Draw three GPUs and three chunks on paper. Which GPU adds
// which chunk in which step?
//
// Goal: correct sums on 2, 3 and 4 GPUs.
// Check:   ./workbook check ch10_ex3
//
// Predict first: how many elements are wrong on each of two GPUs, and by how much?

#include "all_reduce/all_reduce.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

constexpr int kThreads = 512;

__global__ void add_kernel(float* sum, const float* own, std::size_t size) {
  const std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (i < size) sum[i] += own[i];
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size, const std::vector<void*>&) {
  const std::size_t count = gpus.size();
  const std::size_t steps = count - 1;  // per phase
  wait_for_each_other(gpus);            // no GPU still uses the arrays

  for (std::size_t step = 0; step < 2 * steps; ++step) {
    const bool reduces = step <= steps;
    // Each step moves a chunk one GPU forward. So in the next step each GPU sends the chunk with
    // the previous number. In a ring, one step back equals count - 1 steps forward.
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
      const std::size_t blocks = ceil_div(chunk_size, std::size_t{kThreads});
      add_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, gpus[g].stream>>>(
          d_out[g] + begin, d_in[g] + begin, chunk_size);
      CUDA_CHECK(cudaGetLastError());
    }
  }
  if (count == 1) {  // no steps: the sum is the array itself
    CUDA_CHECK(cudaMemcpyAsync(d_out[0], d_in[0], size * sizeof(float), cudaMemcpyDeviceToDevice,
                               gpus[0].stream));
  }
}
