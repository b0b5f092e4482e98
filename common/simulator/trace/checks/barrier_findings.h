#pragma once

#include "execution/block.h"
#include "trace/report/finding_reporter.h"

#include <cstdint>

namespace cuda_simulator {

// Reports threads that wait for threads that never arrive, or that wait at a different place.
class BarrierFindings {
 public:
  explicit BarrierFindings(const FindingReporter& reporter) : reporter_(reporter) {}

  void begin_grid(const Block& block) { block_ = &block; }

  // Called before the threads that wait at the block's barrier continue; `barrier` is its name.
  void check_barrier(const char* barrier) const;
  // These lanes of a warp have met.
  void check_warp_call(int warp, std::uint32_t lanes) const;
  // A thread's mask does not include its own lane.
  void report_left_out(int thread, std::uint32_t mask) const;
  // No thread can continue.
  void report_deadlock() const;

 private:
  bool has_ended(int thread) const { return block_->state(thread) == Block::ThreadState::ended; }

  const FindingReporter& reporter_;
  const Block* block_ = nullptr;
};

}  // namespace cuda_simulator
