#pragma once

#include "trace/warp/path_step.h"
#include "trace/warp/warp_log.h"

#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

// The thread of a kernel that runs on this OS thread, for the functions that traced code calls at
// every step. It holds the lane's position on its warp's path; while the lane is paused, the log
// holds it.
struct RunningLane {
  const PathStep* next;  // kNoStep outside a kernel, which equals no step
  WarpLog* log;          // nullptr outside a kernel
  unsigned lane;
  std::uintptr_t stacks_begin;  // the stacks of the block's threads, which hold their local memory
  std::size_t stacks_bytes;
  // Of the stacks: translate/inline_steps.py skips the hooks of their accesses. 0 outside a grid,
  // and while LocalArrays needs these accesses.
  std::size_t skipped_bytes;

  // If the lane's next step equals that of the lanes before it, and the address is in the same
  // array: records it and returns true. This is the case for nearly every access.
  bool follow(Step step, std::uintptr_t address) {
    const PathStep& path = *next;
    if (path.step != step) return false;
    if (address - path.begin >= path.reach || (address & (step.bytes() - 1)) != 0) return false;
    path.row->addresses[lane] = address;
    ++next;
    return true;
  }
  // The same for the beginning of a basic block.
  bool follow(Step block) {
    if (next->step != block) return false;
    ++next;
    return true;
  }

  void begin(WarpLog& its_log, unsigned its_lane) {
    end();
    log = &its_log;
    lane = its_lane;
    next = log->next_step_of(static_cast<int>(lane));
  }
  // From here on nothing is recorded.
  void end() {
    if (log) log->set_next_step(static_cast<int>(lane), next);
    forget();
  }
  void forget() {
    log = nullptr;
    next = &kNoStep;
  }
};
extern __thread RunningLane running_lane;

// Pauses recording while the object lives. The tracer's own work during a kernel may call functions
// of the C++ library, and the linker may have chosen the traced copy of them.
class RecordingPause {
 public:
  RecordingPause() : log_(running_lane.log) { running_lane.end(); }
  ~RecordingPause() {
    running_lane.forget();  // the log has the current state: the lane may have executed a step
    if (log_) running_lane.begin(*log_, running_lane.lane);
  }
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  WarpLog* const log_;
};

}  // namespace cuda_simulator
