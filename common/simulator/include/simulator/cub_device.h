#pragma once

// CUB's operations on whole arrays. The CPU computes them when their stream reaches them, one
// element after the other, without counts.

#include "simulator/cub_operators.h"
#include "simulator/library_work.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace cub {
namespace detail {

template <typename Iterator>
using ValueOf = typename std::iterator_traits<Iterator>::value_type;

// The elements of an array of device memory; an iterator that computes its elements has none.
template <typename Iterator>
void add_array(std::vector<cuda_simulator::LibraryArray>& arrays, const char* name, Iterator data,
               std::size_t n) {
  if constexpr (std::is_pointer_v<Iterator>) {
    if (n > 0) arrays.push_back({name, data, n * sizeof(*data)});
  }
}

constexpr std::size_t kTemporaryBytes = 1024;

// CUB's two calls: the first, without memory, returns the size of the temporary storage.
class Operation {
 public:
  Operation(const char* function, const void* caller, void* storage, std::size_t& bytes)
      : work_{{function, caller}, {}, {}, {}, false}, is_query_(storage == nullptr) {
    if (is_query_) bytes = kTemporaryBytes;
    is_too_small_ = bytes < kTemporaryBytes;
    add_array(work_.writes, "d_temp_storage", static_cast<const char*>(storage), kTemporaryBytes);
  }
  template <typename Iterator>
  Operation& reads(const char* name, Iterator data, std::size_t n) {
    add_array(work_.reads, name, data, n);
    return *this;
  }
  template <typename Iterator>
  Operation& writes(const char* name, Iterator data, std::size_t n) {
    add_array(work_.writes, name, data, n);
    return *this;
  }
  template <typename Compute>
  cudaError_t run(cudaStream_t stream, Compute compute) {
    if (is_query_) return cudaSuccess;
    if (is_too_small_) return cudaErrorInvalidValue;
    work_.compute = [compute, call = work_.call] {
      compute();
      cuda_simulator::say_computed(call, "CUB");
    };
    return cuda_simulator::add_library_work(stream, work_);
  }

 private:
  cuda_simulator::LibraryWork work_;
  bool is_query_, is_too_small_ = false;
};

// add(sum, element): the sum with a further element.
template <typename In, typename Out, typename T, typename Add>
cudaError_t reduce(Operation operation, In d_in, Out d_out, std::size_t n, T init, Add add,
                   cudaStream_t stream) {
  return operation.reads("d_in", d_in, n).writes("d_out", d_out, 1).run(stream, [=] {
    T sum = init;
    for (std::size_t i = 0; i < n; ++i) sum = add(sum, d_in[i]);
    *d_out = sum;
  });
}

}  // namespace detail

#define CUB_OPERATION(function)                                                     \
  detail::Operation("cub::" #function, __builtin_return_address(0), d_temp_storage, \
                    temp_storage_bytes)

struct DeviceReduce {
  template <typename In, typename Out, typename Size, typename Op, typename Transform, typename T>
  CUDA_SIMULATOR_CALLED static cudaError_t TransformReduce(void* d_temp_storage,
                                                           std::size_t& temp_storage_bytes, In d_in,
                                                           Out d_out, Size num_items, Op op,
                                                           Transform transform, T init,
                                                           cudaStream_t stream = nullptr) {
    const auto add = [=](const T& sum, const auto& element) { return op(sum, transform(element)); };
    return detail::reduce(CUB_OPERATION(DeviceReduce::TransformReduce), d_in, d_out,
                          static_cast<std::size_t>(num_items), init, add, stream);
  }
  template <typename In, typename Out, typename Size, typename Op, typename T>
  CUDA_SIMULATOR_CALLED static cudaError_t Reduce(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, In d_in,
                                                  Out d_out, Size num_items, Op op, T init,
                                                  cudaStream_t stream = nullptr) {
    return detail::reduce(CUB_OPERATION(DeviceReduce::Reduce), d_in, d_out,
                          static_cast<std::size_t>(num_items), init, op, stream);
  }
#define CUB_REDUCTION(name, op, init)                                                            \
  template <typename In, typename Out, typename Size>                                            \
  CUDA_SIMULATOR_CALLED static cudaError_t name(                                                 \
      void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out, Size num_items, \
      cudaStream_t stream = nullptr) {                                                           \
    using T = detail::ValueOf<In>;                                                               \
    const auto add = [](const T& sum, const T& element) { return op()(sum, element); };          \
    return detail::reduce(CUB_OPERATION(DeviceReduce::name), d_in, d_out,                        \
                          static_cast<std::size_t>(num_items), T{init}, add, stream);            \
  }
  CUB_REDUCTION(Sum, cub::Sum, T{})
  CUB_REDUCTION(Max, cub::Max, std::numeric_limits<T>::lowest())
  CUB_REDUCTION(Min, cub::Min, std::numeric_limits<T>::max())
#undef CUB_REDUCTION
};

struct DeviceScan {
#define CUB_SCAN(name, element)                                                                  \
  template <typename In, typename Out, typename Size>                                            \
  CUDA_SIMULATOR_CALLED static cudaError_t name(                                                 \
      void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out, Size num_items, \
      cudaStream_t stream = nullptr) {                                                           \
    const auto n = static_cast<std::size_t>(num_items);                                          \
    return CUB_OPERATION(DeviceScan::name)                                                       \
        .reads("d_in", d_in, n)                                                                  \
        .writes("d_out", d_out, n)                                                               \
        .run(stream, [=] {                                                                       \
          detail::ValueOf<In> before{};                                                          \
          for (std::size_t i = 0; i < n; ++i) {                                                  \
            const auto after = static_cast<detail::ValueOf<In>>(before + d_in[i]);               \
            d_out[i] = element;                                                                  \
            before = after;                                                                      \
          }                                                                                      \
        });                                                                                      \
  }
  CUB_SCAN(InclusiveSum, after)
  CUB_SCAN(ExclusiveSum, before)
#undef CUB_SCAN
};

// All bits of a key count here.
struct DeviceRadixSort {
#define CUB_SORT(name, less)                                                                       \
  template <typename K, typename Size>                                                             \
  CUDA_SIMULATOR_CALLED static cudaError_t SortKeys##name(                                         \
      void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,    \
      Size num_items) {                                                                            \
    const auto n = static_cast<std::size_t>(num_items);                                            \
    return CUB_OPERATION(DeviceRadixSort::SortKeys##name)                                          \
        .reads("d_keys_in", d_keys_in, n)                                                          \
        .writes("d_keys_out", d_keys_out, n)                                                       \
        .run(nullptr, [=] {                                                                        \
          std::vector<K> keys(d_keys_in, d_keys_in + n);                                           \
          std::stable_sort(keys.begin(), keys.end(), [](const K& a, const K& b) { return less; }); \
          std::copy(keys.begin(), keys.end(), d_keys_out);                                         \
        });                                                                                        \
  }                                                                                                \
  template <typename K, typename V, typename Size>                                                 \
  CUDA_SIMULATOR_CALLED static cudaError_t SortPairs##name(                                        \
      void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,    \
      const V* d_values_in, V* d_values_out, Size num_items) {                                     \
    const auto n = static_cast<std::size_t>(num_items);                                            \
    return CUB_OPERATION(DeviceRadixSort::SortPairs##name)                                         \
        .reads("d_keys_in", d_keys_in, n)                                                          \
        .reads("d_values_in", d_values_in, n)                                                      \
        .writes("d_keys_out", d_keys_out, n)                                                       \
        .writes("d_values_out", d_values_out, n)                                                   \
        .run(nullptr, [=] {                                                                        \
          std::vector<std::pair<K, V>> pairs;                                                      \
          for (std::size_t i = 0; i < n; ++i) pairs.emplace_back(d_keys_in[i], d_values_in[i]);    \
          const auto before = [](const auto& one, const auto& two) {                               \
            const K &a = one.first, &b = two.first;                                                \
            return less;                                                                           \
          };                                                                                       \
          std::stable_sort(pairs.begin(), pairs.end(), before);                                    \
          for (std::size_t i = 0; i < n; ++i) {                                                    \
            d_keys_out[i] = pairs[i].first;                                                        \
            d_values_out[i] = pairs[i].second;                                                     \
          }                                                                                        \
        });                                                                                        \
  }
  CUB_SORT(, a < b)
  CUB_SORT(Descending, b < a)
#undef CUB_SORT
};
#undef CUB_OPERATION

}  // namespace cub
