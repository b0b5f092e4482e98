#pragma once

#include "execution/block.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// A time of the clock. 0 is before everything.
using Epoch = std::uint32_t;

// Happens-before, as barriers and warp functions make it. (ReleaseAcquire has what fences add.)
//
// Race detectors for CPUs give each thread a clock and a vector of what it has seen of the others'
// clocks. Here threads run one after another and mostly synchronise all together, so one logical
// clock serves them all: it ticks wherever something is ordered, when a launch or a block begins,
// at barriers, warp functions and fences. A shadow cell keeps the epoch of its access, and
// comparing epochs tells whether all that came before a barrier includes it.
class Clock {
 public:
  // Epochs fit in a shadow cell.
  static constexpr std::uint32_t kEpochBits = 30;

  // True if the clock starts again, so that everything remembered with an epoch must be forgotten.
  bool begin_grid();
  // `block` is the block's number within its launch.
  void begin_block(std::uint64_t block);
  // All that the launch has done happens before what it does from now on.
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
  // Whether block_at() knows it: the epoch is one of this launch.
  bool is_of_this_launch(Epoch epoch) const {
    return !block_begins_.empty() && epoch >= block_begins_.front().epoch;
  }

  // What `thread` of the running block did before this epoch happens before what `by` does now: the
  // entry for `thread` in the vector clock that `by` would have.
  Epoch epoch_seen(int thread, int by) const {
    const int warp = thread / kWarpSize;
    if (by / kWarpSize != warp) return last_barrier_;
    const WarpEpochs& epochs = warps_[warp];
    return std::max({last_barrier_, epochs.all_lanes_met,
                     epochs.lanes_met[thread % kWarpSize][by % kWarpSize]});
  }

 private:
  struct WarpEpochs {  // when lanes last met
    Epoch all_lanes_met = 0;
    std::array<std::array<Epoch, kWarpSize>, kWarpSize> lanes_met{};
  };

  Epoch now_ = 1, launch_begin_ = 1, block_begin_ = 1, last_barrier_ = 1;
  // Of this launch: when a block began, or went on.
  struct BlockBegin {
    Epoch epoch;
    std::uint64_t block;
  };
  std::vector<BlockBegin> block_begins_;
  std::array<WarpEpochs, kMaxWarps> warps_;
};

}  // namespace cuda_simulator
