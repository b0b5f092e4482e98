#pragma once

#include "execution/block.h"
#include "execution/shared_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_simulator {

// All blocks of a cooperative launch, which are on the device together. Each runs until its threads
// have ended or wait for the whole grid. Then the next one runs. A block continues when all blocks
// have arrived.
class CooperativeBlocks {
 public:
  // `block` must have begun a grid.
  explicit CooperativeBlocks(Block& block, Tracer* tracer);

  // Returns when the last block has ended, or the grid has an error.
  void run();

 private:
  struct Waiting {
    Block::Suspended block;
    std::vector<unsigned char> shared_memory;
  };

  bool has_failed() const;
  // Continues the running block; afterwards it is in `waiting`, or has ended.
  void go_on(std::vector<Waiting>& waiting);
  void resume(Waiting& waiting);
  // Some blocks wait for the grid, and others have ended.
  void refuse_missing_blocks(Waiting& first, std::size_t waiting);

  Block& block_;
  Tracer* const tracer_;
  const std::uint64_t count_;
  const std::vector<SharedRange> shared_ranges_;
};

}  // namespace cuda_simulator
