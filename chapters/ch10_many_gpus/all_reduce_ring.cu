// A ring all-reduce, by hand
//
// Each GPU has an array, and all want the sum of them. The arrays are cut into as many chunks as
// there are GPUs, and the GPUs stand in a ring: each takes from the one before it and from no
// other.
//
// Reduce-scatter: in each step a GPU takes the chunk that its neighbour has just added up, and adds
// its own. After G - 1 steps each GPU has one chunk that all have added to: the result, scattered.
// All-gather: for G - 1 more steps the finished chunks go round, and each GPU keeps a copy.
//
// Cost: 2 (G - 1) steps of a G-th of the array, so 2 (G - 1) / G of the array cross each link,
// however many GPUs there are; all links are busy all the time. For a small array it is 2 (G - 1)
// waits, one after the other: see all_reduce_one_shot.cu.

#include "all_reduce.h"

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
  const std::size_t steps = count - 1;  // of each half
  std::vector<GpuEvent> ready;          // of each GPU: what it has done up to the last step
  for (const Gpu& gpu : gpus) {
    ready.emplace_back(gpu);
    CUDA_CHECK(cudaEventRecord(ready.back().get(), gpu.stream));
  }

  for (std::size_t step = 0; step < 2 * steps; ++step) {
    const bool reduces = step < steps;
    for (std::size_t g = 0; g < count; ++g) {
      const std::size_t before = (g + count - 1) % count;
      // A chunk moves on by one GPU a step: so GPU g takes another chunk in each.
      const std::size_t chunk = (g + 2 * count - 1 - step) % count;
      const std::size_t begin = share_begin(size, count, chunk);
      const std::size_t chunk_size = share_begin(size, count, chunk + 1) - begin;
      if (chunk_size == 0) continue;
      const float* const d_from = step == 0 ? d_in[before] : d_out[before];
      CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, ready[before].get()));
      CUDA_CHECK(cudaMemcpyPeerAsync(d_out[g] + begin, gpus[g].device, d_from + begin,
                                     gpus[before].device, chunk_size * sizeof(float),
                                     gpus[g].stream));
      if (!reduces) continue;
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      const auto blocks = std::min((chunk_size + kThreads - 1) / kThreads, kMaxBlocks);
      add_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, gpus[g].stream>>>(
          d_out[g] + begin, d_in[g] + begin, chunk_size);
      CUDA_CHECK(cudaGetLastError());
    }
    // After all waits for the step before, or GPU 1 would wait for this step of GPU 0.
    for (std::size_t g = 0; g < count; ++g) {
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      CUDA_CHECK(cudaEventRecord(ready[g].get(), gpus[g].stream));
    }
  }

  if (count == 1 && size > 0) {
    CUDA_CHECK(cudaMemcpyAsync(d_out[0], d_in[0], size * sizeof(float), cudaMemcpyDeviceToDevice,
                               gpus[0].stream));
  }
  for (std::size_t g = 0; g < count; ++g) {  // its neighbour has read all of its chunks
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, ready[(g + 1) % count].get()));
  }
}
