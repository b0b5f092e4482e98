#include "trace/checks/clock.h"

namespace cuda_simulator {
namespace {

constexpr Epoch kLastEpoch = (Epoch{1} << Clock::kEpochBits) - 1;

}  // namespace

// At the last epoch, after hours in one launch, everything counts as ordered: no more races are
// found, but no false ones either.
Epoch Clock::tick() {
  if (now_ < kLastEpoch) return ++now_;
  launch_begin_ = block_begin_ = last_barrier_ = kLastEpoch + 1;
  return now_;
}

bool Clock::begin_grid() {
  const bool restart = now_ > kLastEpoch / 2;
  if (restart) {
    now_ = 1;
    warps_ = {};
  }
  block_begins_.clear();
  launch_begin_ = block_begin_ = last_barrier_ = tick();
  return restart;
}

void Clock::begin_block(std::uint64_t block) {
  const Epoch epoch = tick();
  block_begins_.push_back({epoch, block});
  if (epoch < kLastEpoch) block_begin_ = last_barrier_ = epoch;
}

void Clock::grid_synchronised() {
  const Epoch epoch = tick();
  if (epoch < kLastEpoch) launch_begin_ = block_begin_ = last_barrier_ = epoch;
}

void Clock::barrier() {
  const Epoch epoch = tick();
  if (epoch < kLastEpoch) last_barrier_ = epoch;
}

void Clock::warp_synchronised(int warp_number, std::uint32_t lanes, bool all_live_lanes) {
  WarpEpochs& warp = warps_[warp_number];
  const Epoch epoch = tick();
  if (all_live_lanes) {
    warp.all_lanes_met = epoch;
    return;
  }
  for (int a = 0; a < kWarpSize; ++a) {
    for (int b = 0; b < kWarpSize; ++b) {
      if (lanes >> a & lanes >> b & 1) warp.lanes_met[a][b] = epoch;
    }
  }
}

std::uint64_t Clock::block_at(Epoch epoch) const {
  const auto after =
      std::upper_bound(block_begins_.begin(), block_begins_.end(), epoch,
                       [](Epoch wanted, const BlockBegin& begin) { return wanted < begin.epoch; });
  return (after - 1)->block;
}

}  // namespace cuda_simulator
