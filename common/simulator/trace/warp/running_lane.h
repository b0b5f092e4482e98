#pragma once

#include "trace/warp/warp_log.h"

#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

// The thread of a kernel that runs on this OS thread, for the functions that traced code calls at
// every step.
struct RunningLane {
  WarpLog* log;  // nullptr outside a kernel
  int lane;
  std::uintptr_t stacks_begin;  // of the block's threads: their local memory
  std::size_t stacks_bytes;
};
extern __thread RunningLane running_lane;

// While it lives, nothing is recorded. What the tracer itself does on a kernel's behalf may call
// functions of the C++ library, and the linker may have chosen the traced copy of them.
class RecordingPause {
 public:
  RecordingPause() : log_(running_lane.log) { running_lane.log = nullptr; }
  ~RecordingPause() { running_lane.log = log_; }
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  WarpLog* const log_;
};

}  // namespace cuda_simulator
