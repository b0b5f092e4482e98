#pragma once

#include <cuda_pipeline.h>

// Copies kBytes bytes from global to shared memory, past the registers; both are aligned to kBytes,
// which is 4, 8 or 16. The thread continues at once: see __pipeline_commit() and
// __pipeline_wait_prior(). Where `valid` is false nothing is read, and zeros are written.
template <int kBytes>
__device__ inline void copy_async(void* shared, const void* global, bool valid) {
  __pipeline_memcpy_async(shared, global, kBytes, valid ? 0 : kBytes);
}
