#pragma once

#include "trace/warp/access.h"

#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Receives the steps of a warp.
class WarpListener {
 public:
  virtual ~WarpListener() = default;
  virtual void on_request(const WarpRequest& request) = 0;
  // These lanes executed a basic block together. If `notes` are given, later executions are added
  // to the counts that they point to, without a call of this function.
  virtual void on_basic_block(std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) = 0;
  // The lanes diverged at its end; `next` is the smallest code address after it, and `ways`
  // contains the lanes of each path.
  virtual void on_divergence(std::uintptr_t code, std::uintptr_t next, int warp,
                             const std::vector<std::uint32_t>& ways) = 0;
};

}  // namespace cuda_simulator
