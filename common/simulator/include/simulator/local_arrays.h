#pragma once

#include "simulator/keywords.h"

#include <cstddef>
#include <type_traits>

// What translate/local_arrays.py puts behind the declaration of a local array that the tracer is to
// follow. The plain build has nothing there.

#ifdef __SANITIZE_THREAD__
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread)                                        \
  const cuda_simulator::LocalArray cuda_simulator_follows_##array(                          \
      array, std::is_trivially_default_constructible_v<decltype(array)> ? sizeof array : 0, \
      #array, by_thread);
#else
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread)
#endif

namespace cuda_simulator {

// Tells the tracer of an array of the running thread's, none of whose `bytes` is written yet, and
// of its end. by_thread: whether an index of the array depends on the thread's.
class LocalArray {
 public:
  CUDA_SIMULATOR_CALLED LocalArray(const volatile void* array, std::size_t bytes, const char* name,
                                   bool by_thread);
  CUDA_SIMULATOR_CALLED ~LocalArray();
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

 private:
  const volatile void* const array_;
};

}  // namespace cuda_simulator
