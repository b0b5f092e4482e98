#pragma once

// Thrust's algorithms on the simulated device. A call is a kernel with one thread, in the order of
// its stream, that executes Thrust's own sequential algorithm.

#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "simulator/copy_bytes.h"
#include "simulator/library_kernels.h"

#include <cstddef>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// The policy inside such a kernel. Unlike thrust::seq, it has temporary memory on the device.
struct in_kernel : system::detail::sequential::execution_policy<in_kernel> {
  in_kernel() = default;
  // In a kernel, memory of every system is memory of this one.
  template <class Other>
  in_kernel(const thrust::execution_policy<Other>&) {}
};

inline void* malloc(in_kernel&, std::size_t bytes) {
  return cuda_simulator::allocate_in_kernel(bytes);
}

template <class Pointer>
void free(in_kernel&, Pointer pointer) {
  cuda_simulator::free_in_kernel(pointer.get());
}

// Always a merge sort: the radix sort of Thrust 3.0 puts negative ints after positive ones.
template <class Iterator, class Compare>
void stable_sort(in_kernel& here, Iterator first, Iterator last, Compare compare) {
  stable_merge_sort(here, first, last, compare);
}

template <class Keys, class Values, class Compare>
void stable_sort_by_key(in_kernel& here, Keys first, Keys last, Values values, Compare compare) {
  stable_merge_sort_by_key(here, first, last, values, compare);
}

// Whether the host must wait for the result of an algorithm, even with par_nosync.
enum class Returns { nothing_new, a_result };

template <class Body, class... Arguments>
__attribute__((noinline)) auto run_in_kernel(Body body, Arguments... arguments) {
  in_kernel here;
  return body(here, arguments...);
}

// body: calls the algorithm with a policy and the arguments.
template <Returns returns, class Policy, class Body, class... Arguments>
auto simulated_call(const char* name, Policy& policy, Body body, Arguments... arguments) {
  using Result = decltype(run_in_kernel(body, arguments...));
  if (cuda_simulator::in_device_code()) return run_in_kernel(body, arguments...);
  const cudaStream_t stream = get_stream(policy);
  const auto wait = [&] {
    if (returns == Returns::nothing_new && !must_perform_optional_stream_synchronization(policy))
      return cudaSuccess;
    return cudaStreamSynchronize(stream);
  };
  const cuda_simulator::LibraryKernel kernel{"Thrust", name, stream};
  if constexpr (std::is_void_v<Result>) {
    throw_on_error(kernel.run([=]() CUDA_SIMULATOR_UNTRACED { run_in_kernel(body, arguments...); }), name);
    throw_on_error(wait(), name);
  } else {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) == cudaSuccess &&
        capture != cudaStreamCaptureStatusNone)
      throw_on_error(cudaErrorStreamCaptureUnsupported, name);  // the graph runs later
    // The result may be a type without a default constructor.
    alignas(Result) unsigned char result[sizeof(Result)];
    unsigned char* const to = result;
    throw_on_error(kernel.run([=]() CUDA_SIMULATOR_UNTRACED {
      const Result value = run_in_kernel(body, arguments...);
      cuda_simulator::copy_bytes(to, &value, sizeof value);
    }), name);
    throw_on_error(wait(), name);
    return *reinterpret_cast<Result*>(result);
  }
}

#define CUDA_SIMULATOR_THRUST(name, returns)                                                     \
  template <class Policy, class... Arguments>                                                    \
  auto name(execution_policy<Policy>& policy, Arguments... arguments) {                          \
    return simulated_call<Returns::returns>(                                                     \
        "thrust::" #name, derived_cast(policy),                                                  \
        [](in_kernel& here, auto... values) { return name(here, values...); }, arguments...);    \
  }

CUDA_SIMULATOR_THRUST(adjacent_difference, nothing_new)
CUDA_SIMULATOR_THRUST(copy, nothing_new)
CUDA_SIMULATOR_THRUST(copy_n, nothing_new)
CUDA_SIMULATOR_THRUST(exclusive_scan, nothing_new)
CUDA_SIMULATOR_THRUST(exclusive_scan_by_key, nothing_new)
CUDA_SIMULATOR_THRUST(fill, nothing_new)
CUDA_SIMULATOR_THRUST(fill_n, nothing_new)
CUDA_SIMULATOR_THRUST(for_each, nothing_new)
CUDA_SIMULATOR_THRUST(for_each_n, nothing_new)
CUDA_SIMULATOR_THRUST(gather, nothing_new)
CUDA_SIMULATOR_THRUST(gather_if, nothing_new)
CUDA_SIMULATOR_THRUST(generate, nothing_new)
CUDA_SIMULATOR_THRUST(generate_n, nothing_new)
CUDA_SIMULATOR_THRUST(inclusive_scan, nothing_new)
CUDA_SIMULATOR_THRUST(inclusive_scan_by_key, nothing_new)
CUDA_SIMULATOR_THRUST(merge, nothing_new)
CUDA_SIMULATOR_THRUST(reduce_into, nothing_new)
CUDA_SIMULATOR_THRUST(replace, nothing_new)
CUDA_SIMULATOR_THRUST(replace_copy, nothing_new)
CUDA_SIMULATOR_THRUST(replace_copy_if, nothing_new)
CUDA_SIMULATOR_THRUST(replace_if, nothing_new)
CUDA_SIMULATOR_THRUST(reverse, nothing_new)
CUDA_SIMULATOR_THRUST(reverse_copy, nothing_new)
CUDA_SIMULATOR_THRUST(scatter, nothing_new)
CUDA_SIMULATOR_THRUST(scatter_if, nothing_new)
CUDA_SIMULATOR_THRUST(sequence, nothing_new)
CUDA_SIMULATOR_THRUST(shuffle, nothing_new)
CUDA_SIMULATOR_THRUST(shuffle_copy, nothing_new)
CUDA_SIMULATOR_THRUST(sort, nothing_new)
CUDA_SIMULATOR_THRUST(sort_by_key, nothing_new)
CUDA_SIMULATOR_THRUST(stable_sort, nothing_new)
CUDA_SIMULATOR_THRUST(stable_sort_by_key, nothing_new)
CUDA_SIMULATOR_THRUST(swap_ranges, nothing_new)
CUDA_SIMULATOR_THRUST(tabulate, nothing_new)
CUDA_SIMULATOR_THRUST(transform, nothing_new)
CUDA_SIMULATOR_THRUST(transform_exclusive_scan, nothing_new)
CUDA_SIMULATOR_THRUST(transform_if, nothing_new)
CUDA_SIMULATOR_THRUST(transform_inclusive_scan, nothing_new)
CUDA_SIMULATOR_THRUST(transform_n, nothing_new)
CUDA_SIMULATOR_THRUST(uninitialized_copy, nothing_new)
CUDA_SIMULATOR_THRUST(uninitialized_copy_n, nothing_new)
CUDA_SIMULATOR_THRUST(uninitialized_fill, nothing_new)
CUDA_SIMULATOR_THRUST(uninitialized_fill_n, nothing_new)

CUDA_SIMULATOR_THRUST(all_of, a_result)
CUDA_SIMULATOR_THRUST(any_of, a_result)
CUDA_SIMULATOR_THRUST(binary_search, a_result)
CUDA_SIMULATOR_THRUST(copy_if, a_result)
CUDA_SIMULATOR_THRUST(count, a_result)
CUDA_SIMULATOR_THRUST(count_if, a_result)
CUDA_SIMULATOR_THRUST(equal, a_result)
CUDA_SIMULATOR_THRUST(equal_range, a_result)
CUDA_SIMULATOR_THRUST(find, a_result)
CUDA_SIMULATOR_THRUST(find_if, a_result)
CUDA_SIMULATOR_THRUST(find_if_not, a_result)
CUDA_SIMULATOR_THRUST(inner_product, a_result)
CUDA_SIMULATOR_THRUST(is_partitioned, a_result)
CUDA_SIMULATOR_THRUST(is_sorted, a_result)
CUDA_SIMULATOR_THRUST(is_sorted_until, a_result)
CUDA_SIMULATOR_THRUST(lower_bound, a_result)
CUDA_SIMULATOR_THRUST(max_element, a_result)
CUDA_SIMULATOR_THRUST(merge_by_key, a_result)
CUDA_SIMULATOR_THRUST(min_element, a_result)
CUDA_SIMULATOR_THRUST(minmax_element, a_result)
CUDA_SIMULATOR_THRUST(mismatch, a_result)
CUDA_SIMULATOR_THRUST(none_of, a_result)
CUDA_SIMULATOR_THRUST(partition, a_result)
CUDA_SIMULATOR_THRUST(partition_copy, a_result)
CUDA_SIMULATOR_THRUST(partition_point, a_result)
CUDA_SIMULATOR_THRUST(reduce, a_result)
CUDA_SIMULATOR_THRUST(reduce_by_key, a_result)
CUDA_SIMULATOR_THRUST(remove, a_result)
CUDA_SIMULATOR_THRUST(remove_copy, a_result)
CUDA_SIMULATOR_THRUST(remove_copy_if, a_result)
CUDA_SIMULATOR_THRUST(remove_if, a_result)
CUDA_SIMULATOR_THRUST(set_difference, a_result)
CUDA_SIMULATOR_THRUST(set_difference_by_key, a_result)
CUDA_SIMULATOR_THRUST(set_intersection, a_result)
CUDA_SIMULATOR_THRUST(set_intersection_by_key, a_result)
CUDA_SIMULATOR_THRUST(set_symmetric_difference, a_result)
CUDA_SIMULATOR_THRUST(set_symmetric_difference_by_key, a_result)
CUDA_SIMULATOR_THRUST(set_union, a_result)
CUDA_SIMULATOR_THRUST(set_union_by_key, a_result)
CUDA_SIMULATOR_THRUST(stable_partition, a_result)
CUDA_SIMULATOR_THRUST(stable_partition_copy, a_result)
CUDA_SIMULATOR_THRUST(transform_reduce, a_result)
CUDA_SIMULATOR_THRUST(unique, a_result)
CUDA_SIMULATOR_THRUST(unique_by_key, a_result)
CUDA_SIMULATOR_THRUST(unique_by_key_copy, a_result)
CUDA_SIMULATOR_THRUST(unique_copy, a_result)
CUDA_SIMULATOR_THRUST(unique_count, a_result)
CUDA_SIMULATOR_THRUST(upper_bound, a_result)
#undef CUDA_SIMULATOR_THRUST

}  // namespace cuda_cub
THRUST_NAMESPACE_END
