#pragma once

#include "cooperative_groups/reduce.h"

// Scans over a tile or a coalesced group, by rank. The order of the operations is CUDA's, so sums
// of floating-point numbers are bitwise identical.

namespace cooperative_groups {

namespace details {

template <typename Group, typename T, typename Operation>
CUDA_SIMULATOR_UNTRACED __forceinline__ T scan(const Group& group, T value, Operation& operation,
                                               bool is_exclusive, const void* caller) {
  static_assert(kIsOfOneWarp<Group>, "a scan needs a tile or a coalesced group");
  static_assert(std::is_same_v<T, std::decay_t<decltype(operation(value, value))>>,
                "the operation and the value have different types: write cg::plus<float>() for a "
                "float");
  const unsigned lanes = GroupAccess::lanes(group), rank = group.thread_rank();
  const T scanned = scan_lanes(lanes, value, operation, caller);
  if (!is_exclusive) return scanned;
  const int source = cuda_simulator::lane_of_rank(lanes, rank > 0 ? rank - 1 : 0);
  const T below = cuda_simulator::shuffle_object(lanes, scanned, source, caller);
  return rank > 0 ? below : T{};
}

}  // namespace details

// The member of rank r gets the result of the values up to its own.
template <typename Group, typename Value, typename Operation = plus<Value>>
CUDA_SIMULATOR_CALLED Value inclusive_scan(const Group& group, Value value,
                                                         Operation&& operation = {}) {
  return details::scan(group, value, operation, false,
                       __builtin_return_address(0));
}
// The same without its own value; the member of rank 0 gets T{}.
template <typename Group, typename Value, typename Operation = plus<Value>>
CUDA_SIMULATOR_CALLED Value exclusive_scan(const Group& group, Value value,
                                                         Operation&& operation = {}) {
  return details::scan(group, value, operation, true,
                       __builtin_return_address(0));
}

}  // namespace cooperative_groups
