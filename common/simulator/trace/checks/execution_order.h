#pragma once

#include "execution/block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// What CUDA orders, in the form of one clock. It ticks wherever something is ordered: when a launch
// or a block begins, at barriers, warp functions and fences. An access is remembered with its time,
// and comparing times tells whether all that came before a barrier includes it.
class ExecutionOrder {
 public:
  // Times fit in 30 bits; 0 is before everything.
  static constexpr std::uint32_t kTimeBits = 30;

  // True if the clock starts again, so that everything remembered with a time must be forgotten.
  bool begin_grid();
  void begin_block();
  void barrier();
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes);
  std::uint32_t tick();

  std::uint32_t now() const { return now_; }
  std::uint32_t launch_begin() const { return launch_begin_; }
  std::uint32_t block_begin() const { return block_begin_; }
  std::uint32_t last_barrier() const { return last_barrier_; }
  // The number, within its launch, of the block that ran at a time of this launch.
  std::uint64_t block_at(std::uint32_t time) const;

  // Everything that `thread` of the running block did before this time comes before what `later`
  // does now.
  std::uint32_t ordered_before(int thread, int later) const {
    const int warp = thread / kWarpSize;
    if (later / kWarpSize != warp) return last_barrier_;
    const WarpOrder& order = warps_[warp];
    return std::max({last_barrier_, order.all_lanes_met,
                     order.lanes_met[thread % kWarpSize][later % kWarpSize]});
  }

 private:
  struct WarpOrder {  // when lanes last met
    std::uint32_t all_lanes_met = 0;
    std::array<std::array<std::uint32_t, kWarpSize>, kWarpSize> lanes_met{};
  };

  std::uint32_t now_ = 1, launch_begin_ = 1, block_begin_ = 1, last_barrier_ = 1;
  std::vector<std::uint32_t> block_begins_;  // of this launch
  std::array<WarpOrder, kMaxWarps> warps_;
};

}  // namespace cuda_simulator
