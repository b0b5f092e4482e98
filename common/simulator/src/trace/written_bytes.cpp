#include "trace/written_bytes.h"

#include <algorithm>

namespace cuda_simulator {
namespace {

// Calls on_group(index, mask) for the groups of 16 bytes at the ends of a range that are not whole,
// and on_whole(first, end) for the others.
template <typename OnGroup, typename OnWhole>
void for_each_group(std::size_t offset, std::size_t bytes, OnGroup on_group, OnWhole on_whole) {
  const std::size_t end = offset + bytes;
  const auto below = [](std::size_t n) { return (1u << n) - 1; };
  if (bytes == 0) return;
  if (offset / 16 == end / 16) {
    on_group(offset / 16, below(end % 16) & ~below(offset % 16));
    return;
  }
  on_group(offset / 16, 0xffff & ~below(offset % 16));
  on_whole(offset / 16 + 1, end / 16);
  if (end % 16 != 0) on_group(end / 16, below(end % 16));
}

}  // namespace

void WrittenBytes::write_range(std::size_t offset, std::size_t bytes) {
  for_each_group(
      offset, bytes,
      [&](std::size_t group, unsigned mask) {
        written_[group] = static_cast<std::uint16_t>(written_[group] | mask);
      },
      [&](std::size_t first, std::size_t end) {
        if (first < end) std::fill_n(&written_[first], end - first, std::uint16_t{0xffff});
      });
}

void WrittenBytes::forget(std::size_t offset, std::size_t bytes) {
  for_each_group(
      offset, bytes,
      [&](std::size_t group, unsigned mask) {
        written_[group] = static_cast<std::uint16_t>(written_[group] & ~mask);
      },
      [&](std::size_t first, std::size_t end) {
        if (first < end) written_.clear(first, end - first);
      });
}

}  // namespace cuda_simulator
