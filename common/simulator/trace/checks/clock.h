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
  struct WarpEpochs {  // the epochs at which lanes last met
    Epoch all_lanes_met = 0;
    std::array<std::array<Epoch, kWarpSize>, kWarpSize> lanes_met{};
  };

 public:
  // The number of bits of an epoch in a shadow cell.
  static constexpr std::uint32_t kEpochBits = 30;

  // Returns true if the clock starts again, so that every stored epoch must be forgotten.
  bool begin_grid();
  // `block` is the block's number within its launch.
  void begin_block(std::uint64_t block);
  // What belongs to a block of up to kMaxWarps warps while others run.
  struct OfBlock {
    std::uint64_t block;
    Epoch first_begin, last_barrier;
    std::vector<WarpEpochs> warps;
  };
  OfBlock block_interrupted(int warps);
  void block_continues(const OfBlock& of_block);
  // Everything that the launch has done happens before everything that it does from now on.
  void grid_synchronised();
  void barrier();
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes);
  Epoch tick();

  Epoch now() const { return now_; }
  Epoch launch_begin() const { return launch_begin_; }
  // When the running block began; after other blocks have interrupted it, when it last continued.
  Epoch block_begin() const { return block_begin_; }
  Epoch first_begin() const { return first_begin_; }
  // Whether the running block ran at this epoch.
  bool is_of_block(Epoch epoch) const {
    return epoch >= block_begin_ || (epoch >= first_begin_ && part_at(epoch).first == first_begin_);
  }
  // Whether blocks of this launch have interrupted each other.
  bool has_interruptions() const { return has_interruptions_; }
  // The first_begin() of the block that ran at an epoch of this launch.
  Epoch begin_of(Epoch epoch) const { return part_at(epoch).first; }
  Epoch last_barrier() const { return last_barrier_; }
  // The number of the block that ran at an epoch of this launch.
  std::uint64_t block_at(Epoch epoch) const { return part_at(epoch).block; }
  // Returns whether block_at() can be called: the epoch belongs to this launch.
  bool is_of_this_launch(Epoch epoch) const {
    return !parts_.empty() && epoch >= parts_.front().epoch;
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
  // In this launch: the epoch from which on a block ran, and the one at which it first did.
  struct Part {
    Epoch epoch, first;
    std::uint64_t block;
  };
  const Part& part_at(Epoch epoch) const;

  Epoch now_ = 1, launch_begin_ = 1, block_begin_ = 1, first_begin_ = 1, last_barrier_ = 1;
  bool has_interruptions_ = false;
  std::vector<Part> parts_;
  std::array<WarpEpochs, kMaxWarps> warps_;
};

}  // namespace cuda_simulator
