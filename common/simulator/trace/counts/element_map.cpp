#include "trace/counts/element_map.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kFewestColumns = 8;

// The distance from each run of adjacent elements to the next run, if it is constant; otherwise 0.
// `sorted` has no duplicates.
std::size_t distance_of_runs(const std::vector<std::size_t>& sorted, std::size_t least_runs) {
  std::size_t runs = 1, start = 0, distance = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] + 1) continue;
    const std::size_t from_last_run = sorted[i] - sorted[start];
    if (++runs > 2 && from_last_run != distance) return 0;
    distance = from_last_run;
    start = i;
  }
  return runs >= least_runs ? distance : 0;
}

}  // namespace

ElementMap::ElementMap(NamedArray array, unsigned element_bytes)
    : array_(std::move(array)), element_bytes_(element_bytes) {}

void ElementMap::add(AccessKind kind, std::size_t offset, unsigned bytes, std::uint64_t block,
                     int thread) {
  if (bytes < element_bytes_) split_elements(bytes);
  std::vector<Touch>& touches = kind == AccessKind::load ? loads_ : stores_;
  if (touches.empty()) {
    const std::size_t elements = (array_.bytes + element_bytes_ - 1) / element_bytes_;
    touches.resize(std::min(elements, kFollowedElements));
  }
  const std::size_t first = offset / element_bytes_;
  const std::size_t end = std::min(first + bytes / element_bytes_, touches.size());
  for (std::size_t i = first; i < end; ++i) {
    Touch& touch = touches[i];
    if (!touch.known) {
      touch = {block, static_cast<std::uint16_t>(thread), true, false};
    } else {
      touch.several |= touch.block != block || touch.thread != thread;
    }
  }
}

void ElementMap::split_elements(unsigned element_bytes) {
  const std::size_t parts = element_bytes_ / element_bytes;
  for (std::vector<Touch>* touches : {&loads_, &stores_}) {
    std::vector<Touch> split(std::min(touches->size() * parts, kFollowedElements));
    for (std::size_t i = 0; i < split.size(); ++i) split[i] = (*touches)[i / parts];
    *touches = std::move(split);
  }
  element_bytes_ = element_bytes;
}

void ElementMap::learn_row(std::vector<std::size_t> offsets, unsigned bytes) {
  if (lanes_row_bytes_ != 0) return;
  for (std::size_t& offset : offsets) offset /= bytes;
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  const std::size_t distance = distance_of_runs(offsets, 2) * bytes;
  if (may_be_row(distance)) lanes_row_bytes_ = distance;
}

std::size_t ElementMap::row_bytes() const {
  std::vector<std::size_t> of_first_block;
  for (std::size_t i = 0; i < std::max(loads_.size(), stores_.size()); ++i) {
    const auto touched = [&](const std::vector<Touch>& touches) {
      return i < touches.size() && touches[i].known && touches[i].block == 0;
    };
    if (touched(loads_) || touched(stores_)) of_first_block.push_back(i);
  }
  // Two runs are not enough: they may be the two ends of an array.
  const std::size_t bytes = distance_of_runs(of_first_block, 3) * element_bytes_;
  return may_be_row(bytes) ? bytes : lanes_row_bytes_;
}

// A diagonal of a matrix is as regular as a column, but no array size is a multiple of its
// distance. A pattern that skips a few elements each time is a stride.
bool ElementMap::may_be_row(std::size_t bytes) const {
  return bytes >= kFewestColumns * element_bytes_ && array_.bytes % bytes == 0;
}

}  // namespace cuda_simulator
