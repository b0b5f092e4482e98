#include "trace/checks/initialised_bytes.h"

#include <algorithm>

namespace cuda_simulator {
namespace {

// instead of a mask: this block has not touched the bytes
constexpr std::uint8_t kOfAnotherBlock = 0x10;

constexpr std::size_t kLargestStructure = 32;  // larger elements do not count as structures

unsigned below(std::size_t n) { return (1u << n) - 1; }

// Calls on_group(index, mask) for the incomplete groups of 16 bytes at the ends of a range, and
// on_whole(first, end) for the complete groups.
template <typename OnGroup, typename OnWhole>
void for_each_group(std::size_t offset, std::size_t bytes, OnGroup on_group, OnWhole on_whole) {
  const std::size_t end = offset + bytes;
  if (bytes == 0) return;
  if (offset / 16 == end / 16) {
    on_group(offset / 16, below(end % 16) & ~below(offset % 16));
    return;
  }
  on_group(offset / 16, 0xffff & ~below(offset % 16));
  on_whole(offset / 16 + 1, end / 16);
  if (end % 16 != 0) on_group(end / 16, below(end % 16));
}

// The words of a range in which some bytes are written and others are not.
class IncompleteWords {
 public:
  IncompleteWords(std::size_t begin, std::size_t end) : end_(end), first_(begin), last_(begin) {}

  void add(std::size_t word, unsigned bits) {
    const std::size_t distance = word - last_;
    if (count_ == 0) {
      first_ = word;
      bits_ = bits;
      regular_ = distance < kLargestStructure;
    } else {
      if (count_ == 1) distance_ = distance;
      regular_ &= bits == bits_ && distance == distance_ && distance <= kLargestStructure;
    }
    last_ = word;
    ++count_;
  }
  // Returns whether they look like the unused bytes in an array of structures, from one end of the
  // range to the other.
  bool are_regular() const {
    return count_ == 0 || (regular_ && end_ - last_ <= kLargestStructure);
  }
  std::size_t first_unwritten() const {
    return first_ + static_cast<unsigned>(__builtin_ctz(~bits_));
  }

 private:
  const std::size_t end_;
  std::size_t first_, last_, distance_ = 0, count_ = 0;
  unsigned bits_ = 0;
  bool regular_ = true;
};

}  // namespace

void InitialisedBytes::write_range(std::size_t offset, std::size_t bytes) {
  for_each_group(
      offset, bytes,
      [&](std::size_t group, unsigned mask) {
        shadow_[group] = static_cast<std::uint16_t>(shadow_[group] | mask);
      },
      [&](std::size_t first, std::size_t end) {
        if (first < end) std::fill_n(&shadow_[first], end - first, std::uint16_t{0xffff});
      });
}

void InitialisedBytes::forget(std::size_t offset, std::size_t bytes) {
  for_each_group(
      offset, bytes,
      [&](std::size_t group, unsigned mask) {
        shadow_[group] = static_cast<std::uint16_t>(shadow_[group] & ~mask);
      },
      [&](std::size_t first, std::size_t end) {
        if (first < end) shadow_.clear(first, end - first);
      });
}

void InitialisedBytes::copy_range(std::size_t to, std::size_t from, std::size_t bytes) {
  if (bytes == 0) return;
  if (has_whole_range(from, bytes)) {
    write_range(to, bytes);
    return;
  }
  const std::size_t first = to / 16, last = (to + bytes - 1) / 16;
  const auto copy_group = [&](std::size_t group) {
    unsigned copied = 0xffff;
    if (group == first) copied &= 0xffff << to % 16;
    if (group == last) copied &= 0xffff >> (15 - (to + bytes - 1) % 16);
    const unsigned kept = shadow_[group] & ~copied;
    shadow_[group] =
        static_cast<std::uint16_t>(kept | (bits_from(group * 16 + from - to) & copied));
  };
  if (to <= from) {
    for (std::size_t group = first; group <= last; ++group) copy_group(group);
  } else {
    for (std::size_t group = last + 1; group > first; --group) copy_group(group - 1);
  }
}

std::optional<InitialisedBytes::ByteRange> InitialisedBytes::uninitialised_range(
    std::size_t offset, std::size_t bytes) const {
  if (bytes == 0 || has_whole_range(offset, bytes)) return std::nullopt;
  const std::size_t end = offset + bytes;
  IncompleteWords incomplete(offset, end);
  std::size_t found = end;
  for (std::size_t word = offset / 4 * 4; word < end && found == end; word += 4) {
    unsigned outside = word < offset ? below(offset - word) : 0;
    if (end - word < 4) outside |= 0xf & ~below(end - word);
    const unsigned bits = (bits_from(word) & 0xf) | outside;
    if (bits == outside) found = std::max(word, offset);
    if (bits != outside && bits != 0xf) incomplete.add(word, bits);
  }
  if (found == end && !incomplete.are_regular()) found = incomplete.first_unwritten();
  if (found == end) return std::nullopt;
  std::size_t range_end = found;
  while (range_end < end && (bits_from(range_end) & 1) == 0) ++range_end;
  return ByteRange{found, range_end - found};
}

InitialisedShared::Contents InitialisedShared::contents(
    const std::vector<SharedRange>& ranges) const {
  Contents contents;
  for (const SharedRange& range : ranges) {
    for (std::size_t word = range.offset / 4; word * 4 < range.offset + range.bytes; ++word) {
      const bool is_touched = shadow_[word] >> 4 == block_;
      contents.push_back(is_touched ? static_cast<std::uint8_t>(shadow_[word] & 0xf)
                                    : kOfAnotherBlock);
    }
  }
  return contents;
}

void InitialisedShared::restore(const std::vector<SharedRange>& ranges, const Contents& contents) {
  auto next = contents.begin();
  for (const SharedRange& range : ranges) {
    for (std::size_t word = range.offset / 4; word * 4 < range.offset + range.bytes; ++word) {
      const std::uint8_t written = *next++;
      if (written != kOfAnotherBlock) shadow_[word] = block_ << 4 | written;
    }
  }
}

}  // namespace cuda_simulator
