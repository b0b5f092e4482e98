#include "trace/checks/clock.h"

namespace cuda_simulator {
namespace {

constexpr Epoch kLastEpoch = (Epoch{1} << Clock::kEpochBits) - 1;

}  // namespace

// At the last epoch, after hours in one launch, everything counts as ordered: no more races are
// found, but no false ones either.
Epoch Clock::tick() {
  if (now_ < kLastEpoch) return ++now_;
  launch_begin_ = block_begin_ = first_begin_ = last_barrier_ = kLastEpoch + 1;
  return now_;
}

bool Clock::begin_grid() {
  const bool restart = now_ > kLastEpoch / 2;
  if (restart) {
    now_ = 1;
    warps_ = {};
  }
  parts_.clear();
  has_interruptions_ = false;
  launch_begin_ = block_begin_ = first_begin_ = last_barrier_ = tick();
  return restart;
}

void Clock::begin_block(std::uint64_t block) {
  const Epoch epoch = tick();
  parts_.push_back({epoch, epoch, block});
  if (epoch < kLastEpoch) block_begin_ = first_begin_ = last_barrier_ = epoch;
}

Clock::OfBlock Clock::block_interrupted(int warps) {
  has_interruptions_ = true;
  return {
      parts_.back().block, first_begin_, last_barrier_, {warps_.begin(), warps_.begin() + warps}};
}

void Clock::block_continues(const OfBlock& of_block) {
  const Epoch epoch = tick();
  if (epoch == kLastEpoch) return;
  parts_.push_back({epoch, of_block.first_begin, of_block.block});
  block_begin_ = epoch;
  first_begin_ = of_block.first_begin;
  last_barrier_ = of_block.last_barrier;
  std::copy(of_block.warps.begin(), of_block.warps.end(), warps_.begin());
}

void Clock::grid_synchronised() {
  const Epoch epoch = tick();
  if (epoch < kLastEpoch) launch_begin_ = block_begin_ = first_begin_ = last_barrier_ = epoch;
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

const Clock::Part& Clock::part_at(Epoch epoch) const {
  return *(std::upper_bound(parts_.begin(), parts_.end(), epoch,
                            [](Epoch wanted, const Part& part) { return wanted < part.epoch; }) -
           1);
}

}  // namespace cuda_simulator
