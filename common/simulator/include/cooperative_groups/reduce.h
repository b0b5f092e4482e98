#pragma once

#include "cooperative_groups.h"

#include "simulator/atomics.h"

#include <type_traits>

// Reductions over a tile or a coalesced group. The order of the operations is CUDA's, so sums of
// floating-point numbers are bitwise identical.

namespace cooperative_groups {

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

namespace details {

// Exchanges across the tile: every lane ends with the same result.
template <typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T reduce_tile(unsigned lanes, unsigned size, T value,
                                                      Operation& operation, const void* caller) {
  for (unsigned distance = size / 2; distance > 0; distance /= 2) {
    const int source = cuda_simulator::lane_across(static_cast<int>(distance), 32);
    value = operation(value, cuda_simulator::shuffle_object(lanes, value, source, caller));
  }
  return value;
}

// An inclusive scan by rank.
template <typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T scan_lanes(unsigned lanes, T value, Operation& operation,
                                                     const void* caller) {
  const unsigned size = static_cast<unsigned>(__builtin_popcount(lanes));
  const unsigned rank = cuda_simulator::rank_among(lanes);
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const bool has_source = distance <= rank;
    const int source = cuda_simulator::lane_of_rank(lanes, has_source ? rank - distance : rank);
    const T below = cuda_simulator::shuffle_object(lanes, value, source, caller);
    if (has_source) value = operation(value, below);
  }
  return value;
}

// The last member of a scan has the result.
template <typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T reduce_lanes(unsigned lanes, T value,
                                                       Operation& operation, const void* caller) {
  value = scan_lanes(lanes, value, operation, caller);
  return cuda_simulator::shuffle_object(lanes, value, 31 - __builtin_clz(lanes), caller);
}

// The warps of a large tile, and then their results.
template <unsigned kSize, typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T reduce_warps(T value, Operation& operation,
                                                       const void* caller) {
  value = reduce_tile(~0u, 32, value, operation, caller);
  return TileOfSize<kSize>::exchange(value, caller, [&](const auto& of_rank) {
    T of_warps[kSize / 32];
    for (unsigned warp = 0; warp < kSize / 32; ++warp) of_warps[warp] = of_rank(warp * 32);
    for (unsigned distance = kSize / 64; distance > 0; distance /= 2) {
      for (unsigned warp = 0; warp < distance; ++warp)
        of_warps[warp] = operation(of_warps[warp], of_warps[warp + distance]);
    }
    return of_warps[0];
  });
}

template <typename Group, typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T reduce(const Group& group, T value, Operation& operation,
                                                 const void* caller) {
  static_assert(kIsOfOneWarp<Group> || kTileSize<Group> != 0,
                "reduce needs a tile or a coalesced group");
  static_assert(std::is_same_v<T, std::decay_t<decltype(operation(value, value))>>,
                "the operation and the value have different types: write cg::plus<float>() for a "
                "float");
  if constexpr (kTileSize < Group >> 32) {
    return reduce_warps<kTileSize<Group>>(value, operation, caller);
  } else {
    const unsigned lanes = GroupAccess::lanes(group), size = group.size();
    if (kTileSize<Group> != 0 || size == 32)
      return reduce_tile(lanes, size, value, operation, caller);
    return reduce_lanes(lanes, value, operation, caller);
  }
}

}  // namespace details

// operation(a, b) takes and returns the value's type. Every member gets the result. A value is
// passed as itself and not as a reference, so that the caller, which is traced, loads it.
template <typename Group, typename Value, typename Operation>
CUDA_SIMULATOR_CALLED Value reduce(const Group& group, Value value, Operation&& operation) {
  return details::reduce(group, value, operation, __builtin_return_address(0));
}

// One member stores the result.
template <typename Group, typename T, typename Value, typename Operation>
CUDA_SIMULATOR_CALLED void reduce_store_async(const Group& group, T* destination, Value value,
                                              Operation&& operation) {
  const void* const caller = __builtin_return_address(0);
  const T result = details::reduce(group, T(value), operation, caller);
  if (group.thread_rank() != 0) return;
  cuda_simulator::trace_access(destination, sizeof(T), cuda_simulator::AccessKind::store, caller);
  *destination = result;
}

}  // namespace cooperative_groups
