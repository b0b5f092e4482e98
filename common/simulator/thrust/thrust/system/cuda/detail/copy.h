#pragma once

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/distance.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/cross_system.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstddef>
#include <memory>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// Copies between the host and the device. Elements that are not contiguous, or that are converted,
// go through an array on their side.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) {
    throw_on_error(cudaMalloc(&begin_, count * sizeof(T)), "temporary memory");
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(begin_); }
  T* begin() const { return begin_; }

 private:
  T* begin_ = nullptr;
};

template <class T>
class HostArray {
 public:
  explicit HostArray(std::size_t count) : elements_(new T[count]) {}
  T* begin() const { return elements_.get(); }

 private:
  std::unique_ptr<T[]> elements_;
};

template <class Iterator>
auto address_of_first(Iterator first) {
  return thrust::raw_pointer_cast(&*first);
}

template <class Policy>
inline constexpr bool is_device = std::is_base_of_v<execution_policy<Policy>, Policy>;

// Copies elements of one type between contiguous ranges; all other ranges go through an array.
template <class From, class To, class Input, class Output>
Output copy_across(From& from, To& to, Input first, std::size_t count, Output result) {
  using T = thrust::detail::it_value_t<Input>;
  using Elements = std::conditional_t<is_device<From>, DeviceArray<T>, HostArray<T>>;
  if (count == 0) return result;
  if constexpr (!thrust::is_contiguous_iterator_v<Input>) {
    const Elements elements(count);
    thrust::copy_n(from, first, count, elements.begin());
    return copy_across(from, to, elements.begin(), count, result);
  } else if constexpr (!thrust::is_contiguous_iterator_v<Output> ||
                       !std::is_same_v<T, thrust::detail::it_value_t<Output>>) {
    using Arrived = std::conditional_t<is_device<To>, DeviceArray<T>, HostArray<T>>;
    const Arrived elements(count);
    copy_across(from, to, first, count, elements.begin());
    return thrust::copy_n(to, elements.begin(), count, result);
  } else {
    cudaStream_t stream;
    if constexpr (is_device<From>) {
      stream = get_stream(from);
    } else {
      stream = get_stream(to);
    }
    throw_on_error(cudaMemcpyAsync(address_of_first(result), address_of_first(first),
                                   count * sizeof(T), cudaMemcpyDefault, stream),
                   "thrust::copy");
    throw_on_error(cudaStreamSynchronize(stream), "thrust::copy");
    return result + static_cast<std::ptrdiff_t>(count);
  }
}

template <class From, class To, class Input, class Size, class Output>
Output copy_n(cross_system<From, To>& systems, Input first, Size count, Output result) {
  return copy_across(derived_cast(systems.sys1), derived_cast(systems.sys2), first,
                     static_cast<std::size_t>(count), result);
}

template <class From, class To, class Input, class Output>
Output copy(cross_system<From, To>& systems, Input first, Input last, Output result) {
  return copy_n(systems, first, thrust::distance(first, last), result);
}

template <class From, class To, class Input, class Size, class Output>
Output uninitialized_copy_n(cross_system<From, To>& systems, Input first, Size count, Output result) {
  return copy_n(systems, first, count, result);
}

template <class From, class To, class Input, class Output>
Output uninitialized_copy(cross_system<From, To>& systems, Input first, Input last, Output result) {
  return copy(systems, first, last, result);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
