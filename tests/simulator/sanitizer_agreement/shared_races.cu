#include "cases.h"

#include <cuda_runtime.h>

#include <vector>

// Races between the threads of a block, in shared memory.

namespace {

constexpr int kThreads = 128;  // run()'s

template <bool kRight>
__global__ void reverse(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];  // wrong in reverse: race
  if (kRight) __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // wrong in reverse: race
}

template <bool kRight>
__global__ void reverse_in_place(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int mirrored = values[kThreads - 1 - threadIdx.x];  // wrong in reverse_in_place: race
  if (kRight) __syncthreads();
  values[threadIdx.x] = mirrored;  // wrong in reverse_in_place: race
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

template <bool kRight>
__global__ void reused_tile(const int* in, int* out) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = in[threadIdx.x] + round;  // wrong in reused_tile: race
    __syncthreads();
    sum += tile[(threadIdx.x + 32) % kThreads];  // wrong in reused_tile: race
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
    const int other = threadIdx.x >= distance
                          ? sums[from][threadIdx.x - distance]  // wrong in ping_pong: race
                          : 0;
    sums[1 - from][threadIdx.x] =  // wrong in ping_pong: race
        sums[from][threadIdx.x] + other;
    if (kRight || distance != 8) __syncthreads();
  }
  out[threadIdx.x] = sums[from][threadIdx.x];
}

template <bool kRight>
__global__ void two_writers(const int* in, int* out) {
  __shared__ int last;
  const bool is_mine = kRight ? threadIdx.x == 100 : threadIdx.x % 100 == 0;
  if (is_mine) last = in[threadIdx.x] + 1;  // wrong in two_writers: race
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
      any_is_large = 1;  // wrong in same_value: race
    }
  }
  __syncthreads();
  out[threadIdx.x] = any_is_large;
}

template <bool kRight>
__global__ void broadcast(const int* in, int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = in[0];  // wrong in broadcast: race
  if (kRight) __syncthreads();
  out[threadIdx.x] = first + in[threadIdx.x];  // wrong in broadcast: race
}

template <bool kRight>
__global__ void tree(const int* in, int* out) {
  __shared__ int sums[kThreads];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];  // wrong in tree: race
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
    if (threadIdx.x < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];  // wrong in tree_of_a_warp: race
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
  sums[threadIdx.x] = sum;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    if (kRight) __syncwarp();
    if (threadIdx.x >= distance)
      sum += sums[threadIdx.x - distance];  // wrong in volatile_steps: race
    if (kRight) __syncwarp();
    sums[threadIdx.x] = sum;  // wrong in volatile_steps: race
  }
  out[threadIdx.x] = sum;
}

// A block of one warp, where __syncwarp() is enough.
template <bool kRight>
__global__ void one_warp(const int* in, int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = in[threadIdx.x];  // wrong in one_warp: race
  if (kRight) __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 1];  // wrong in one_warp: race
}

template <bool kRight>
__global__ void syncwarp_between_warps(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[threadIdx.x];  // wrong in syncwarp_between_warps: race
  __syncwarp();
  // wrong: the partner is in the next warp
  out[threadIdx.x] =
      values[threadIdx.x ^ (kRight ? 1 : 32)];  // wrong in syncwarp_between_warps: race
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
    *bin += 1;  // wrong in histogram: race
  }
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

template <bool kRight>
__global__ void late_reset(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  // wrong in late_reset: race
  if (kRight) __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);  // wrong in late_reset: race
  __syncthreads();
  out[threadIdx.x] = count;
}

template <bool kRight>
__global__ void early_result(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);  // wrong in early_result: race
  if (kRight) __syncthreads();
  out[threadIdx.x] = count;  // wrong in early_result: race
}

struct Extremes {
  int smallest, largest;
};

// Two warps, each of which sets its own member.
template <bool kRight>
__global__ void struct_member(const int* in, int* out) {
  __shared__ Extremes extremes;
  if (threadIdx.x == 0) extremes.smallest = in[0];  // wrong in struct_member: race
  if (threadIdx.x == 32) {
    if (kRight) {
      extremes.largest = in[32];
    } else {
      extremes = {in[31], in[32]};  // wrong in struct_member: race
    }
  }
  __syncthreads();
  out[threadIdx.x] = extremes.largest - extremes.smallest;
}

template <bool kRight>
__global__ void neighbouring_bytes(const int* in, int* out) {
  __shared__ char flags[kThreads + 1];
  flags[threadIdx.x] = static_cast<char>(in[threadIdx.x]);  // wrong in neighbouring_bytes: race
  if (!kRight) flags[threadIdx.x + 1] = 0;                  // wrong in neighbouring_bytes: race
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x];
}

template <bool kRight>
__global__ void halo(const int* in, int* out) {
  __shared__ int tile[kThreads + 2];
  tile[threadIdx.x + 1] = in[threadIdx.x];  // wrong in halo: race
  if (threadIdx.x == 0) tile[0] = 0;
  if (threadIdx.x == kThreads - 1) tile[kThreads + 1] = 0;
  for (int step = 0; step < 3; ++step) {
    if (kRight || step != 0) __syncthreads();
    const int sum = tile[threadIdx.x] +     // wrong in halo: race
                    tile[threadIdx.x + 2];  // wrong in halo: race
    __syncthreads();
    tile[threadIdx.x + 1] = sum;
  }
  out[threadIdx.x] = tile[threadIdx.x + 1];
}

template <bool kRight>
__global__ void dynamic_shared_kernel(const int* in, int* out) {
  extern __shared__ int dynamic_values[];
  dynamic_values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int sum =
      dynamic_values[threadIdx.x] +
      dynamic_values[kThreads - 1 - threadIdx.x];  // wrong in dynamic_shared_used_twice: race
  if (kRight) __syncthreads();
  // The same memory, with a different type.
  short* const halves = reinterpret_cast<short*>(dynamic_values);
  halves[threadIdx.x] = static_cast<short>(sum);  // wrong in dynamic_shared_used_twice: race
  __syncthreads();
  out[threadIdx.x] = halves[kThreads - 1 - threadIdx.x];
}

template <bool kRight>
void dynamic_shared_used_twice() {
  const DeviceBuffer<int> d_in = zeros<int>(kThreads);
  DeviceBuffer<int> d_out(kThreads);
  dynamic_shared_kernel<kRight><<<1, kThreads, kThreads * sizeof(int)>>>(d_in.data(), d_out.data());
  finish_kernel();
}

// One warp is the producer, another warp the consumer.
template <bool kRight>
__global__ void flag_between_warps(const int* in, int* out) {
  __shared__ int value, is_ready;
  if (threadIdx.x == 0) is_ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];  // wrong in flag_between_warps: race
    atomicExch(&is_ready, 1);
  }
  if (kRight) __syncthreads();
  if (threadIdx.x == 32 && atomicAdd(&is_ready, 0) == 1)
    out[0] = value;  // wrong in flag_between_warps: race
}

// The same without a barrier: the consumer waits for the flag, and fences order it against the
// value. (racecheck does not support fences.)
// tool's alarm in fenced_flag_between_warps: racecheck
template <bool kRight>
__global__ void fenced_flag_between_warps(const int* in, int* out) {
  __shared__ int value, is_ready;
  if (threadIdx.x == 0) is_ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];  // wrong in fenced_flag_between_warps: race
    if (kRight) __threadfence_block();
    atomicExch(&is_ready, 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&is_ready, 0) == 0) {
    }
    __threadfence_block();
    out[0] = value;  // wrong in fenced_flag_between_warps: race
  }
}

}  // namespace

std::vector<Pair> shared_race_pairs() {
  return {
      {"reverse", "reads across warps without a barrier after the stores", run<reverse<true>>,
       run<reverse<false>>},
      {"reverse_in_place", "overwrites elements that other threads still read",
       run<reverse_in_place<true>>, run<reverse_in_place<false>>},
      {"reused_tile", "a loop lacks its second barrier", run<reused_tile<true>>,
       run<reused_tile<false>>},
      {"ping_pong", "two buffers, one barrier of a scan is missing", run<ping_pong<true>>,
       run<ping_pong<false>>},
      {"two_writers", "two warps store to one variable", run<two_writers<true>>,
       run<two_writers<false>>},
      {"same_value", "many threads store the same value", run<same_value<true>>,
       run<same_value<false>>},
      {"broadcast", "reads what thread 0 stores without a barrier", run<broadcast<true>>,
       run<broadcast<false>>},
      {"tree", "a tree sum lacks the barrier in its loop", run<tree<true>>, run<tree<false>>},
      {"tree_of_a_warp", "the last warp of a tree sum lacks __syncwarp()",
       run<tree_of_a_warp<true>>, run<tree_of_a_warp<false>>},
      {"volatile_steps", "lanes of a warp exchange values, volatile instead of __syncwarp()",
       run<volatile_steps<true>, 1, 32>, run<volatile_steps<false>, 1, 32>},
      {"one_warp", "a block of one warp lacks __syncwarp()", run<one_warp<true>, 1, 32>,
       run<one_warp<false>, 1, 32>},
      {"syncwarp_between_warps", "__syncwarp() where two warps exchange values",
       run<syncwarp_between_warps<true>>, run<syncwarp_between_warps<false>>},
      {"histogram", "counts without an atomic function", run<histogram<true>>,
       run<histogram<false>>},
      {"late_reset", "sets a counter to 0 without a barrier before the atomic functions",
       run<late_reset<true>>, run<late_reset<false>>},
      {"early_result", "reads a counter without a barrier after the atomic functions",
       run<early_result<true>>, run<early_result<false>>},
      {"struct_member", "stores a whole struct while another warp sets a member",
       run<struct_member<true>>, run<struct_member<false>>},
      {"neighbouring_bytes", "clears the byte of the next thread", run<neighbouring_bytes<true>>,
       run<neighbouring_bytes<false>>},
      {"halo", "a stencil lacks the barrier of its first step", run<halo<true>>, run<halo<false>>},
      {"dynamic_shared_used_twice", "reuses dynamic shared memory without a barrier in between",
       dynamic_shared_used_twice<true>, dynamic_shared_used_twice<false>},
      {"flag_between_warps", "passes a value with an atomic flag but no fence",
       run<flag_between_warps<true>>, run<flag_between_warps<false>>},
      {"fenced_flag_between_warps", "waits for another warp's flag without __threadfence_block()",
       run<fenced_flag_between_warps<true>>, run<fenced_flag_between_warps<false>>},
  };
}
