#include "trace/warp/warp_log.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

const PathStep kNoStep;

void WarpLog::diverge(int lane) {
  diverged_ |= 1u << lane;
  common_length_[lane] = position_[lane];
  position_[lane] = kDiverged;
}

void WarpLog::add(int lane, Step step, std::uintptr_t address, const AddressedArray& array) {
  const std::uint32_t position = position_[lane];
  if (position == length_ && path_->at(position)->step != step) {
    path_->cut(position);
    path_->append(static_cast<unsigned>(lane), step, address, array);
    stands_at(lane, position + 1);
    return;
  }
  if (!is_diverged(lane) && path_->at(position)->step == step) {
    if (position == length_) path_->change_array(position, array);
    AddressedArray& known = path_->array_at(position);
    if (known.region == array.region) {
      if (known.may_be_uninitialised && !array.may_be_uninitialised) {
        known.may_be_uninitialised = false;  // as for this warp's request
        kept_length_ = std::min(kept_length_, position);
      }
      path_->at(position)->row->addresses[lane] = address;
      stands_at(lane, position + 1);
      return;
    }
  }
  if (!is_diverged(lane)) diverge(lane);
  own_[lane].add(step, address, array);
}

void WarpLog::add(int lane, Step block) {
  const std::uint32_t position = position_[lane];
  if (position == length_) {
    path_->cut(position);
    path_->append(block);
    stands_at(lane, position + 1);
    return;
  }
  if (!is_diverged(lane)) diverge(lane);
  own_[lane].steps.push_back(block);
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

WarpLog::LaneStep WarpLog::access_of(int lane, std::uint32_t n, std::uint32_t& own_accesses) const {
  if (is_diverged(lane) && n >= common_length_[lane]) {
    const OwnPath::Access& access = own_[lane].accesses[own_accesses++];
    return {step_of(lane, n), access.address, access.array};
  }
  const PathStep& step = *path_->at(n);
  return {step.step, step.row->addresses[lane], path_->array_at(n)};
}

std::optional<WarpLog::LaneStep> WarpLog::last_access_of(int lane) const {
  for (std::uint32_t n = length(lane); n > 0; --n) {
    if (!step_of(lane, n - 1).is_access()) continue;
    auto last = static_cast<std::uint32_t>(own_[lane].accesses.size()) - 1;
    return access_of(lane, n - 1, last);
  }
  return std::nullopt;
}

bool WarpLog::accesses_only(std::uintptr_t address, int lane) const {
  auto own = static_cast<std::uint32_t>(own_[lane].accesses.size());
  for (std::uint32_t n = length(lane); n > length(lane) / 2; --n) {
    if (!step_of(lane, n - 1).is_access()) continue;
    std::uint32_t index = is_diverged(lane) && n > common_length_[lane] ? --own : own;
    if (access_of(lane, n - 1, index).address != address) return false;
  }
  return true;
}

void WarpLog::append_steps_of(int lane, std::vector<Step>& steps) const {
  const std::uint32_t common = is_diverged(lane) ? common_length_[lane] : position_[lane];
  for (std::uint32_t n = 0; n < common; ++n) steps.push_back(path_->at(n)->step);
  if (is_diverged(lane))
    steps.insert(steps.end(), own_[lane].steps.begin(), own_[lane].steps.end());
}

std::array<Step, 2> WarpLog::last_steps_of(int lane) const {
  Step access, block;
  int accesses = 0, blocks = 0;
  for (std::uint32_t n = length(lane); n > 0 && (accesses == 0 || blocks < 2); --n) {
    const Step step = step_of(lane, n - 1);
    if (step.is_access()) {
      if (++accesses == 1) access = step;
    } else {
      if (++blocks == 2) block = step;
    }
  }
  return {access, block};
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
  for_each_lane(lanes, [&](int lane) { all &= position_[lane] == length_; });
  return all;
}

std::uint32_t WarpLog::lanes_longer_than(std::uint32_t n) const {
  bool all = true;  // without a branch in the loop, the compiler vectorises it
  for (const std::uint32_t position : position_) all &= position == length_;
  if (all) return ~0u;
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= static_cast<std::uint32_t>(position_[lane] > n) << lane;
  }
  return lanes;
}

std::uint32_t WarpLog::shortest_of(std::uint32_t lanes) const {
  std::uint32_t shortest = length_;
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

void WarpLog::clear(std::uintptr_t start) {
  path_->cut(kept_length_);
  path_->shorten(kSliceSteps);
  kept_length_ = ~0u;
  length_ = 0;
  position_.fill(0);
  for_each_lane(diverged_, [&](int lane) {
    own_[lane].steps.clear();
    own_[lane].accesses.clear();
  });
  diverged_ = 0;
  if (some_checked_) {
    checked_.fill(0);
    own_checked_.fill(0);
  }
  some_checked_ = false;
  begin_at(start);
}

void WarpLog::begin_at(std::uintptr_t start) {
  if (path_ && path_->start() == start) return;
  const auto known = std::find_if(paths_.begin(), paths_.end(),
                                  [&](const auto& path) { return path->start() == start; });
  if (known != paths_.end()) {
    path_ = known->get();
    return;
  }
  auto path = std::make_unique<WarpPath>(start, rows_);
  path_ = path.get();
  if (paths_.size() < kMostPaths) {
    paths_.push_back(std::move(path));
  } else {
    paths_[next_replaced_++ % kMostPaths] = std::move(path);
  }
}

void WarpLog::forget_paths() {
  for (const auto& path : paths_) path->cut(0);
}

}  // namespace cuda_simulator
