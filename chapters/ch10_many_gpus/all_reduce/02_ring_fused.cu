// All-reduce, step 02: a fused ring: the kernel that adds also sends
//
// In all_reduce/01_ring.cu a kernel adds a chunk to the chunk that has arrived, and writes the sums
// into its GPU's memory, from which a copy sends them. With peer access the kernel that adds can
// store the sums directly into the memory of the next GPU, with 16 bytes per store.
//
// The kernel could load the previous GPU's chunk over the link instead: as many bytes and waits.
// But such a ring is 8 % slower on four GPUs.
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
constexpr std::size_t kMaxBlocks = 528;  // four for each multiprocessor of an H200

__device__ float plus(float a, float b) { return a + b; }
__device__ float4 plus(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

// One step for one chunk: the sum of `received` and `own`, or the one of them that is not null, is
// stored into `next`, which is in another GPU's memory, and into `kept` unless it is null.
template <typename T>
struct Step {
  const T *received, *own;
  T *kept, *next;

  __device__ void operator()(std::size_t i) const {
    const T sum = !received ? own[i] : !own ? received[i] : plus(received[i], own[i]);
    next[i] = sum;
    if (kept) kept[i] = sum;
  }
};

__global__ void push_kernel(Step<float> step, std::size_t size) {
  const Step<float4> wide{
      reinterpret_cast<const float4*>(step.received), reinterpret_cast<const float4*>(step.own),
      reinterpret_cast<float4*>(step.kept), reinterpret_cast<float4*>(step.next)};
  const std::size_t first = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = first; i < size / 4; i += stride) wide(i);
  for (std::size_t i = size / 4 * 4 + first; i < size; i += stride) step(i);  // up to three
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size, const std::vector<void*>&) {
  require_peer_access(gpus, "ch10_many_gpus_all_reduce_ring");
  const std::size_t count = gpus.size();
  const std::size_t steps = count - 1;  // per phase
  // The start of a chunk: a multiple of four, for the stores of 16 bytes.
  const auto begin_of = [&](std::size_t chunk) {
    return chunk == count ? size : share_begin(size / 4, count, chunk) * 4;
  };
  wait_for_each_other(gpus);  // no GPU still uses the arrays

  for (std::size_t step = 0; step < 2 * steps; ++step) {
    for (std::size_t g = 0; g < count; ++g) {
      // Each step moves a chunk one GPU forward. So in the next step each GPU sends the chunk with
      // the previous number. In a ring, one step back equals count - 1 steps forward.
      const std::size_t chunk = (g + (count - 1) * step) % count, begin = begin_of(chunk);
      const std::size_t chunk_size = begin_of(chunk + 1) - begin;
      if (chunk_size == 0) continue;
      const Step<float> sums{step == 0 ? nullptr : d_out[g] + begin,
                             step <= steps ? d_in[g] + begin : nullptr,
                             step == steps ? d_out[g] + begin : nullptr,  // the sum of all GPUs
                             d_out[(g + 1) % count] + begin};
      const auto blocks = static_cast<unsigned>(
          std::clamp<std::size_t>(ceil_div(chunk_size / 4, std::size_t{kThreads}), 1, kMaxBlocks));
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      push_kernel<<<blocks, kThreads, 0, gpus[g].stream>>>(sums, chunk_size);
      CUDA_CHECK(cudaGetLastError());
    }
    wait_for_each_other(gpus);  // the chunks for the next step are there
  }
  if (count == 1) {  // no steps: the sum is the array itself
    CUDA_CHECK(cudaMemcpyAsync(d_out[0], d_in[0], size * sizeof(float), cudaMemcpyDeviceToDevice,
                               gpus[0].stream));
  }
}
