#pragma once

#include "trace/warp/access.h"
#include "trace/warp/path_step.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace cuda_simulator {

// The most recent steps of a warp's lanes from one place of a kernel on. Most warps take the same
// path as the warp before, so even the first lane finds its steps already recorded.
class WarpPath {
 public:
  // The rows belong to the warp's log, because only one of its paths is in use at a time.
  WarpPath(std::uintptr_t start, std::deque<AccessRow>& rows) : start_(start), rows_(rows) {}

  // The code at which the path begins.
  std::uintptr_t start() const { return start_; }
  std::uint32_t length() const { return length_; }
  // The n-th step; after the last one there is an empty step, like kNoStep.
  const PathStep* at(std::uint32_t n) const { return &steps_[n]; }
  std::uint32_t number_of(const PathStep* step) const {
    return static_cast<std::uint32_t>(step - steps_.data());
  }
  AddressedArray& array_at(std::uint32_t n) { return details_[n].array; }
  const AddressedArray& array_at(std::uint32_t n) const { return details_[n].array; }
  StepNotes& notes_at(std::uint32_t n) { return details_[n].notes; }

  // Removes all steps after the first n.
  void cut(std::uint32_t n) {
    if (n >= length_) return;
    length_ = n;
    steps_[n].step = Step();
  }
  // For a path that is kept: limits it to the steps that a lane records before the other lanes run.
  void shorten(std::uint32_t slice_steps);

  // Returns whether the next append() needs no memory.
  bool has_room_for_block() const { return length_ + 1 < steps_.size(); }
  bool has_room_for_access() const { return has_room_for_block() && rows_used() < rows_.size(); }
  void append(Step block);
  // Appends the lane's access to an address in `array`.
  void append(unsigned lane, Step access, std::uintptr_t address, const AddressedArray& array);
  // The n-th step now accesses a different array.
  void change_array(std::uint32_t n, const AddressedArray& array);

 private:
  struct Detail {
    AddressedArray array;  // for an access
    StepNotes notes;
    std::uint32_t rows;  // rows of this step and all before it
  };

  std::uint32_t rows_used() const { return length_ == 0 ? 0 : details_[length_ - 1].rows; }
  void append(const PathStep& step, const AddressedArray& array, std::uint32_t rows);

  const std::uintptr_t start_;
  std::deque<AccessRow>& rows_;
  std::vector<PathStep> steps_{1};  // the first length_ are in use, followed by an empty one
  std::vector<Detail> details_{1};
  std::uint32_t length_ = 0;
};

}  // namespace cuda_simulator
