#pragma once

#include "simulator/copy_bytes.h"
#include "simulator/keywords.h"

#include <cstdint>
#include <type_traits>

// Barriers, shuffles and votes. The functions that wait are out of line, so that their return
// address is the learner's line.

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);
void __threadfence();
void __threadfence_block();
void __threadfence_system();

unsigned __activemask();
unsigned __ballot_sync(unsigned mask, int predicate);
int __all_sync(unsigned mask, int predicate);
int __any_sync(unsigned mask, int predicate);
void __nanosleep(unsigned nanoseconds);
[[noreturn]] void __trap();
long long clock64();

namespace cuda_simulator {

int lane();
// For a __host__ __device__ function: returns whether a kernel has called it.
bool in_device_code();

// The building blocks of the functions above and of cooperative groups. Each waits for the block,
// or for the lanes in `mask`; `caller` is an address in the learner's code.
void synchronise_block(const void* caller);
void synchronise_warp(unsigned mask, const void* caller);
unsigned active_mask(const void* caller);
unsigned ballot(unsigned mask, bool predicate, const void* caller);
// The 64 bits that lane `source` of the warp passes to the same call.
std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source, const void* caller);
// The lanes in `mask` that pass the same 64 bits as this lane.
unsigned match_any(unsigned mask, std::uint64_t value, const void* caller);

enum class Reduction { add, min, max, min_unsigned, max_unsigned, bit_and, bit_or, bit_xor };

template <typename T>
CUDA_SIMULATOR_UNTRACED __forceinline__ std::uint64_t to_bits(T value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8,
                "warp functions exchange values of at most 8 bytes");
  std::uint64_t bits = 0;
  copy_bytes(&bits, &value, sizeof value);
  return bits;
}

template <typename T>
CUDA_SIMULATOR_UNTRACED __forceinline__ T from_bits(std::uint64_t bits) {
  T value;
  copy_bytes(&value, &bits, sizeof value);
  return value;
}

// A shuffle of any type; `source` is the lane from which the value is taken.
template <typename T>
CUDA_SIMULATOR_UNTRACED __forceinline__ T shuffle_value(unsigned mask, T value, int source,
                                                        const void* caller) {
  return from_bits<T>(shuffle(mask, to_bits(value), source, caller));
}

// Ends the grid with cudaErrorLaunchFailure.
[[noreturn]] void refuse_shuffle_width(int width, const void* caller);

// Returns whether shuffles and tiles can divide a warp into parts of this many lanes.
CUDA_SIMULATOR_UNTRACED __forceinline__ bool divides_warp(unsigned lanes) {
  return lanes != 0 && lanes <= 32 && (lanes & (lanes - 1)) == 0;
}

CUDA_SIMULATOR_UNTRACED __forceinline__ int legal_width(int width, const void* caller) {
  if (!divides_warp(static_cast<unsigned>(width))) refuse_shuffle_width(width, caller);
  return width;
}

// The source lane of a shuffle. A lane whose source is outside its segment of `width` lanes keeps
// its own value.

CUDA_SIMULATOR_UNTRACED __forceinline__ int lane_at(int source, int width) {
  return (lane() & ~(width - 1)) | (source & (width - 1));
}
CUDA_SIMULATOR_UNTRACED __forceinline__ int lane_below(unsigned delta, int width) {
  const bool inside = static_cast<unsigned>(lane() & (width - 1)) >= delta;
  return inside ? lane() - static_cast<int>(delta) : lane();
}
CUDA_SIMULATOR_UNTRACED __forceinline__ int lane_above(unsigned delta, int width) {
  const bool inside = (lane() & (width - 1)) + delta < static_cast<unsigned>(width);
  return inside ? lane() + static_cast<int>(delta) : lane();
}
CUDA_SIMULATOR_UNTRACED __forceinline__ int lane_across(int lane_mask, int width) {
  const int source = lane() ^ lane_mask;
  // A source lane can be in an earlier segment, but not in a later one (PTX ISA, shfl.sync.bfly).
  const bool inside = (source & ~(width - 1)) <= (lane() & ~(width - 1));
  return inside ? source : lane();
}

}  // namespace cuda_simulator

template <typename T>
CUDA_SIMULATOR_CALLED T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const void* const caller = __builtin_return_address(0);
  const int lanes = cuda_simulator::legal_width(width, caller);
  return cuda_simulator::shuffle_value(mask, value, cuda_simulator::lane_at(source, lanes), caller);
}

template <typename T>
CUDA_SIMULATOR_CALLED T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const void* const caller = __builtin_return_address(0);
  const int lanes = cuda_simulator::legal_width(width, caller);
  return cuda_simulator::shuffle_value(mask, value, cuda_simulator::lane_below(delta, lanes),
                                       caller);
}

template <typename T>
CUDA_SIMULATOR_CALLED T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const void* const caller = __builtin_return_address(0);
  const int lanes = cuda_simulator::legal_width(width, caller);
  return cuda_simulator::shuffle_value(mask, value, cuda_simulator::lane_above(delta, lanes),
                                       caller);
}

template <typename T>
CUDA_SIMULATOR_CALLED T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const void* const caller = __builtin_return_address(0);
  const int lanes = cuda_simulator::legal_width(width, caller);
  return cuda_simulator::shuffle_value(mask, value, cuda_simulator::lane_across(lane_mask, lanes),
                                       caller);
}

template <typename T>
CUDA_SIMULATOR_CALLED unsigned __match_any_sync(unsigned mask, T value) {
  return cuda_simulator::match_any(mask, cuda_simulator::to_bits(value),
                                   __builtin_return_address(0));
}

template <typename T>
CUDA_SIMULATOR_CALLED unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  *predicate = cuda_simulator::match_any(mask, cuda_simulator::to_bits(value),
                                         __builtin_return_address(0)) == mask;
  return *predicate ? mask : 0;
}

unsigned __reduce_add_sync(unsigned mask, unsigned value);
int __reduce_add_sync(unsigned mask, int value);
unsigned __reduce_min_sync(unsigned mask, unsigned value);
int __reduce_min_sync(unsigned mask, int value);
unsigned __reduce_max_sync(unsigned mask, unsigned value);
int __reduce_max_sync(unsigned mask, int value);
unsigned __reduce_and_sync(unsigned mask, unsigned value);
unsigned __reduce_or_sync(unsigned mask, unsigned value);
unsigned __reduce_xor_sync(unsigned mask, unsigned value);
