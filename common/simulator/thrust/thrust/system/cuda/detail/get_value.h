#pragma once

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/cross_system.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// One element, for v[i]: on the host a copy.
template <class T>
T loaded(const T* from) {
  if (cuda_simulator::in_device_code()) return *from;
  alignas(T) unsigned char value[sizeof(T)];
  throw_on_error(cudaMemcpy(value, from, sizeof(T), cudaMemcpyDefault), "a copy of one element");
  return *reinterpret_cast<T*>(value);
}

template <class Policy, class Pointer>
auto get_value(execution_policy<Policy>&, Pointer pointer) {
  return loaded(thrust::raw_pointer_cast(pointer));
}

template <class Policy, class Pointer, class Source>
void assign_value(execution_policy<Policy>&, Pointer pointer, Source source) {
  using T = thrust::detail::it_value_t<Pointer>;
  T* const to = thrust::raw_pointer_cast(pointer);
  const T value(loaded(thrust::raw_pointer_cast(source)));
  if (cuda_simulator::in_device_code()) {
    *to = value;
  } else {
    throw_on_error(cudaMemcpy(to, &value, sizeof value, cudaMemcpyDefault), "a copy of one element");
  }
}

template <class Policy, class Pointer1, class Pointer2>
void iter_swap(execution_policy<Policy>& policy, Pointer1 a, Pointer2 b) {
  const auto value = get_value(policy, a);
  assign_value(policy, a, b);
  assign_value(policy, b, &value);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
