#include "measured_cases.h"

#include <cuda_runtime.h>

#include <utility>
#include <vector>

// Races between the threads of a block, in shared memory.

namespace {

constexpr int kThreads = 128;  // pair()'s

template <bool kRight>
__global__ void reverse(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];  // finds: race store by 64, 128 times
  if (kRight) __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // finds: race load by 63
}

template <bool kRight>
__global__ void reverse_in_place(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int mirrored = values[kThreads - 1 - threadIdx.x];  // finds: race
  if (kRight) __syncthreads();
  values[threadIdx.x] = mirrored;  // finds: race
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

template <bool kRight>
__global__ void reused_tile(const int* in, int* out) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = in[threadIdx.x] + round;  // finds: race
    __syncthreads();
    sum += tile[(threadIdx.x + 32) % kThreads];  // finds: race
    if (kRight) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

template <bool kRight>
__global__ void ping_pong(const int* in, int* out) {  // running sums
  __shared__ int sums[2][kThreads];
  sums[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int from = 0;
  for (unsigned distance = 1; distance < kThreads; distance *= 2, from = 1 - from) {
    const int other = threadIdx.x >= distance ? sums[from][threadIdx.x - distance]  // finds: race
                                              : 0;
    sums[1 - from][threadIdx.x] =  // finds: race
        sums[from][threadIdx.x] + other;
    if (kRight || distance != 8) __syncthreads();
  }
  out[threadIdx.x] = sums[from][threadIdx.x];
}

template <bool kRight>
__global__ void two_writers(const int* in, int* out) {
  __shared__ int last;
  const bool is_mine = kRight ? threadIdx.x == 100 : threadIdx.x % 100 == 0;
  if (is_mine) last = in[threadIdx.x] + 1;  // finds: race
  __syncthreads();
  out[threadIdx.x] = last;
}

template <bool kRight>
__global__ void same_value(const int* in, int* out) {
  __shared__ int any_is_large;
  if (threadIdx.x == 0) any_is_large = 0;
  __syncthreads();
  if (in[threadIdx.x] > 4) {
    if (kRight) {
      atomicOr(&any_is_large, 1);
    } else {
      any_is_large = 1;  // finds: race store by 2 and store by 4, 35 times
    }
  }
  __syncthreads();
  out[threadIdx.x] = any_is_large;
}

template <bool kRight>
__global__ void broadcast(const int* in, int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = in[0];  // finds: race
  if (kRight) __syncthreads();
  out[threadIdx.x] = first + in[threadIdx.x];  // finds: race
}

template <bool kRight>
__global__ void tree(const int* in, int* out) {
  __shared__ int sums[kThreads];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];  // finds: race
    if (kRight) __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}

// One warp computes the last steps.
template <bool kRight>
__global__ void tree_of_a_warp(const int* in, int* out) {
  __shared__ int sums[kThreads];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned stride = kThreads / 2; stride > 16; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];  // finds: race
    if (kRight) __syncwarp();
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}

// `volatile` instead of __syncwarp(), as was usual while the lanes of a warp ran in lockstep.
template <bool kRight>
__global__ void volatile_steps(const int* in, int* out) {
  __shared__ int values[32];
  volatile int* const sums = values;
  int sum = in[threadIdx.x];
  sums[threadIdx.x] = sum;  // finds: race
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    if (kRight) __syncwarp();
    if (threadIdx.x >= distance) sum += sums[threadIdx.x - distance];  // finds: race
    if (kRight) __syncwarp();
    sums[threadIdx.x] = sum;  // finds: race
  }
  out[threadIdx.x] = sum;
}

// A block of one warp, where __syncwarp() is enough.
template <bool kRight>
__global__ void one_warp(const int* in, int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = in[threadIdx.x];  // finds: race store by 1
  if (kRight) __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 1];  // finds: race load by 0
}

template <bool kRight>
__global__ void syncwarp_between_warps(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];  // finds: race
  __syncwarp();
  // wrong: the partner is in the next warp
  out[threadIdx.x] = values[threadIdx.x ^ (kRight ? 1 : 32)];  // finds: race
}

template <bool kRight>
__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  int* const bin = &bins[in[threadIdx.x]];
  if (kRight) {
    atomicAdd(bin, 1);
  } else {
    *bin += 1;  // finds: race
  }
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

template <bool kRight>
__global__ void late_reset(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  // finds: race store by 0
  if (kRight) __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);  // finds: race atomic by 2
  __syncthreads();
  out[threadIdx.x] = count;
}

template <bool kRight>
__global__ void early_result(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);  // finds: race
  if (kRight) __syncthreads();
  out[threadIdx.x] = count;  // finds: race
}

struct Extremes {
  int smallest, largest;
};

// Two warps, each of which sets its own member.
template <bool kRight>
__global__ void struct_member(const int* in, int* out) {
  __shared__ Extremes extremes;
  if (threadIdx.x == 0) extremes.smallest = in[0];  // finds: race
  if (threadIdx.x == 32) {
    if (kRight) {
      extremes.largest = in[32];
    } else {
      extremes = {in[31], in[32]};  // finds: race
    }
  }
  __syncthreads();
  out[threadIdx.x] = extremes.largest - extremes.smallest;
}

template <bool kRight>
__global__ void neighbouring_bytes(const int* in, int* out) {
  __shared__ char flags[kThreads + 1];
  flags[threadIdx.x] = static_cast<char>(in[threadIdx.x]);  // finds: race
  if (!kRight) flags[threadIdx.x + 1] = 0;                  // finds: race
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x];
}

template <bool kRight>
__global__ void halo(const int* in, int* out) {
  __shared__ int tile[kThreads + 2];
  tile[threadIdx.x + 1] = in[threadIdx.x];  // finds: race
  if (threadIdx.x == 0) tile[0] = 0;
  if (threadIdx.x == kThreads - 1) tile[kThreads + 1] = 0;
  for (int step = 0; step < 3; ++step) {
    if (kRight || step != 0) __syncthreads();
    const int sum = tile[threadIdx.x] +     // finds: race
                    tile[threadIdx.x + 2];  // finds: race
    __syncthreads();
    tile[threadIdx.x + 1] = sum;
  }
  out[threadIdx.x] = tile[threadIdx.x + 1];
}

template <bool kRight>
__global__ void dynamic_shared_used_twice(const int* in, int* out) {
  extern __shared__ int dynamic_values[];
  dynamic_values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int sum =
      dynamic_values[threadIdx.x] + dynamic_values[kThreads - 1 - threadIdx.x];  // finds: race
  if (kRight) __syncthreads();
  // The same memory, with a different type.
  short* const halves = reinterpret_cast<short*>(dynamic_values);
  halves[threadIdx.x] = static_cast<short>(sum);  // finds: race
  __syncthreads();
  out[threadIdx.x] = halves[kThreads - 1 - threadIdx.x];
}

// One warp is the producer, another warp the consumer.
template <bool kRight>
__global__ void flag_between_warps(const int* in, int* out) {
  __shared__ int value, is_ready;
  if (threadIdx.x == 0) is_ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];  // finds: race
    atomicExch(&is_ready, 1);
  }
  if (kRight) __syncthreads();
  if (threadIdx.x == 32 && atomicAdd(&is_ready, 0) == 1) out[0] = value;  // finds: race
}

// The same without a barrier: the consumer waits for the flag, and fences order it against the
// value. (racecheck does not support fences.)
template <bool kRight>
__global__ void fenced_flag_between_warps(const int* in, int* out) {
  __shared__ int value, is_ready;
  if (threadIdx.x == 0) is_ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];  // finds: race
    if (kRight) __threadfence_block();
    atomicExch(&is_ready, 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&is_ready, 0) == 0) {
    }
    __threadfence_block();
    out[0] = value;  // finds: race
  }
}

}  // namespace

MarkedFile shared_race_cases() {
  std::vector<MarkedCase> cases = {
      {"reverse", "reads across warps without a barrier after the stores",
       pair(reverse<true>, reverse<false>),
       "race on values in shared memory...No __syncthreads() separates the two accesses"},
      {"reverse_in_place", "overwrites elements that other threads still read",
       pair(reverse_in_place<true>, reverse_in_place<false>)},
      {"reused_tile", "a loop lacks its second barrier",
       pair(reused_tile<true>, reused_tile<false>)},
      {"ping_pong", "two buffers, one barrier of a scan is missing",
       pair(ping_pong<true>, ping_pong<false>)},
      {"two_writers", "two warps store to one variable",
       pair(two_writers<true>, two_writers<false>)},
      {"same_value", "many threads store the same value",
       pair(same_value<true>, same_value<false>)},
      {"broadcast", "reads what thread 0 stores without a barrier",
       pair(broadcast<true>, broadcast<false>)},
      {"tree", "a tree sum lacks the barrier in its loop", pair(tree<true>, tree<false>)},
      {"tree_of_a_warp", "the last warp of a tree sum lacks __syncwarp()",
       pair(tree_of_a_warp<true>, tree_of_a_warp<false>)},
      {"volatile_steps", "lanes of a warp exchange values, volatile instead of __syncwarp()",
       pair(volatile_steps<true>, volatile_steps<false>, 1, 32), "race on values in shared memory",
       2},
      {"one_warp", "a block of one warp lacks __syncwarp()",
       pair(one_warp<true>, one_warp<false>, 1, 32),
       "No __syncwarp() or __syncthreads() separates"},
      {"syncwarp_between_warps", "__syncwarp() where two warps exchange values",
       pair(syncwarp_between_warps<true>, syncwarp_between_warps<false>)},
      {"histogram", "counts without an atomic function", pair(histogram<true>, histogram<false>)},
      {"late_reset", "sets a counter to 0 without a barrier before the atomic functions",
       pair(late_reset<true>, late_reset<false>), "race on count in shared memory"},
      {"early_result", "reads a counter without a barrier after the atomic functions",
       pair(early_result<true>, early_result<false>)},
      {"struct_member", "stores a whole struct while another warp sets a member",
       pair(struct_member<true>, struct_member<false>)},
      {"neighbouring_bytes", "clears the byte of the next thread",
       pair(neighbouring_bytes<true>, neighbouring_bytes<false>)},
      {"halo", "a stencil lacks the barrier of its first step", pair(halo<true>, halo<false>), "",
       2},
      {"dynamic_shared_used_twice", "reuses dynamic shared memory without a barrier in between",
       pair(dynamic_shared_used_twice<true>, dynamic_shared_used_twice<false>, 1, kThreads,
            kThreads * sizeof(int)),
       "race on extern __shared__ memory", 2},
      {"flag_between_warps", "passes a value with an atomic flag but no fence",
       pair(flag_between_warps<true>, flag_between_warps<false>)},
      {"fenced_flag_between_warps", "waits for another warp's flag without __threadfence_block()",
       pair(fenced_flag_between_warps<true>, fenced_flag_between_warps<false>)},
  };
  return {__FILE__, std::move(cases), "races in shared memory"};
}
