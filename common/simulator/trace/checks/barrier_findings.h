#pragma once

#include "execution/block.h"
#include "trace/report/finding_reporter.h"
#include "trace/warp/access.h"

#include "simulator/findings.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Reports threads that wait for threads that never arrive, or that wait at a different place.
class BarrierFindings {
 public:
  explicit BarrierFindings(const FindingReporter& reporter) : reporter_(reporter) {}

  void begin_grid(const Block& block) { block_ = &block; }

  // `last_steps` are those since the block's last barrier: see WarpLog.
  void thread_ended(int thread, const std::array<Step, 2>& last_steps) {
    of_block_.last_steps[thread] = last_steps;
    of_block_.is_known[thread] = false;
  }
  // Called before the threads that wait at a barrier of the block, or of the grid, continue.
  void check_barrier(bool of_grid);
  // Whether threads have ended before a barrier of the running block at which others waited. Then
  // check_step() must be called for each later step.
  bool has_missed() const { return !of_block_.missed.empty(); }
  void check_step(Step step) { report_passed(step.bits()); }
  void end_block();
  // What belongs to a block while others run.
  struct OfBlock;
  OfBlock block_interrupted() { return std::exchange(of_block_, {}); }
  void block_continues(OfBlock of_block) { of_block_ = std::move(of_block); }
  // These lanes of a warp have met.
  void check_warp_call(int warp, std::uint32_t lanes) const;
  // A thread's mask does not include its own lane.
  void report_left_out(int thread, std::uint32_t mask) const;
  // No thread can continue.
  void report_deadlock() const;

 private:
  // A barrier that threads have not reached because they had ended.
  struct MissedBarrier {
    std::string message;  // its beginning
    Finding::Place place;
    std::set<std::uint64_t> last_steps;  // of these threads
  };
  static constexpr std::uint64_t kAnyStep = 0;

  void some_have_ended(const std::string& barrier, int first, int waiting);
  // Reports the barriers that a thread with this last step has missed.
  void report_passed(std::uint64_t step);
  bool has_ended(int thread) const { return block_->state(thread) == Block::ThreadState::ended; }

  const FindingReporter& reporter_;
  const Block* block_ = nullptr;

 public:
  struct OfBlock {
    // Of the threads that have ended; and whether the barrier that they missed is known.
    std::array<std::array<Step, 2>, kMaxBlockThreads> last_steps{};
    std::bitset<kMaxBlockThreads> is_known;
    std::vector<MissedBarrier> missed;
  };

 private:
  OfBlock of_block_;
};

}  // namespace cuda_simulator
