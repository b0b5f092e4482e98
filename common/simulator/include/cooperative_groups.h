#pragma once

#include "simulator/groups.h"
#include "simulator/tiles.h"

#include <type_traits>
#include <utility>

// Functions for any group.

namespace cooperative_groups {

template <typename Group>
CUDA_SIMULATOR_CALLED void sync(const Group& group) {
  details::GroupAccess::wait(group, __builtin_return_address(0));
}
template <typename Group>
auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <typename Group>
auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

// One member calls the function. In a warp the other members wait for it; in a block they do not.
template <typename Group, typename Function, typename... Arguments>
CUDA_SIMULATOR_CALLED void invoke_one(const Group& group, Function&& function,
                                      Arguments&&... arguments) {
  if constexpr (details::kIsOfOneWarp<Group>) {
    details::GroupAccess::wait(group, __builtin_return_address(0));
  }
  if (group.thread_rank() == 0) {
    std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
}

// The same, but every member gets the result.
template <typename Group, typename Function, typename... Arguments>
CUDA_SIMULATOR_CALLED auto invoke_one_broadcast(const Group& group, Function&& function,
                                                Arguments&&... arguments) {
  using Result = std::decay_t<decltype(std::forward<Function>(function)(
      std::forward<Arguments>(arguments)...))>;
  static_assert(details::kIsOfOneWarp<Group>,
                "invoke_one_broadcast needs a tile or a coalesced group");
  static_assert(!std::is_void_v<Result>, "use invoke_one for functions that return void");
  Result result{};
  if (group.thread_rank() == 0) {
    result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
  const unsigned lanes = details::GroupAccess::lanes(group);
  return cuda_simulator::shuffle_object(lanes, result, __builtin_ctz(lanes),
                                        __builtin_return_address(0));
}

}  // namespace cooperative_groups
