#pragma once

#include "simulator/keywords.h"

#include <cstddef>
#include <type_traits>

// The code that translate/local_arrays.py adds after the declaration of a local array that the
// tracer must follow. In the plain build it is empty.

#ifdef __SANITIZE_THREAD__
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread)                                        \
  const cuda_simulator::LocalArray cuda_simulator_follows_##array(                          \
      array, std::is_trivially_default_constructible_v<decltype(array)> ? sizeof array : 0, \
      #array, by_thread);
#else
#define CUDA_SIMULATOR_LOCAL_ARRAY(array, by_thread)
#endif

namespace cuda_simulator {

// Reports the beginning of an array of the running thread to the tracer, with all `bytes`
// unwritten, and its end. by_thread: an index of the array depends on the thread's index.
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
