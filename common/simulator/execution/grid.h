#pragma once

#include "execution/block_order.h"

#include "simulator/error_codes.h"
#include "simulator/vector_types.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

// One launch of a kernel.
struct Grid {
  const char* kernel_name;
  dim3 blocks, block;  // the grid's size in blocks, a block's size in threads
  std::size_t static_shared_bytes, dynamic_shared_bytes;
  void (*thread_body)(void*);
  void* arguments;
  std::size_t arguments_bytes;
  BlockOrder order;
  int device;
  bool is_cooperative = false;
  bool of_library = false;  // a LibraryKernel: no counts, and findings at the line of the call
  // On the host's stack, the frames of the functions that wait for the grid are from here on.
  std::uintptr_t callers_frames = 0;
  std::atomic<cudaError_t> error{cudaSuccess};  // once set, no further block starts

  std::uint64_t block_count() const { return std::uint64_t{blocks.x} * blocks.y * blocks.z; }
  int threads_per_block() const { return static_cast<int>(block.x * block.y * block.z); }
  // Blocks are numbered as they start: n = 0 is the one that starts first.
  uint3 block_index(std::uint64_t n) const {
    n = order.block_at(n, block_count());
    return {static_cast<unsigned>(n % blocks.x), static_cast<unsigned>(n / blocks.x % blocks.y),
            static_cast<unsigned>(n / blocks.x / blocks.y)};
  }
  uint3 thread_index(int n) const {
    const unsigned thread = static_cast<unsigned>(n);
    return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  }
};

}  // namespace cuda_simulator
