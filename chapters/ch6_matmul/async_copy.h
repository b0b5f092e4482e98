#pragma once

#include <cuda_pipeline.h>

// Copies kBytes bytes from global to shared memory, without registers; both addresses are aligned
// to kBytes, which is 4, 8 or 16. The thread continues at once: see __pipeline_commit() and
// __pipeline_wait_prior(). If `valid` is false, it reads nothing and writes zeros.
template <int kBytes>
__device__ inline void copy_async(void* shared, const void* global, bool valid) {
  __pipeline_memcpy_async(shared, global, kBytes, valid ? 0 : kBytes);
}
