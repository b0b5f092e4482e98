#include "trace/warp/warp_log.h"

#include <algorithm>

namespace cuda_simulator {

const PathStep kNoStep;

void WarpLog::diverge(int lane) {
  diverged_ |= 1u << lane;
  common_length_[lane] = position_[lane];
  position_[lane] = kDiverged;
}

void WarpLog::add(int lane, Step step, std::uintptr_t address, const AddressedArray& array) {
  const std::uint32_t position = position_[lane];
  if (position == path_length_) {
    if (row_count_ == rows_.size()) rows_.emplace_back();
    AccessRow& row = rows_[row_count_++];
    row.array = array;
    row.addresses[lane] = address;
    append(step_in(row, step));
    position_[lane] = position + 1;
    return;
  }
  if (position < path_length_ && path_[position].step == step) {
    AccessRow& row = *path_[position].row;
    if (row.array.region == array.region) {
      row.array.may_be_uninitialised &= array.may_be_uninitialised;
      row.addresses[lane] = address;
      position_[lane] = position + 1;
      return;
    }
  }
  if (!is_diverged(lane)) diverge(lane);
  own_[lane].push_back({step, address, array});
}

void WarpLog::add(int lane, Step block) {
  if (position_[lane] == path_length_) {
    append({block});
    ++position_[lane];
    return;
  }
  if (!is_diverged(lane)) diverge(lane);
  own_[lane].push_back({block, 0, {}});
}

std::uint64_t WarpLog::steps() const {
  std::uint64_t sum = 0;
  if (!has_diverged()) {
    for (const std::uint32_t position : position_) sum += position;
    return sum;
  }
  for (int lane = 0; lane < kWarpSize; ++lane) sum += length(lane);
  return sum;
}

WarpLog::LaneStep WarpLog::access_of(int lane, std::uint32_t n) const {
  if (is_diverged(lane) && n >= common_length_[lane]) return own_[lane][n - common_length_[lane]];
  const AccessRow& row = *path_[n].row;
  return {path_[n].step, row.addresses[lane], row.array};
}

void WarpLog::find_last_block(int lane, std::uintptr_t* code) const {
  for (std::uint32_t n = length(lane); n > 0; --n) {
    const Step step = step_of(lane, n - 1);
    if (step.is_access()) continue;
    *code = step.code();
    return;
  }
}

bool WarpLog::all_at_end(std::uint32_t lanes) const {
  bool all = diverged_ == 0;
  for_each_lane(lanes, [&](int lane) { all &= position_[lane] == path_length_; });
  return all;
}

std::uint32_t WarpLog::lanes_longer_than(std::uint32_t n) const {
  bool all = true;  // without a branch in the loop, the compiler vectorises it
  for (const std::uint32_t position : position_) all &= position == path_length_;
  if (all) return ~0u;
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= static_cast<std::uint32_t>(position_[lane] > n) << lane;
  }
  return lanes;
}

std::uint32_t WarpLog::shortest_of(std::uint32_t lanes) const {
  std::uint32_t shortest = path_length_;
  for_each_lane(lanes, [&](int lane) { shortest = std::min(shortest, position_[lane]); });
  return shortest;
}

std::uint32_t WarpLog::checked_at(std::uint32_t n) const {
  if (!some_checked_) return 0;
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= static_cast<std::uint32_t>(is_checked(lane, n)) << lane;
  }
  return lanes;
}

void WarpLog::clear() {
  path_length_ = row_count_ = 0;
  path_[0].step = Step();
  position_.fill(0);
  for_each_lane(diverged_, [&](int lane) { own_[lane].clear(); });
  diverged_ = 0;
  if (some_checked_) checked_.fill(0);
  some_checked_ = false;
}

}  // namespace cuda_simulator
