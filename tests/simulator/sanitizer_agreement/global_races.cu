#include "measured_cases.h"

#include <cuda_runtime.h>

#include <utility>
#include <vector>

// Races in global memory: between the blocks of a launch, and within a block.

namespace {

constexpr int kBlocks = 4, kThreads = 64;

__device__ int global_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <bool kRight>
__global__ void global_histogram(const int* in, int* out) {
  int* const bin = &out[in[global_index()]];
  if (kRight) {
    atomicAdd(bin, 1);
  } else {
    *bin += 1;  // finds: race
  }
}

template <bool kRight>
__global__ void total_of_blocks(const int* in, int* out) {
  const int sum = __syncthreads_count(in[global_index()] > 3);
  if (threadIdx.x != 0) return;
  if (kRight) {
    atomicAdd(out, sum);
  } else {
    *out += sum;  // finds: race
  }
}

template <bool kRight>
__global__ void positions(const int* in,
                          int* out) {  // collects the large elements, after their number
  if (in[global_index()] < 5) return;
  const int position = kRight ? atomicAdd(out, 1) : out[0]++;  // finds: race
  out[1 + position] = global_index();
}

template <bool kRight>
__global__ void same_flag(const int* in, int* out) {
  if (in[global_index()] != 6) return;
  if (kRight) {
    atomicExch(out, 1);
  } else {
    *out = 1;  // finds: race
  }
}

template <bool kRight>
__global__ void stencil_in_place(const int* in, int* out) {
  const int i = global_index(), next = (i + 1) % static_cast<int>(gridDim.x * blockDim.x);
  const int* const from = kRight ? in : out;
  out[i] = from[i] + from[next];  // finds: race
}

template <bool kRight>
__global__ void overlapping_blocks(const int* in, int* out) {
  // wrong: blocks are 32 elements apart, not 64
  const unsigned first = blockIdx.x * (kRight ? blockDim.x : 32);
  out[first + threadIdx.x] = in[first + threadIdx.x];  // finds: race
}

template <bool kRight>
__global__ void scratch_of_a_block(const int* in, int* out) {
  int* const scratch = out + blockIdx.x * blockDim.x;
  scratch[threadIdx.x] = in[global_index()];  // finds: race store by 32
  if (kRight) __syncthreads();
  const int other = scratch[blockDim.x - 1 - threadIdx.x];  // finds: race load by 31
  __syncthreads();
  scratch[threadIdx.x] = other;
}

template <bool kRight>
__global__ void last_block_kernel(int* partial, unsigned* count, int* out) {
  __shared__ bool is_last;
  // finds in last_block_without_fence: race store by 0, 384 times
  partial[global_index()] = global_index();
  if (kRight) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks * kThreads; i += kThreads)
    sum += partial[i];  // finds in last_block_without_fence: race load by 0 of block 3
  out[threadIdx.x] = sum;
}

void last_block_without_fence(const Buffers&, bool right) {
  DeviceBuffer<int> d_partial = zeros<int>(kBlocks * kThreads), d_out = zeros<int>(kThreads);
  DeviceBuffer<unsigned> d_count = zeros<unsigned>(1);
  const auto kernel = right ? last_block_kernel<true> : last_block_kernel<false>;
  for (int round = 0; round < 2; ++round)  // the counter is 0 again
    kernel<<<kBlocks, kThreads>>>(d_partial.data(), d_count.data(), d_out.data());
}

// Thread 0 executes the fence, after the barrier: it orders the stores of the block. A volatile
// load is correct here.
template <bool kRight>
__global__ void fence_before_barrier(volatile int* partial, unsigned* count, int* out) {
  __shared__ bool is_last;
  partial[global_index()] = 1;  // finds: race, 189 times
  if (!kRight && threadIdx.x == 0) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (kRight) __threadfence();
    is_last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks * kThreads; i += kThreads)
    sum += partial[i];  // finds: race
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *count = 0;
}

constexpr unsigned kLastTicket =
    kBlocks;  // instead of a block number: the block that gets the last ticket

template <unsigned kResetBy>
__global__ void reset_kernel(unsigned* count, int* out) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) {
    ticket = atomicAdd(count, 1u);  // finds in reset_by_first_block: race
    const bool resets = kResetBy == kLastTicket ? ticket == gridDim.x - 1 : blockIdx.x == kResetBy;
    // finds in reset_by_last_index: missed
    if (resets) *count = 0;  // finds in reset_by_first_block: race
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = ticket < gridDim.x;
}

enum class Fence { none, block, device };

// Block 1 waits for block 0, which does not wait. __threadfence_block() is a fence only for the
// threads of one block.
template <Fence kFence>
__global__ void flag_kernel(int* value, unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // finds in flag_without_fence, fence_of_a_block: race
    if (kFence == Fence::block) __threadfence_block();
    if (kFence == Fence::device) __threadfence();
    atomicExch(flag, 1u);
  } else {
    while (atomicAdd(flag, 0u) == 0) {
    }
    __threadfence();
    *out = *value;  // finds in flag_without_fence, fence_of_a_block: race
  }
}

// PTX treats a volatile access as a relaxed atomic one: with the fences it is a legal flag.
template <bool kRight>
__global__ void volatile_flag(int* value, volatile unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // finds: race
    if (kRight) __threadfence();
    *flag = 1;  // finds: race store by 0
  } else {
    while (*flag == 0) {  // finds: race load by 0 of block 1
    }
    __threadfence();
    *out = *value;  // finds: race
  }
}

template <bool kRight>
__global__ void lock_given_back_plainly(unsigned* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {  // finds: race
  }
  __threadfence();
  *total += 1;  // finds: race
  __threadfence();
  if (kRight) {
    atomicExch(lock, 0u);
  } else {
    *lock = 0;  // finds: race
  }
}

template <bool kRight>
__global__ void maximum(const int* in, int* out) {
  const int mine = in[global_index()];
  int seen = *out, guess = mine;          // finds: race
  while (mine > seen && seen != guess) {  // right: the first guess can have any value
    guess = seen;
    if (kRight) {
      seen = atomicCAS(out, guess, mine);
    } else {
      *out = mine;  // finds: race
    }
  }
}

template <bool kRight>
__global__ void plain_read_of_a_counter(const int* in, int* out) {
  if (in[global_index()] > 3) atomicAdd(out, 1);       // finds: race
  const int seen = kRight ? atomicAdd(out, 0) : *out;  // finds: race
  if (global_index() > 0) out[global_index()] = seen >= 0;
}

// Each warp fills its part and reads it; nothing is shared with another warp.
template <bool kRight>
__global__ void scratch_of_a_warp(const int* in, int* out) {
  out[global_index()] = in[global_index()];  // finds: race
  if (kRight) __syncwarp();
  const int other = out[global_index() ^ 1];  // finds: race
  __syncwarp();
  out[global_index()] = other;
}

}  // namespace

MarkedFile global_race_cases() {
  std::vector<MarkedCase> cases = {
      {"global_histogram", "counts without an atomic function",
       pair(global_histogram<true>, global_histogram<false>, kBlocks, kThreads)},
      {"total_of_blocks", "each block adds to a total without an atomic function",
       pair(total_of_blocks<true>, total_of_blocks<false>, kBlocks, kThreads)},
      {"positions", "takes positions in a list without an atomic function",
       pair(positions<true>, positions<false>, kBlocks, kThreads), "", 2},
      {"same_flag", "blocks store the same value",
       pair(same_flag<true>, same_flag<false>, kBlocks, kThreads)},
      {"stencil_in_place", "stores elements that other blocks read",
       pair(stencil_in_place<true>, stencil_in_place<false>, kBlocks, kThreads)},
      {"overlapping_blocks", "blocks store parts that overlap",
       pair(overlapping_blocks<true>, overlapping_blocks<false>, kBlocks, kThreads)},
      {"scratch_of_a_block", "threads of a block exchange values without a barrier",
       pair(scratch_of_a_block<true>, scratch_of_a_block<false>, kBlocks, kThreads),
       "two threads of the same block access the same element"},
      {"scratch_of_a_warp", "lanes of a warp exchange values without __syncwarp()",
       pair(scratch_of_a_warp<true>, scratch_of_a_warp<false>, kBlocks, kThreads),
       "No __syncwarp() or __syncthreads() separates"},
      {"last_block_without_fence", "the last block adds the partial sums without __threadfence()",
       last_block_without_fence,
       "add the missing __threadfence() between its store and its atomic function"},
      {"fence_before_barrier", "one thread's fence, before the barrier: it covers only that thread",
       pair(fence_before_barrier<true>, fence_before_barrier<false>, kBlocks, kThreads)},
      {"reset_by_first_block", "the first block sets a counter to 0 while others still count",
       pair(reset_kernel<kLastTicket>, reset_kernel<0>, kBlocks, kThreads)},
      {"reset_by_last_index",
       "the block with the last index sets a counter to 0: it does not always run last",
       pair(reset_kernel<kLastTicket>, reset_kernel<kBlocks - 1>, kBlocks, kThreads)},
      {"flag_without_fence", "waits for another block's flag without __threadfence()",
       pair(flag_kernel<Fence::device>, flag_kernel<Fence::none>, 2, 1)},
      {"fence_of_a_block", "waits for another block's flag, __threadfence_block() before it",
       pair(flag_kernel<Fence::device>, flag_kernel<Fence::block>, 2, 1)},
      {"volatile_flag", "waits for a volatile flag of another block without __threadfence()",
       pair(volatile_flag<true>, volatile_flag<false>, 2, 1), "__threadfence()", 2},
      {"lock_given_back_plainly", "releases a lock with a plain store",
       pair(lock_given_back_plainly<true>, lock_given_back_plainly<false>, kBlocks, kThreads), "",
       3},
      {"maximum", "compares and stores in two steps",
       pair(maximum<true>, maximum<false>, kBlocks, kThreads), "", 2},
      {"plain_read_of_a_counter", "reads a counter while other blocks add to it",
       pair(plain_read_of_a_counter<true>, plain_read_of_a_counter<false>, kBlocks, kThreads)},
  };
  return {__FILE__, std::move(cases), "races in global memory"};
}
