// All-reduce, step 03: one shot: one kernel with two meetings
//
// Each GPU reads the arrays of all other GPUs over the links and adds them in the order of the GPU
// numbers, so the result is bitwise identical on all GPUs. A GPU must not read an array before the
// array is filled, and must not change an array while another GPU still reads it. So the kernels
// meet twice: a block signals the block with the same number on each other GPU that it has arrived,
// and waits until all these blocks have signalled.
//
// Cost: G - 1 arrays arrive at each GPU; with the ring 2 (G - 1) / G arrays arrive. For two GPUs
// both are 1. There are no steps, so small arrays cost only the launch and two meetings. The kernel
// needs peer access. All blocks of all GPUs must run at the same time, so each GPU has few blocks.
// Next: all_reduce/04_mailbox.cu.
//
// Requires: a GPU

#include "all_reduce/all_reduce.h"
#include "peer_access.h"

#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

constexpr int kThreads = 512;
constexpr unsigned kMaxBlocks = 128;  // an H200 has 132 multiprocessors: all run at once
constexpr std::size_t kBlockFloats = kThreads * 4;  // 16 bytes per thread

// The workspace of a GPU: counts the meetings of each block of each GPU.
struct Meetings {
  unsigned held[kMaxBlocks];  // the meetings of each block of this GPU
  unsigned arrived[kMostGpus][kMaxBlocks];
};
static_assert(sizeof(Meetings) <= kAllReduceWorkspaceBytes);

struct Members {
  const float* in[kMostGpus];
  Meetings* meetings[kMostGpus];
};

// Returns when this block has called meet() equally often on all GPUs.
__device__ void meet(const Members& members, unsigned own, unsigned count) {
  __syncthreads();  // all threads of this block have finished their work
  Meetings& meetings = *members.meetings[own];
  const unsigned meeting = meetings.held[blockIdx.x] + 1;
  if (threadIdx.x < count) {
    __threadfence_system();
    *static_cast<volatile unsigned*>(&members.meetings[threadIdx.x]->arrived[own][blockIdx.x]) =
        meeting;
    // A GPU that is ahead has already continued to the next meeting.
    const volatile unsigned* const arrived = &meetings.arrived[threadIdx.x][blockIdx.x];
    while (static_cast<int>(*arrived - meeting) < 0) {
    }
    __threadfence_system();
  }
  __syncthreads();
  if (threadIdx.x == 0) meetings.held[blockIdx.x] = meeting;
}

__global__ void __launch_bounds__(kThreads)
    all_reduce_one_shot_kernel(Members members, unsigned own, unsigned count, float* out,
                               std::size_t size) {
  meet(members, own, count);
  const std::size_t first = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = first; i < size / 4; i += stride) {
    float4 sum = reinterpret_cast<const float4*>(members.in[0])[i];
    for (unsigned g = 1; g < count; ++g) {
      const float4 v = reinterpret_cast<const float4*>(members.in[g])[i];
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
    reinterpret_cast<float4*>(out)[i] = sum;
  }
  for (std::size_t i = size / 4 * 4 + first; i < size; i += stride) {  // up to three
    float sum = members.in[0][i];
    for (unsigned g = 1; g < count; ++g) sum += members.in[g][i];
    out[i] = sum;
  }
  meet(members, own, count);
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size,
                const std::vector<void*>& d_workspaces) {
  require_peer_access(gpus, "ch10_many_gpus_all_reduce_ring");
  Members members{};
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    members.in[g] = d_in[g];
    members.meetings[g] = static_cast<Meetings*>(d_workspaces[g]);
  }
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(size / kBlockFloats + (size % kBlockFloats > 0), 1, kMaxBlocks));
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    all_reduce_one_shot_kernel<<<blocks, kThreads, 0, gpus[g].stream>>>(
        members, static_cast<unsigned>(g), static_cast<unsigned>(gpus.size()), d_out[g], size);
    CUDA_CHECK(cudaGetLastError());
  }
}
