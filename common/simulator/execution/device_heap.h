#pragma once

#include <cstddef>

namespace cuda_simulator {

// The memory of new and malloc in kernels. Each piece is an allocation of its own, so its bounds
// are checked; it lives until a kernel frees it, or until cudaDeviceReset.

std::size_t heap_limit();  // bytes of all pieces that live at the same time
void set_heap_limit(std::size_t bytes);
void forget_heap();  // when the device's memory is freed
// CUDA's runtime functions cannot copy or free such memory.
bool is_on_heap(const void* pointer);

}  // namespace cuda_simulator
