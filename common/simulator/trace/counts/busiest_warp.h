#pragma once

#include "execution/block.h"
#include "execution/lanes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace cuda_simulator {

// Counts the requests of the warp that makes the most requests in a launch. Threads that do nothing
// do not change this number, so it shows whether a launch divides its work among its warps.
class BusiestWarp {
 public:
  void begin_grid() {
    most_ = 0;
    suspended_.clear();
  }
  void begin_block() { of_warps_ = {}; }
  void request(int warp) { ++of_warps_[static_cast<std::size_t>(warp)]; }
  // Returns by how much the launch's number has grown.
  std::uint64_t end_block() {
    const std::uint64_t before = most_;
    most_ = std::max(most_, *std::max_element(of_warps_.begin(), of_warps_.end()));
    return most_ - before;
  }
  // For a cooperative launch, whose blocks alternate.
  void block_suspended(std::uint64_t index) { suspended_[index] = of_warps_; }
  void block_resumed(std::uint64_t index) { of_warps_ = suspended_[index]; }

 private:
  using OfWarps = std::array<std::uint64_t, kMaxBlockThreads / kWarpSize>;

  std::uint64_t most_ = 0;
  OfWarps of_warps_{};
  std::unordered_map<std::uint64_t, OfWarps> suspended_;
};

}  // namespace cuda_simulator
