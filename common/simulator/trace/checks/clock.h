#pragma once

#include "execution/block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// A time of the clock. 0 is before everything.
using Epoch = std::uint32_t;

// The happens-before order of barriers and __syncwarp(). (ReleaseAcquire adds the order of fences.)
// Race detectors for CPUs give each thread a vector clock: the times of all other threads that it
// comes after. Here threads run one at a time and mostly synchronise all together, so a single
// logical clock is enough. It ticks whenever something is ordered: when a launch or a block begins,
// at barriers, __syncwarp() and fences. A shadow cell keeps the epoch of its access. A comparison
// of epochs shows whether the access came before a barrier.
class Clock {
 public:
  // The number of bits of an epoch in a shadow cell.
  static constexpr std::uint32_t kEpochBits = 30;

  // Returns true if the clock starts again, so that every stored epoch must be forgotten.
  bool begin_grid();
  // `block` is the block's number within its launch.
  void begin_block(std::uint64_t block);
  // Everything that the launch has done happens before everything that it does from now on.
  void grid_synchronised();
  void barrier();
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes);
  Epoch tick();

  Epoch now() const { return now_; }
  Epoch launch_begin() const { return launch_begin_; }
  Epoch block_begin() const { return block_begin_; }
  Epoch last_barrier() const { return last_barrier_; }
  // The number of the block that ran at an epoch of this launch.
  std::uint64_t block_at(Epoch epoch) const;
  // Returns whether block_at() can be called: the epoch belongs to this launch.
  bool is_of_this_launch(Epoch epoch) const {
    return !block_begins_.empty() && epoch >= block_begins_.front().epoch;
  }

  // Actions of `thread` of the running block before this epoch happen before actions of `by` from
  // now on: the entry for `thread` in the vector clock of `by`.
  Epoch epoch_seen(int thread, int by) const {
    const int warp = thread / kWarpSize;
    if (by / kWarpSize != warp) return last_barrier_;
    const WarpEpochs& epochs = warps_[warp];
    return std::max({last_barrier_, epochs.all_lanes_met,
                     epochs.lanes_met[thread % kWarpSize][by % kWarpSize]});
  }

 private:
  struct WarpEpochs {  // the epochs at which lanes last met
    Epoch all_lanes_met = 0;
    std::array<std::array<Epoch, kWarpSize>, kWarpSize> lanes_met{};
  };

  Epoch now_ = 1, launch_begin_ = 1, block_begin_ = 1, last_barrier_ = 1;
  // In this launch: the epoch at which a block began or was resumed.
  struct BlockBegin {
    Epoch epoch;
    std::uint64_t block;
  };
  std::vector<BlockBegin> block_begins_;
  std::array<WarpEpochs, kMaxWarps> warps_;
};

}  // namespace cuda_simulator
