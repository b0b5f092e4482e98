#pragma once

#include "execution/block.h"
#include "execution/lanes.h"
#include "trace/warp/access.h"

#include <array>
#include <cstdint>
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

  // If the lane's next step is that of the lanes before it, and the address lies in the same array:
  // records it and returns true. Nearly every access takes this way.
  bool follow(int lane, Step step, std::uintptr_t address) {
    const std::uint32_t position = position_[lane];
    if (position >= path_length_) return false;
    const PathStep& path = path_[position];
    if (path.step != step) return false;
    if (address - path.begin >= path.reach || (address & (step.bytes() - 1)) != 0) return false;
    rows_[path.row][lane] = address;
    position_[lane] = position + 1;
    return true;
  }
  // The same for the beginning of a basic block.
  bool follow(int lane, Step block) {
    const std::uint32_t position = position_[lane];
    if (position >= path_length_ || path_[position].step != block) return false;
    position_[lane] = position + 1;
    return true;
  }

  // Records what follow() did not.
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
        on_request(WarpRequest(path.step, arrays_[path.row], warp, lanes, lanes & ~checked_at(n),
                               rows_[path.row].data(), false));
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

  struct PathStep {
    Step step;
    // Of an access: its array's begin, and at how many addresses from there on it fits.
    std::uintptr_t begin;
    std::size_t reach;
    std::uint32_t row;
  };
  using Row = std::array<std::uintptr_t, kWarpSize>;  // the lanes' addresses

  void append(const PathStep& step) {
    if (path_length_ == path_.size()) path_.emplace_back();
    path_[path_length_++] = step;
  }
  void diverge(int lane);
  std::uint32_t lanes_longer_than(std::uint32_t n) const;
  std::uint32_t shortest_of(std::uint32_t lanes) const;
  std::uint32_t checked_at(std::uint32_t n) const;

  std::array<std::uint32_t, kWarpSize> position_{};  // on the common path; kDiverged off it
  std::vector<PathStep> path_;                       // the first path_length_ are in use
  std::uint32_t path_length_ = 0;
  std::vector<Row> rows_;               // the first row_count_ are in use
  std::vector<AddressedArray> arrays_;  // of the rows
  std::uint32_t row_count_ = 0;

  std::uint32_t diverged_ = 0;
  std::array<std::uint32_t, kWarpSize> common_length_{};
  std::array<std::vector<LaneStep>, kWarpSize> own_;

  bool some_checked_ = false;
  std::array<std::uint32_t, kWarpSize> checked_{};
};

}  // namespace cuda_simulator
