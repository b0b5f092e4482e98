#include "trace/checks/execution_order.h"

namespace cuda_simulator {
namespace {

constexpr std::uint32_t kEndOfTime = (1u << ExecutionOrder::kTimeBits) - 1;

}  // namespace

// At the end of time, after hours in one launch, everything counts as ordered: nothing is found any
// more, rather than something wrong.
std::uint32_t ExecutionOrder::tick() {
  if (now_ < kEndOfTime) return ++now_;
  launch_begin_ = block_begin_ = last_barrier_ = kEndOfTime + 1;
  return now_;
}

bool ExecutionOrder::begin_grid() {
  const bool restart = now_ > kEndOfTime / 2;
  if (restart) {
    now_ = 1;
    warps_ = {};
  }
  block_begins_.clear();
  launch_begin_ = block_begin_ = last_barrier_ = tick();
  return restart;
}

void ExecutionOrder::begin_block() {
  const std::uint32_t time = tick();
  block_begins_.push_back(time);
  if (time < kEndOfTime) block_begin_ = last_barrier_ = time;
}

void ExecutionOrder::barrier() {
  const std::uint32_t time = tick();
  if (time < kEndOfTime) last_barrier_ = time;
}

void ExecutionOrder::warp_synchronised(int warp_number, std::uint32_t lanes, bool all_live_lanes) {
  WarpOrder& warp = warps_[warp_number];
  const std::uint32_t time = tick();
  if (all_live_lanes) {
    warp.all_lanes_met = time;
    return;
  }
  for (int a = 0; a < kWarpSize; ++a) {
    for (int b = 0; b < kWarpSize; ++b) {
      if (lanes >> a & lanes >> b & 1) warp.lanes_met[a][b] = time;
    }
  }
}

std::uint64_t ExecutionOrder::block_at(std::uint32_t time) const {
  const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), time);
  return static_cast<std::uint64_t>(after - block_begins_.begin()) - 1;
}

}  // namespace cuda_simulator
