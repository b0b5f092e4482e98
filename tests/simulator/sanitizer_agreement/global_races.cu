#include "cases.h"

#include <cuda_runtime.h>

#include <vector>

// Races in global memory: between the blocks of a launch, and within a block.

namespace {

constexpr int kBlocks = 4, kThreads = 64;

__device__ int global_index() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <InOutKernel kKernel>
void run_grid() {
  run_kernel(kKernel, kBlocks, kThreads);
}

template <bool kRight>
__global__ void histogram(const int* in, int* out) {
  int* const bin = &out[in[global_index()]];
  if (kRight) {
    atomicAdd(bin, 1);
  } else {
    *bin += 1;  // wrong in global_histogram: race
  }
}

template <bool kRight>
__global__ void total_of_blocks(const int* in, int* out) {
  const int sum = __syncthreads_count(in[global_index()] > 3);
  if (threadIdx.x != 0) return;
  if (kRight) {
    atomicAdd(out, sum);
  } else {
    *out += sum;  // wrong in total_of_blocks: race
  }
}

template <bool kRight>
__global__ void positions(const int* in,
                          int* out) {  // collects the large elements, after their number
  if (in[global_index()] < 5) return;
  const int position = kRight ? atomicAdd(out, 1) : out[0]++;  // wrong in positions: race
  out[1 + position] = global_index();
}

template <bool kRight>
__global__ void found_flag(const int* in, int* out) {
  if (in[global_index()] != 6) return;
  if (kRight) {
    atomicExch(out, 1);
  } else {
    *out = 1;  // wrong in same_flag: race
  }
}

template <bool kRight>
__global__ void smooth(const int* in, int* out) {
  const int i = global_index(), next = (i + 1) % static_cast<int>(gridDim.x * blockDim.x);
  const int* const from = kRight ? in : out;
  out[i] = from[i] + from[next];  // wrong in stencil_in_place: race
}

template <bool kRight>
__global__ void overlapping_blocks(const int* in, int* out) {
  // wrong: blocks are 32 elements apart, not 64
  const unsigned first = blockIdx.x * (kRight ? blockDim.x : 32);
  out[first + threadIdx.x] = in[first + threadIdx.x];  // wrong in overlapping_blocks: race
}

template <bool kRight>
__global__ void scratch_of_a_block(const int* in, int* out) {
  int* const scratch = out + blockIdx.x * blockDim.x;
  scratch[threadIdx.x] = in[global_index()];  // wrong in scratch_of_a_block: race
  if (kRight) __syncthreads();
  const int other = scratch[blockDim.x - 1 - threadIdx.x];  // wrong in scratch_of_a_block: race
  __syncthreads();
  scratch[threadIdx.x] = other;
}

// Memory for the last block: `partial`, one element per thread, a counter, an output.
struct Scratch {
  DeviceBuffer<int> partial = zeros<int>(kBlocks * kThreads);
  DeviceBuffer<unsigned> count = zeros<unsigned>(1);
  DeviceBuffer<int> out = zeros<int>(kThreads);
};

template <bool kRight>
__global__ void last_block_kernel(int* partial, unsigned* count, int* out) {
  __shared__ bool is_last;
  partial[global_index()] = global_index();  // wrong in last_block_without_fence: race
  if (kRight) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks * kThreads; i += kThreads)
    sum += partial[i];  // wrong in last_block_without_fence: race
  out[threadIdx.x] = sum;
}

template <bool kRight>
void last_block_without_fence() {
  Scratch d;
  for (int launch = 0; launch < 2; ++launch) {  // the counter is 0 again
    last_block_kernel<kRight>
        <<<kBlocks, kThreads>>>(d.partial.data(), d.count.data(), d.out.data());
    finish_kernel();
  }
}

// Thread 0 executes the fence, after the barrier: it orders the stores of the block. A volatile
// load is correct here.
template <bool kRight>
__global__ void fence_of_one_kernel(volatile int* partial, unsigned* count, int* out) {
  __shared__ bool is_last;
  partial[global_index()] = 1;  // wrong in fence_before_barrier: race
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
    sum += partial[i];  // wrong in fence_before_barrier: race
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *count = 0;
}

template <bool kRight>
void fence_before_barrier() {
  Scratch d;
  fence_of_one_kernel<kRight>
      <<<kBlocks, kThreads>>>(d.partial.data(), d.count.data(), d.out.data());
  finish_kernel();
}

constexpr unsigned kLastTicket =
    kBlocks;  // instead of a block number: the block that gets the last ticket

template <unsigned kResetBy>
__global__ void reset_kernel(unsigned* count, int* out) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) {
    ticket = atomicAdd(count, 1u);  // wrong in reset_by_first_block: race
    const bool resets = kResetBy == kLastTicket ? ticket == gridDim.x - 1 : blockIdx.x == kResetBy;
    // wrong in reset_by_last_index: missed
    if (resets) *count = 0;  // wrong in reset_by_first_block: race
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = ticket < gridDim.x;
}

template <unsigned kResetBy>
void reset() {
  Scratch d;
  reset_kernel<kResetBy><<<kBlocks, kThreads>>>(d.count.data(), d.out.data());
  finish_kernel();
}

// Block 1 waits for block 0, which does not wait.
template <bool kRight>
__global__ void flag_kernel(int* value, unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // wrong in flag_without_fence: race
    if (kRight) __threadfence();
    atomicExch(flag, 1u);
  } else {
    while (atomicAdd(flag, 0u) == 0) {
    }
    __threadfence();
    *out = *value;  // wrong in flag_without_fence: race
  }
}

template <bool kRight>
void flag_without_fence() {
  Scratch d;
  flag_kernel<kRight><<<2, 1>>>(d.partial.data(), d.count.data(), d.out.data());
  finish_kernel();
}

// __threadfence_block() is a fence only for the threads of one block.
template <bool kRight>
__global__ void fence_of_a_block_kernel(int* value, unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // wrong in fence_of_a_block: race
    if (kRight) {
      __threadfence();
    } else {
      __threadfence_block();
    }
    atomicExch(flag, 1u);
  } else {
    while (atomicAdd(flag, 0u) == 0) {
    }
    __threadfence();
    *out = *value;  // wrong in fence_of_a_block: race
  }
}

template <bool kRight>
void fence_of_a_block() {
  Scratch d;
  fence_of_a_block_kernel<kRight><<<2, 1>>>(d.partial.data(), d.count.data(), d.out.data());
  finish_kernel();
}

// PTX treats a volatile access as a relaxed atomic one: with the fences it is a legal flag.
template <bool kRight>
__global__ void volatile_flag_kernel(int* value, volatile unsigned* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // wrong in volatile_flag: race
    if (kRight) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {  // wrong in volatile_flag: race
    }
    __threadfence();
    *out = *value;  // wrong in volatile_flag: race
  }
}

template <bool kRight>
void volatile_flag() {
  Scratch d;
  volatile_flag_kernel<kRight><<<2, 1>>>(d.partial.data(), d.count.data(), d.out.data());
  finish_kernel();
}

template <bool kRight>
__global__ void lock_kernel(unsigned* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {
  }
  __threadfence();
  *total += 1;  // wrong in lock_given_back_plainly: race
  __threadfence();
  if (kRight) {
    atomicExch(lock, 0u);
  } else {
    *lock = 0;  // wrong in lock_given_back_plainly: race
  }
}

template <bool kRight>
void lock_given_back_plainly() {
  Scratch d;
  lock_kernel<kRight><<<kBlocks, kThreads>>>(d.count.data(), d.out.data());
  finish_kernel();
}

template <bool kRight>
__global__ void maximum(const int* in, int* out) {
  const int mine = in[global_index()];
  int seen = *out, guess = mine;          // wrong in maximum: race
  while (mine > seen && seen != guess) {  // right: the first guess can have any value
    guess = seen;
    if (kRight) {
      seen = atomicCAS(out, guess, mine);
    } else {
      *out = mine;  // wrong in maximum: race
    }
  }
}

template <bool kRight>
__global__ void plain_read_of_a_counter(const int* in, int* out) {
  if (in[global_index()] > 3) atomicAdd(out, 1);       // wrong in plain_read_of_a_counter: race
  const int seen = kRight ? atomicAdd(out, 0) : *out;  // wrong in plain_read_of_a_counter: race
  if (global_index() > 0) out[global_index()] = seen >= 0;
}

// Each warp fills its part and reads it; nothing is shared with another warp.
template <bool kRight>
__global__ void scratch_of_a_warp(const int* in, int* out) {
  out[global_index()] = in[global_index()];  // wrong in scratch_of_a_warp: race
  if (kRight) __syncwarp();
  const int other = out[global_index() ^ 1];  // wrong in scratch_of_a_warp: race
  __syncwarp();
  out[global_index()] = other;
}

}  // namespace

std::vector<Pair> global_race_pairs() {
  return {
      {"global_histogram", "counts without an atomic function", run_grid<histogram<true>>,
       run_grid<histogram<false>>},
      {"total_of_blocks", "each block adds to a total without an atomic function",
       run_grid<total_of_blocks<true>>, run_grid<total_of_blocks<false>>},
      {"positions", "takes positions in a list without an atomic function",
       run_grid<positions<true>>, run_grid<positions<false>>},
      {"same_flag", "blocks store the same value", run_grid<found_flag<true>>,
       run_grid<found_flag<false>>},
      {"stencil_in_place", "stores elements that other blocks read", run_grid<smooth<true>>,
       run_grid<smooth<false>>},
      {"overlapping_blocks", "blocks store parts that overlap", run_grid<overlapping_blocks<true>>,
       run_grid<overlapping_blocks<false>>},
      {"scratch_of_a_block", "threads of a block exchange values without a barrier",
       run_grid<scratch_of_a_block<true>>, run_grid<scratch_of_a_block<false>>},
      {"scratch_of_a_warp", "lanes of a warp exchange values without __syncwarp()",
       run_grid<scratch_of_a_warp<true>>, run_grid<scratch_of_a_warp<false>>},
      {"last_block_without_fence", "the last block adds the partial sums without __threadfence()",
       last_block_without_fence<true>, last_block_without_fence<false>},
      {"fence_before_barrier", "one thread's fence, before the barrier: it covers only that thread",
       fence_before_barrier<true>, fence_before_barrier<false>},
      {"reset_by_first_block", "the first block sets a counter to 0 while others still count",
       reset<kLastTicket>, reset<0>},
      {"reset_by_last_index",
       "the block with the last index sets a counter to 0: it does not always run last",
       reset<kLastTicket>, reset<kBlocks - 1>},
      {"flag_without_fence", "waits for another block's flag without __threadfence()",
       flag_without_fence<true>, flag_without_fence<false>},
      {"fence_of_a_block", "waits for another block's flag, __threadfence_block() before it",
       fence_of_a_block<true>, fence_of_a_block<false>},
      {"volatile_flag", "waits for a volatile flag of another block without __threadfence()",
       volatile_flag<true>, volatile_flag<false>},
      {"lock_given_back_plainly", "releases a lock with a plain store",
       lock_given_back_plainly<true>, lock_given_back_plainly<false>},
      {"maximum", "compares and stores in two steps", run_grid<maximum<true>>,
       run_grid<maximum<false>>},
      {"plain_read_of_a_counter", "reads a counter while other blocks add to it",
       run_grid<plain_read_of_a_counter<true>>, run_grid<plain_read_of_a_counter<false>>},
  };
}
