#pragma once

#include "execution/block.h"
#include "execution/lanes.h"
#include "trace/warp/access.h"
#include "trace/warp/path_step.h"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace cuda_simulator {

// The paths of one warp's lanes since they last met: which basic blocks they went through, and the
// accesses they made there.
//
// Lanes run one after another. The first writes down its path; while a later one repeats it, step
// for step, only addresses are added. A lane that leaves the path has diverged: it keeps a list of
// its own from there on.
class WarpLog {
 public:
  // What lies behind an access, beside its address.
  struct LaneStep {
    Step step;
    std::uintptr_t address;
    AddressedArray array;
  };

  // What the path has next for a lane; kNoStep for one that has left it.
  const PathStep* next_step_of(int lane) const {
    const std::uint32_t position = position_[lane];
    return position == kDiverged ? &kNoStep : &path_[position];
  }
  void set_next_step(int lane, const PathStep* next) {
    if (position_[lane] == kDiverged) return;
    position_[lane] = static_cast<std::uint32_t>(next - path_.data());
  }
  // See RunningLane.
  bool follow(int lane, Step block) {
    if (next_step_of(lane)->step != block) return false;
    ++position_[lane];
    return true;
  }

  // Makes the running lane's step the path's next one, if the lane stands at the path's end, which
  // is at less than `limit`, and no memory is needed for it; else returns false. `next` is moved
  // on.
  bool extend(const PathStep*& next, Step block, std::uint32_t limit) {
    if (next != &path_[path_length_] || path_length_ >= limit || path_length_ + 1 >= path_.size())
      return false;
    append({block});
    ++next;
    return true;
  }
  // The same for an access, which `array` holds.
  bool extend(const PathStep*& next, unsigned lane, Step step, std::uintptr_t address,
              const AddressedArray& array) {
    if (next != &path_[path_length_] || path_length_ + 1 >= path_.size() ||
        row_count_ == rows_.size())
      return false;
    AccessRow& row = rows_[row_count_++];
    row.array = array;
    row.addresses[lane] = address;
    append(step_in(row, step));
    ++next;
    return true;
  }

  // Records what RunningLane::follow() and extend() did not.
  void add(int lane, Step step, std::uintptr_t address, const AddressedArray& array);
  void add(int lane, Step block);

  bool empty() const { return path_length_ == 0; }
  bool has_diverged() const { return diverged_ != 0; }
  std::uint32_t length(int lane) const {
    return is_diverged(lane) ? common_length_[lane] + static_cast<std::uint32_t>(own_[lane].size())
                             : position_[lane];
  }
  // Of all lanes together.
  std::uint64_t steps() const;
  bool is_diverged(int lane) const { return diverged_ >> lane & 1; }
  // Whether all of these lanes stand at the end of one path.
  bool all_at_end(std::uint32_t lanes) const;

  Step step_of(int lane, std::uint32_t n) const {
    return is_diverged(lane) && n >= common_length_[lane]
               ? own_[lane][n - common_length_[lane]].step
               : path_[n].step;
  }
  LaneStep access_of(int lane, std::uint32_t n) const;

  // Sets `code` to the last basic block that the lane has entered, if it has entered one.
  void find_last_block(int lane, std::uintptr_t* code) const;

  // Calls on_request(const WarpRequest&) and on_basic_block(code, lanes) for every step of the one
  // path. Only for a log without diverged lanes; `warp` is the warp's number in the block.
  template <typename OnRequest, typename OnBasicBlock>
  void for_each_step(int warp, OnRequest on_request, OnBasicBlock on_basic_block) const {
    std::uint32_t lanes = lanes_longer_than(0), shortest = shortest_of(lanes);
    for (std::uint32_t n = 0; n < path_length_; ++n) {
      if (n >= shortest) {
        lanes = lanes_longer_than(n);
        shortest = shortest_of(lanes);
      }
      const PathStep& path = path_[n];
      if (path.step.is_access()) {
        on_request(WarpRequest(path.step, path.row->array, warp, lanes, lanes & ~checked_at(n),
                               path.row->addresses.data(), false));
      } else {
        on_basic_block(path.step.code(), lanes);
      }
    }
  }

  // Calls check(lane, const LaneStep&) for each access that was not checked before, lane by lane.
  template <typename Check>
  void check_now(Check check) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t end = length(lane);
      for (std::uint32_t n = checked_[lane]; n < end; ++n) {
        if (step_of(lane, n).is_access()) check(lane, access_of(lane, n));
      }
      checked_[lane] = end;
    }
    some_checked_ = true;
  }
  bool is_checked(int lane, std::uint32_t n) const { return n < checked_[lane]; }

  void clear();

 private:
  static constexpr std::uint32_t kDiverged = std::numeric_limits<std::uint32_t>::max();

  static PathStep step_in(AccessRow& row, Step step) {
    return {step, row.array.begin, row.array.bytes - (step.bytes() - 1), &row};
  }
  void append(const PathStep& step) {
    path_[path_length_++] = step;
    if (path_length_ == path_.size()) path_.emplace_back();
    path_[path_length_].step = Step();
  }
  void diverge(int lane);
  std::uint32_t lanes_longer_than(std::uint32_t n) const;
  std::uint32_t shortest_of(std::uint32_t lanes) const;
  std::uint32_t checked_at(std::uint32_t n) const;

  std::array<std::uint32_t, kWarpSize> position_{};  // on the common path; kDiverged off it
  std::vector<PathStep> path_{1};  // the first path_length_ are in use; then comes an empty one
  std::uint32_t path_length_ = 0;
  std::deque<AccessRow> rows_;  // the first row_count_ are in use; they stay where they are
  std::uint32_t row_count_ = 0;

  std::uint32_t diverged_ = 0;
  std::array<std::uint32_t, kWarpSize> common_length_{};
  std::array<std::vector<LaneStep>, kWarpSize> own_;

  bool some_checked_ = false;
  std::array<std::uint32_t, kWarpSize> checked_{};
};

}  // namespace cuda_simulator
