#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// __shared__ variables are thread-local: all blocks that run on an OS thread use the same bytes in
// turn.

// The calling OS thread's copy of the program's thread-local variables.
struct ThreadLocalBlock {
  std::uintptr_t begin;
  std::size_t bytes;
};
ThreadLocalBlock thread_local_block();

// A part of shared memory, by its offset in the thread-local block.
struct SharedRange {
  std::size_t offset, bytes;
};
// All ranges that a block can use: every __shared__ variable of the program, whichever kernel uses
// it, and the dynamic bytes of the launch.
std::vector<SharedRange> shared_ranges(std::size_t dynamic_bytes);

// The contents of these ranges of the calling OS thread's shared memory, back to back.
std::vector<unsigned char> save_shared_memory(const std::vector<SharedRange>& ranges);
void restore_shared_memory(const std::vector<SharedRange>& ranges,
                           const std::vector<unsigned char>& contents);

}  // namespace cuda_simulator
