#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// __shared__ variables are thread-local: the same bytes serve one block after another that runs on
// an OS thread.

// Where the program's thread-local variables are, for the calling OS thread.
struct ThreadLocalBlock {
  std::uintptr_t begin;
  std::size_t bytes;
};
ThreadLocalBlock thread_local_block();

// A part of the shared memory, by its offset in the thread-local block.
struct SharedRange {
  std::size_t offset, bytes;
};
// All that a block may use: every __shared__ variable of the program, as which kernels use those of
// a __device__ function is not known, and the launch's dynamic bytes.
std::vector<SharedRange> shared_ranges(std::size_t dynamic_bytes);

// What the calling OS thread's shared memory holds in these ranges, one after another.
std::vector<unsigned char> save_shared_memory(const std::vector<SharedRange>& ranges);
void restore_shared_memory(const std::vector<SharedRange>& ranges,
                           const std::vector<unsigned char>& contents);

}  // namespace cuda_simulator
