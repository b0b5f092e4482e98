#pragma once

#include <cstddef>

// Copies from global to shared memory that run while their thread goes on. What a copy brings is
// there when its thread has waited for it, and for other threads after a barrier from then on.

// Copies `bytes` bytes, which are 4, 8 or 16; both addresses are multiples of it. Of the source the
// last `zero_filled` bytes are not read: zeros come in their place.
void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                             std::size_t zero_filled = 0);
// What this thread has started since it last did so is a batch.
void __pipeline_commit();
// Waits for all batches of this thread but the last `batches` ones.
void __pipeline_wait_prior(std::size_t batches);
