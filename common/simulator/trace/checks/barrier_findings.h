#pragma once

#include "execution/block.h"
#include "trace/report/finding_reporter.h"

#include <cstdint>

namespace cuda_simulator {

// Reports threads that wait for others who do not come, or who wait elsewhere.
class BarrierFindings {
 public:
  explicit BarrierFindings(const FindingReporter& reporter) : reporter_(reporter) {}

  void begin_grid(const Block& block) { block_ = &block; }

  // The threads that wait at the block's barrier are about to go on; `barrier` is what it is
  // called.
  void check_barrier(const char* barrier) const;
  // These lanes of a warp have met.
  void check_warp_call(int warp, std::uint32_t lanes) const;
  // A thread's mask does not name its own lane.
  void report_left_out(int thread, std::uint32_t mask) const;
  // No thread can go on.
  void report_deadlock() const;

 private:
  bool has_ended(int thread) const { return block_->state(thread) == Block::ThreadState::ended; }

  const FindingReporter& reporter_;
  const Block* block_ = nullptr;
};

}  // namespace cuda_simulator
