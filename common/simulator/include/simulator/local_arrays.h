#pragma once

#include "simulator/keywords.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The code that translate/local_arrays.py adds after the declaration of a local array that the
// tracer must follow. In the plain build it is empty.

#ifdef __SANITIZE_THREAD__
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread, by_data, is_set)                \
  const cuda_simulator::LocalArray cuda_simulator_follows_##array(                   \
      reinterpret_cast<std::uintptr_t>(array),                                       \
      std::is_trivially_default_constructible_v<decltype(array)> ? sizeof array : 0, \
      {#array, by_thread, by_data, is_set});
#else
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread, by_data, is_set)
#endif

namespace cuda_simulator {

// What the text of the kernel says of a local array.
struct LocalArrayText {
  const char* name;
  bool by_thread;  // an index depends on the thread's index
  bool by_data;    // an index depends on an element, so a GPU keeps the array in local memory
  bool is_set;     // by its declaration
};

// Reports the beginning of an array of the running thread to the tracer, and its end. The array is
// an address, not a pointer: g++ 13 would warn that a pointer's array is not initialised.
class LocalArray {
 public:
  CUDA_SIMULATOR_CALLED LocalArray(std::uintptr_t array, std::size_t bytes, LocalArrayText text);
  CUDA_SIMULATOR_CALLED ~LocalArray();
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

 private:
  const std::uintptr_t array_;
};

}  // namespace cuda_simulator
