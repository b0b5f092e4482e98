#pragma once

#include "execution/block.h"
#include "execution/lanes.h"
#include "trace/warp/access.h"
#include "trace/warp/path_step.h"
#include "trace/warp/warp_path.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace cuda_simulator {

// The paths of one warp's lanes since they last met: their basic blocks, and the accesses in them.
// Lanes run one at a time. The first lane records its path. While a later lane repeats it step by
// step, only addresses are added. A lane that leaves the path has diverged: from there on it has
// its own list. The first lane may follow the recorded path of an earlier warp.
class WarpLog {
 public:
  // The number of steps that a lane usually records before the other lanes run.
  static constexpr std::uint32_t kSliceSteps = 256;

  // Used instead of a code address: the beginning of a thread.
  static constexpr std::uintptr_t kNoCode = 1;

  WarpLog() { begin_at(kNoCode); }
  WarpLog(const WarpLog&) = delete;
  WarpLog& operator=(const WarpLog&) = delete;

  // The data of an access, in addition to its address.
  struct LaneStep {
    Step step;
    std::uintptr_t address;
    AddressedArray array;
  };

  // The path's next step for a lane; kNoStep for a lane that has left the path.
  const PathStep* next_step_of(int lane) const {
    const std::uint32_t position = position_[lane];
    return position == kDiverged ? &kNoStep : path_->at(position);
  }
  void set_next_step(int lane, const PathStep* next) {
    if (position_[lane] == kDiverged) return;
    stands_at(lane, path_->number_of(next));
  }
  // See RunningLane.
  bool follow(int lane, Step block) {
    if (next_step_of(lane)->step != block) return false;
    stands_at(lane, position_[lane] + 1);
    return true;
  }

  // Makes the running lane's step the path's next one if no lane has been further, the path is
  // shorter than a slice, and no memory is needed; otherwise returns false. Advances `next`.
  bool extend(const PathStep*& next, Step block) {
    if (next == &kNoStep) return false;
    const std::uint32_t n = path_->number_of(next);
    if (n < length_ || n >= kSliceSteps) return false;
    path_->cut(n);
    if (!path_->has_room_for_block()) return false;
    path_->append(block);
    ++next;
    return true;
  }
  // The same for an access to `array`, for any length of the path.
  bool extend(const PathStep*& next, unsigned lane, Step step, std::uintptr_t address,
              const AddressedArray& array) {
    if (next == &kNoStep) return false;
    const std::uint32_t n = path_->number_of(next);
    if (n < length_) return false;
    if (next->step == step) {
      path_->change_array(n, array);
      next->row->addresses[lane] = address;
    } else {
      path_->cut(n);
      if (!path_->has_room_for_access()) return false;
      path_->append(lane, step, address, array);
    }
    ++next;
    return true;
  }

  // The same for a lane that has left the path: adds a step to its own list if that needs no
  // memory and, for a basic block, the lane has recorded fewer steps than a slice.
  bool extend_own(unsigned lane, Step block) {
    std::vector<Step>& own = own_[lane].steps;
    if (!is_diverged(static_cast<int>(lane)) || own.size() == own.capacity()) return false;
    if (common_length_[lane] + own.size() >= slice_steps_) return false;
    own.push_back(block);
    return true;
  }
  bool extend_own(unsigned lane, Step step, std::uintptr_t address, const AddressedArray& array) {
    OwnPath& own = own_[lane];
    if (!is_diverged(static_cast<int>(lane)) || own.steps.size() == own.steps.capacity() ||
        own.accesses.size() == own.accesses.capacity()) {
      return false;
    }
    own.add(step, address, array);
    return true;
  }

  // Records a step that RunningLane::follow() and extend() did not record.
  void add(int lane, Step step, std::uintptr_t address, const AddressedArray& array);
  void add(int lane, Step block);

  // The number of steps after which a lane gives way to the others.
  std::uint32_t slice_steps() const { return slice_steps_; }
  void set_slice_steps(std::uint32_t steps) { slice_steps_ = steps; }

  bool empty() const { return length_ == 0; }
  bool has_diverged() const { return diverged_ != 0; }
  std::uint32_t length(int lane) const {
    return is_diverged(lane)
               ? common_length_[lane] + static_cast<std::uint32_t>(own_[lane].steps.size())
               : position_[lane];
  }
  // The number of steps of all lanes together.
  std::uint64_t steps() const;
  bool is_diverged(int lane) const { return diverged_ >> lane & 1; }
  // Returns whether all of these lanes are at the end of one path.
  bool all_at_end(std::uint32_t lanes) const;

  Step step_of(int lane, std::uint32_t n) const {
    return is_diverged(lane) && n >= common_length_[lane]
               ? own_[lane].steps[n - common_length_[lane]]
               : path_->at(n)->step;
  }
  // The access that is the lane's n-th step. `own_accesses` is the number of accesses before it
  // that the lane has executed after leaving the path; a call for such an access increments it.
  LaneStep access_of(int lane, std::uint32_t n, std::uint32_t& own_accesses) const;
  // The lane's last access since the lanes last met, if any.
  std::optional<LaneStep> last_access_of(int lane) const;
  // Whether the lane's accesses in the later half of its steps are all to this address.
  bool accesses_only(std::uintptr_t address, int lane) const;
  // Appends all steps of a lane.
  void append_steps_of(int lane, std::vector<Step>& steps) const;

  // The lane's last access, and the basic block before its last one, as far as it has them.
  std::array<Step, 2> last_steps_of(int lane) const;
  // Sets `code` to the last basic block that the lane has entered, if any.
  void find_last_block(int lane, std::uintptr_t* code) const;

  // Calls on_request(const WarpRequest&) and on_basic_block(code, lanes, StepNotes*) for every step
  // of the single path. Only for a log without diverged lanes; `warp` is the warp's number in the
  // block.
  template <typename OnRequest, typename OnBasicBlock>
  void for_each_step(int warp, OnRequest on_request, OnBasicBlock on_basic_block) {
    std::uint32_t lanes = lanes_longer_than(0), shortest = shortest_of(lanes);
    for (std::uint32_t n = 0; n < length_; ++n) {
      if (n >= shortest) {
        lanes = lanes_longer_than(n);
        shortest = shortest_of(lanes);
      }
      const PathStep& path = *path_->at(n);
      StepNotes* const notes = &path_->notes_at(n);
      if (path.step.is_access()) {
        on_request(WarpRequest(path.step, path_->array_at(n), warp, lanes, lanes & ~checked_at(n),
                               path.row->addresses.data(), false, notes));
      } else {
        on_basic_block(path.step.code(), lanes, notes);
      }
    }
  }

  // Calls check(lane, const LaneStep&) for each access that was not checked before, one lane at a
  // time.
  template <typename Check>
  void check_now(Check check) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t end = length(lane);
      for (std::uint32_t n = checked_[lane]; n < end; ++n) {
        if (step_of(lane, n).is_access()) check(lane, access_of(lane, n, own_checked_[lane]));
      }
      checked_[lane] = end;
    }
    some_checked_ = true;
  }
  bool is_checked(int lane, std::uint32_t n) const { return n < checked_[lane]; }

  // Removes all steps; the lanes continue at this code.
  void clear(std::uintptr_t start);
  // The lanes of an empty log begin at this code: that of a basic block, or of a barrier in a
  // block.
  void begin_at(std::uintptr_t start);
  // Also removes the paths of earlier warps.
  void forget_paths();

 private:
  static constexpr std::uint32_t kDiverged = std::numeric_limits<std::uint32_t>::max();

  static constexpr std::size_t kMostPaths = 8;

  // The steps of a lane that has left the path. Most are basic blocks, so the data of its accesses
  // is kept apart.
  struct OwnPath {
    struct Access {
      std::uintptr_t address;
      AddressedArray array;
    };
    std::vector<Step> steps;
    std::vector<Access> accesses;

    void add(Step step, std::uintptr_t address, const AddressedArray& array) {
      steps.push_back(step);
      accesses.push_back({address, array});
    }
  };

  void stands_at(int lane, std::uint32_t n) {
    position_[lane] = n;
    length_ = std::max(length_, n);
  }
  void diverge(int lane);
  std::uint32_t lanes_longer_than(std::uint32_t n) const;
  std::uint32_t shortest_of(std::uint32_t lanes) const;
  std::uint32_t checked_at(std::uint32_t n) const;

  // on the common path; kDiverged after leaving it
  std::array<std::uint32_t, kWarpSize> position_{};
  std::deque<AccessRow> rows_;                    // a deque, so that rows never move in memory
  std::vector<std::unique_ptr<WarpPath>> paths_;  // the paths from different places of the kernel
  WarpPath* path_ = nullptr;                      // the path that the lanes are on
  std::uint32_t length_ = 0;         // the length that a lane had reached at its last pause
  std::uint32_t kept_length_ = ~0u;  // the length to keep for later warps
  std::size_t next_replaced_ = 0;

  std::uint32_t slice_steps_ = kSliceSteps;

  std::uint32_t diverged_ = 0;
  std::array<std::uint32_t, kWarpSize> common_length_{};
  std::array<OwnPath, kWarpSize> own_;

  bool some_checked_ = false;
  std::array<std::uint32_t, kWarpSize> checked_{};
  std::array<std::uint32_t, kWarpSize> own_checked_{};  // of these, accesses in `own_`
};

}  // namespace cuda_simulator
