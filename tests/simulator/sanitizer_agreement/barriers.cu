#include "measured_cases.h"

#include <cuda_runtime.h>

#include <utility>
#include <vector>

// Barriers that not all threads reach, and warp functions with a wrong mask.

namespace {

constexpr unsigned kAll = 0xffffffffu;

// The condition is the same for a whole warp.
template <bool kRight>
__global__ void barrier_of_some_warps(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  if (kRight || threadIdx.x < 96) __syncthreads();  // finds: barrier
  out[threadIdx.x] = mine;
}

template <bool kRight>
__global__ void barriers_in_if_and_else(const int* in, int* out) {
  int mine = in[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    mine += 1;
    if (!kRight) __syncthreads();  // finds: barrier wait by 0
  } else {
    mine -= 1;
    if (!kRight) __syncthreads();  // finds: barrier wait by 127
  }
  if (kRight) __syncthreads();
  out[threadIdx.x] = mine;
}

template <bool kRight>
__global__ void unequal_turns(const int* in, int* out) {
  const int turns = kRight ? 6 : in[threadIdx.x];
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    sum += turn;
    __syncthreads();  // finds: barrier wait
  }
  out[threadIdx.x] = sum;
}

template <bool kRight>
__global__ void count_in_branch(const int* in, int* out) {
  const bool is_large = in[threadIdx.x] > 3;
  int count = 0;
  if (kRight || threadIdx.x < 50) count = __syncthreads_count(is_large);  // finds: barrier
  out[threadIdx.x] = count;
}

// __syncthreads_or() ends the loop for all threads in the same iteration.
template <bool kRight>
__global__ void until_all_are_done(const int* in, int* out) {
  int left = in[threadIdx.x], turns = 0;
  bool any_left = true;
  while (any_left) {
    ++turns;
    --left;
    // wrong: each thread stops by itself
    any_left = kRight ? __syncthreads_or(left > 0) : left > 0;
    if (!kRight) __syncthreads();  // finds: barrier
  }
  out[threadIdx.x] = turns;
}

// A mask can name lanes that have returned, like the default mask; it must name its own lane.
template <bool kRight>
__global__ void syncwarp_after_return(const int* in, int* out) {
  __shared__ int values[20];
  if (threadIdx.x >= 20) return;
  values[threadIdx.x] = in[threadIdx.x];
  __syncwarp(kRight ? kAll : ~0u << 20);  // finds: barrier
  out[threadIdx.x] = values[threadIdx.x];
}

template <bool kRight>
__global__ void syncwarp_without_own_lane(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  __syncwarp(kRight ? kAll : 0x0000ffffu);  // finds: barrier
  out[threadIdx.x] = mine;
}

template <bool kRight>
__global__ void shuffle_without_own_lane(const int* in, int* out) {
  const unsigned mask = kRight ? kAll : 0x0000ffffu;
  const int other = __shfl_xor_sync(mask, in[threadIdx.x], 1);  // finds: barrier
  out[threadIdx.x] = other;                                     // finds: barrier
}

// Each half of a warp, with a mask that names its lanes.
template <bool kRight>
__global__ void halves_of_a_warp(const int* in, int* out) {
  int sum = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    sum = __reduce_add_sync(0x0000ffffu, sum);
  } else {
    const unsigned mask = kRight ? 0xffff0000u : 0x0000ffffu;
    sum = __reduce_max_sync(mask, sum);  // finds: barrier
  }
  out[threadIdx.x] = sum;
}

template <bool kRight>
__global__ void shuffle_in_branch(const int* in, int* out) {
  int sum = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    const unsigned mask = kRight ? 0x0000ffffu : kAll;
    sum += __shfl_xor_sync(mask, sum, 8);  // finds: missed
  }
  out[threadIdx.x] = sum;
}

// The same, but the other half waits at a different warp function.
template <bool kRight>
__global__ void shuffle_against_syncwarp(const int* in, int* out) {
  int sum = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    const unsigned mask = kRight ? 0x0000ffffu : kAll;
    sum += __shfl_xor_sync(mask, sum, 8);  // finds: barrier
  }
  __syncwarp();  // finds: barrier
  out[threadIdx.x] = sum;
}

// The last of 20 lanes has no next lane: the result of its shuffle must not be used.
template <bool kRight>
__global__ void shuffle_from_ended_lane(const int* in, int* out) {
  if (threadIdx.x >= 20) return;
  const int mine = in[threadIdx.x];
  const int next = __shfl_down_sync(kAll, mine, 1);  // finds: barrier
  // finds: barrier
  out[threadIdx.x] = !kRight || threadIdx.x < 19 ? mine + next : mine;
}

}  // namespace

MarkedFile barrier_cases() {
  std::vector<MarkedCase> cases = {
      {"barrier_of_some_warps", "3 of 4 warps reach the barrier",
       pair(barrier_of_some_warps<true>, barrier_of_some_warps<false>)},
      {"barriers_in_if_and_else", "lanes wait at one of two barriers",
       pair(barriers_in_if_and_else<true>, barriers_in_if_and_else<false>),
       "wait at two different __syncthreads()"},
      {"unequal_turns", "a barrier in a loop whose number of iterations differs between threads",
       pair(unequal_turns<true>, unequal_turns<false>),
       "of 128 threads of the block reach this __syncthreads(); the others have ended without it"},
      {"count_in_branch", "50 of 128 threads reach __syncthreads_count()",
       pair(count_in_branch<true>, count_in_branch<false>)},
      {"until_all_are_done", "each thread decides alone when it leaves a loop with a barrier",
       pair(until_all_are_done<true>, until_all_are_done<false>)},
      {"syncwarp_after_return", "__syncwarp() names only lanes that have returned",
       pair(syncwarp_after_return<true>, syncwarp_after_return<false>, 1, 32)},
      {"syncwarp_without_own_lane", "lanes call __syncwarp() although its mask does not name them",
       pair(syncwarp_without_own_lane<true>, syncwarp_without_own_lane<false>)},
      {"shuffle_without_own_lane", "lanes shuffle although the mask does not name them",
       pair(shuffle_without_own_lane<true>, shuffle_without_own_lane<false>), "", 2},
      {"halves_of_a_warp", "half a warp passes the mask of the other half",
       pair(halves_of_a_warp<true>, halves_of_a_warp<false>)},
      {"shuffle_in_branch", "half a warp shuffles with the mask of a whole warp",
       pair(shuffle_in_branch<true>, shuffle_in_branch<false>)},
      {"shuffle_against_syncwarp",
       "half a warp shuffles while the other half waits at __syncwarp()",
       pair(shuffle_against_syncwarp<true>, shuffle_against_syncwarp<false>)},
      {"shuffle_from_ended_lane", "uses the value of a lane that has returned",
       pair(shuffle_from_ended_lane<true>, shuffle_from_ended_lane<false>, 1, 32)},
  };
  return {__FILE__, std::move(cases), "barriers"};
}
