#pragma once

#include "trace/warp/access.h"

#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Who is told what a warp did.
class WarpListener {
 public:
  virtual ~WarpListener() = default;
  virtual void on_request(const WarpRequest& request) = 0;
  // These lanes went through a basic block together. Where `notes` are given, what they name is to
  // be added to without asking when others do so.
  virtual void on_basic_block(std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) = 0;
  // They parted at its end; `next` is the smallest address of code that follows it, and `ways` has
  // the lanes that go on together.
  virtual void on_divergence(std::uintptr_t code, std::uintptr_t next, int warp,
                             const std::vector<std::uint32_t>& ways) = 0;
};

}  // namespace cuda_simulator
