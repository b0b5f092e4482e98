#pragma once

#include <cstddef>

// Asynchronous copies from global to shared memory: the thread continues while they are in flight.
// The copied data is available to the thread after it has waited for the copy, and to other threads
// after a later barrier.

// Copies `bytes` bytes, which must be 4, 8 or 16; both addresses must be multiples of `bytes`. The
// last `zero_filled` bytes of the source are not read; zeros are written instead.
void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                             std::size_t zero_filled = 0);
// Puts all copies that this thread has started since the last commit into a batch.
void __pipeline_commit();
// Waits for all batches of this thread except the last `batches`.
void __pipeline_wait_prior(std::size_t batches);
