#pragma once

#include "execution/block.h"
#include "execution/shared_memory.h"
#include "trace/tracer.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

namespace cuda_simulator {

// The blocks of a launch that are on the device together. One runs at a time, until it has ended or
// pauses: its threads wait for the whole grid, or for what another block writes. In some orders of
// blocks it also pauses before fences and atomic functions.
class ResidentBlocks {
 public:
  // `block` must have begun a grid.
  explicit ResidentBlocks(Block& block, Tracer* tracer);

  // Returns when the last block has ended, or the grid has an error.
  void run();

 private:
  struct Waiting {
    Block::Suspended block;
    std::vector<unsigned char> shared_memory;
    Block::Pause pause;
  };

  bool has_failed() const;
  bool can_start() const { return next_ < count_ && waiting_.size() < most_resident_; }
  void continue_one();
  // Runs the block until it ends or pauses. `is_new`: it has just begun. `has_news`: it can go on.
  void run_block(bool is_new, bool has_news);
  Waiting suspended(Block::Pause pause);
  bool can_continue(const Waiting& waiting) const;
  void resume(Waiting& waiting);
  // All blocks that have not ended wait for the grid.
  void pass_grid();
  void refuse_missing_blocks();
  std::unique_ptr<FiberStacks> unused_stacks();
  void keep_whole_stacks();

  Block& block_;
  Tracer* const tracer_;
  const std::size_t whole_bytes_;  // of stacks for kMaxBlockThreads threads
  const std::uint64_t count_;
  const std::uint64_t most_resident_;
  const std::vector<SharedRange> shared_ranges_;
  std::uint64_t next_ = 0, stacks_made_ = 0;
  std::size_t idle_turns_ = 0;            // blocks that looked in vain, one after the other
  std::list<Waiting> waiting_, at_grid_;  // in the order of their pauses
  std::vector<std::unique_ptr<FiberStacks>>& unused_;
};

}  // namespace cuda_simulator
