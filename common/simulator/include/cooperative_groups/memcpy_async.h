#pragma once

#include "cooperative_groups.h"
#include "cuda_pipeline_primitives.h"

#include "cuda/barrier"

// Copies to shared memory that the threads of a group make together. Each call is a batch.

namespace cooperative_groups {

// Copies `bytes` bytes, a std::size_t or a cuda::aligned_size_t.
template <typename Group, typename T, typename Size>
CUDA_SIMULATOR_CALLED void memcpy_async(const Group& group, T* to, const T* from,
                                        const Size& bytes) {
  cuda_simulator::copy_asynchronously(
      to, from, {bytes, cuda::simulated::kAlignment<Size>, group.thread_rank(), group.size()},
      nullptr, __builtin_return_address(0));
  __pipeline_commit();
}
// Copies elements: as many as the smaller of the two counts.
template <typename Group, typename T>
CUDA_SIMULATOR_CALLED void memcpy_async(const Group& group, T* to, std::size_t to_count,
                                        const T* from, std::size_t from_count) {
  const std::size_t bytes = sizeof(T) * (to_count < from_count ? to_count : from_count);
  cuda_simulator::copy_asynchronously(to, from, {bytes, 1, group.thread_rank(), group.size()},
                                      nullptr, __builtin_return_address(0));
  __pipeline_commit();
}

// Waits for all copies of the group except those of the last kCalls calls.
template <unsigned kCalls, typename Group>
CUDA_SIMULATOR_CALLED void wait_prior(const Group& group) {
  const void* const caller = __builtin_return_address(0);
  cuda_simulator::wait_for_batches(kCalls, caller);
  details::GroupAccess::wait(group, caller);
}
template <typename Group>
CUDA_SIMULATOR_CALLED void wait(const Group& group) {
  const void* const caller = __builtin_return_address(0);
  cuda_simulator::wait_for_batches(0, caller);
  details::GroupAccess::wait(group, caller);
}

}  // namespace cooperative_groups
