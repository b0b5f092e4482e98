#pragma once

#include "simulator/builtin_variables.h"
#include "simulator/copy_bytes.h"
#include "simulator/keywords.h"
#include "simulator/warp_functions.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The common parts of all cooperative groups within a warp. Such a group is a mask of lanes, and a
// member's rank is the number of lanes of the group below it.

namespace cuda_simulator {

CUDA_SIMULATOR_UNTRACED __forceinline__ unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CUDA_SIMULATOR_UNTRACED __forceinline__ unsigned threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}

CUDA_SIMULATOR_UNTRACED __forceinline__ unsigned rank_among(unsigned lanes) {
  return static_cast<unsigned>(__builtin_popcount(lanes & ((1u << lane()) - 1)));
}

// Returns this lane if the group has no such rank.
CUDA_SIMULATOR_UNTRACED __forceinline__ int lane_of_rank(unsigned lanes, unsigned rank) {
  for (; lanes != 0; lanes &= lanes - 1) {
    if (rank-- == 0) return __builtin_ctz(lanes);
  }
  return lane();
}

// The `chosen` lanes of a group, each at the bit of its rank.
CUDA_SIMULATOR_UNTRACED __forceinline__ unsigned by_rank(unsigned lanes, unsigned chosen) {
  unsigned result = 0;
  for (unsigned rank = 0; lanes != 0; lanes &= lanes - 1, ++rank) {
    result |= (chosen >> __builtin_ctz(lanes) & 1u) << rank;
  }
  return result;
}

// A shuffle of up to 32 bytes, the maximum for groups (8 for warp functions).
template <typename T>
CUDA_SIMULATOR_UNTRACED __forceinline__ T shuffle_object(unsigned mask, T value, int source,
                                                         const void* caller) {
  static_assert(std::is_trivially_copyable_v<T>, "groups exchange only trivially copyable types");
  static_assert(sizeof(T) <= 32, "groups exchange values of at most 32 bytes");
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  copy_bytes(words, &value, sizeof value);
  for (std::uint64_t& word : words) word = shuffle(mask, word, source, caller);
  copy_bytes(&value, words, sizeof value);
  return value;
}

// These end the grid with cudaErrorLaunchFailure, as misused group functions do on a GPU.
[[noreturn]] void refuse_tile_size(unsigned size, const void* caller);
[[noreturn]] void refuse_grid_as_thread_group(const void* caller);

// For tiles of more than 32 threads. Waits for the threads of this thread's tile of `size` threads.
void synchronise_tile(unsigned size, const void* caller);
// Values of up to 32 bytes, one per thread of the block, that threads exchange between two waits.
void put_value(const void* value, std::size_t bytes);
void get_value(void* value, std::size_t bytes, unsigned rank_in_block);

// Waits for all threads of a cooperative launch; ends the grid of any other launch.
void synchronise_grid(const void* caller);
bool is_cooperative_launch();

}  // namespace cuda_simulator
