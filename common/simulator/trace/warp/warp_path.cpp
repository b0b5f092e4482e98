#include "trace/warp/warp_path.h"

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostStepsKept = 1 << 12;  // capacity that a path may keep between its uses

PathStep step_in(AccessRow& row, Step step, const AddressedArray& array) {
  return {step, array.begin, array.bytes - (step.bytes() - 1), &row};
}

}  // namespace

void WarpPath::shorten(std::uint32_t slice_steps) {
  for (std::uint32_t n = slice_steps; n < length_; ++n) {
    if (!steps_[n].step.is_access()) cut(n);
  }
  if (steps_.size() <= kMostStepsKept) return;
  cut(0);
  steps_ = std::vector<PathStep>(1);
  details_ = std::vector<Detail>(1);
}

void WarpPath::append(Step block) { append({block, 0, 0, nullptr}, {}, rows_used()); }

void WarpPath::append(unsigned lane, Step access, std::uintptr_t address,
                      const AddressedArray& array) {
  const std::uint32_t number = rows_used();
  if (number == rows_.size()) rows_.emplace_back();
  AccessRow& row = rows_[number];
  row.addresses[lane] = address;
  append(step_in(row, access, array), array, number + 1);
}

void WarpPath::append(const PathStep& step, const AddressedArray& array, std::uint32_t rows) {
  steps_[length_] = step;
  details_[length_] = {array, {}, rows};
  if (++length_ == steps_.size()) {
    steps_.emplace_back();
    details_.emplace_back();
  }
  steps_[length_].step = Step();
}

void WarpPath::change_array(std::uint32_t n, const AddressedArray& array) {
  details_[n].array = array;
  details_[n].notes = {};  // the notes may be for different memory
  steps_[n] = step_in(*steps_[n].row, steps_[n].step, array);
}

}  // namespace cuda_simulator
