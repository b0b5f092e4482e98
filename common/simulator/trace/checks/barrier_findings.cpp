#include "trace/checks/barrier_findings.h"

#include "execution/lanes.h"
#include "program/line_table.h"
#include "trace/report/finding_texts.h"

#include "simulator/findings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

void BarrierFindings::check_barrier(bool of_grid) {
  const auto position = [&](int thread) {
    return LineTable::get().find(reinterpret_cast<std::uintptr_t>(block_->waits_at(thread)) - 1);
  };
  const int threads = block_->grid().threads_per_block();
  int first = -1, copy = -1, elsewhere = -1, waiting = 0;
  for (int thread = 0; thread < threads; ++thread) {
    if (has_ended(thread)) continue;
    ++waiting;
    if (first < 0) first = copy = thread;
    const void* const at = block_->waits_at(thread);
    if (at == block_->waits_at(first) || at == block_->waits_at(copy)) continue;
    const bool is_known = elsewhere >= 0 && at == block_->waits_at(elsewhere);
    // One barrier may have several copies in the machine code.
    (!is_known && position(thread) == position(first) ? copy : elsewhere) = thread;
  }
  const std::string barrier = of_grid ? "sync() of the grid" : "__syncthreads()";
  if (waiting < threads) {
    some_have_ended(barrier, first, waiting);
    if (of_grid) report_passed(kAnyStep);
  }
  if (elsewhere >= 0) {
    reporter_.report(
        finding_kind::kBarrier,
        "threads of one block wait at two different " + barrier +
            ": a barrier inside an if or a loop must be reached by all threads or by none.",
        {reporter_.wait_place(first), reporter_.wait_place(elsewhere)}, "of=block");
  }
}

// A GPU's barrier does not wait for threads that have returned. But it waits, and may wait forever,
// for threads of the same warp that go on past the barrier; these threads may also use data too
// early. A thread that has ended has gone on if others later execute one of its last steps, other
// than the basic block at the end of the kernel.
void BarrierFindings::some_have_ended(const std::string& barrier, int first, int waiting) {
  const int threads = block_->grid().threads_per_block();
  MissedBarrier missed{"only " + std::to_string(waiting) + " of " + count_of(threads, "thread") +
                           " of the block reach this " + barrier + "; the others have ",
                       reporter_.wait_place(first),
                       {}};
  bool is_news = false;
  for (int thread = 0; thread < threads; ++thread) {
    if (!has_ended(thread) || of_block_.is_known[thread]) continue;
    of_block_.is_known[thread] = is_news = true;
    for (const Step step : of_block_.last_steps[thread]) missed.last_steps.insert(step.bits());
  }
  if (is_news) of_block_.missed.push_back(std::move(missed));
}

void BarrierFindings::report_passed(std::uint64_t step) {
  const auto reported = [&](const MissedBarrier& missed) {
    if (step != kAnyStep && missed.last_steps.count(step) == 0) return false;
    reporter_.report(finding_kind::kBarrier,
                     missed.message +
                         "ended without it. All threads must reach it: put only the work inside "
                         "an if, and the barrier outside.",
                     {missed.place}, "of=block");
    return true;
  };
  of_block_.missed.erase(std::remove_if(of_block_.missed.begin(), of_block_.missed.end(), reported),
                         of_block_.missed.end());
}

void BarrierFindings::end_block() {
  for (const MissedBarrier& missed : of_block_.missed) {
    reporter_.warn(
        missed.message +
            "returned. A GPU does not wait for them, so this is right if no thread needs "
            "what they would have loaded, computed or stored after their return.",
        missed.place);
  }
  of_block_.missed.clear();
}

// CUDA requires the same function, not the same place: both branches of an if may call it.
void BarrierFindings::check_warp_call(int warp, std::uint32_t lanes) const {
  const int first = warp * kWarpSize + __builtin_ctz(lanes);
  int other = first;
  for_each_lane(lanes, [&](int lane) {
    const int thread = warp * kWarpSize + lane;
    if (block_->waits_at(thread) == block_->waits_at(first)) return;
    const WarpCall &a = block_->warp_call_of(first), &b = block_->warp_call_of(thread);
    if (a.operation != b.operation || a.reduction != b.reduction) other = thread;
  });
  if (other == first) return;
  reporter_.report(finding_kind::kBarrier,
                   "lanes of one warp wait for each other at two different warp functions: the "
                   "results are undefined. All lanes of a mask must call the same function with "
                   "that mask.",
                   {reporter_.wait_place(first), reporter_.wait_place(other)}, "of=warp");
}

void BarrierFindings::report_left_out(int thread, std::uint32_t mask) const {
  reporter_.report(finding_kind::kBarrier, left_out_text(mask), {reporter_.wait_place(thread)},
                   "of=warp");
}

void BarrierFindings::report_deadlock() const {
  std::vector<Finding::Place> places;
  std::vector<SourcePosition> seen;
  for (int thread = 0; thread < block_->grid().threads_per_block(); ++thread) {
    if (has_ended(thread)) continue;
    Finding::Place place = reporter_.wait_place(thread);
    const SourcePosition position{place.file, place.line, place.column};
    if (std::find(seen.begin(), seen.end(), position) != seen.end()) continue;
    seen.push_back(position);
    places.push_back(std::move(place));
  }
  reporter_.report(
      finding_kind::kDeadlock,
      "no thread of the block can continue: some threads wait at a barrier that the other threads "
      "never reach.",
      std::move(places));
}

}  // namespace cuda_simulator
