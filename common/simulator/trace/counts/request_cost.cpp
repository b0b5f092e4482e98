#include "trace/counts/request_cost.h"

#include "execution/block.h"
#include "execution/lanes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace cuda_simulator {
namespace {

constexpr int kWordShift = 2, kWordBytes = 1 << kWordShift;  // a bank's width
constexpr unsigned kBanks = 32;

}  // namespace

int RequestCost::sectors() const {
  if (is_atomic(request_.step.kind())) return atomic_sectors();
  if (!request_.is_regular) return counted_sectors();
  const std::uintptr_t first = request_.addresses[0];
  if (request_.stride == 0) return 1;
  if (request_.is_one_stretch()) {
    const std::uintptr_t last = first + kWarpSize * bytes_ - 1;
    return static_cast<int>((last >> kSectorShift) - (first >> kSectorShift)) + 1;
  }
  return request_.stride % kSectorBytes == 0 ? kWarpSize : counted_sectors();
}

int RequestCost::counted_sectors() const {
  std::array<std::uintptr_t, 2 * kWarpSize> touched;  // an access of at most 32 bytes touches two
  auto end = touched.begin();
  bool ascending = true;
  for_each_lane(request_.lanes, [&](int lane) {
    const std::uintptr_t first = request_.addresses[lane] >> kSectorShift;
    const std::uintptr_t last = (request_.addresses[lane] + bytes_ - 1) >> kSectorShift;
    for (std::uintptr_t sector = first; sector <= last; ++sector) {
      if (end != touched.begin() && sector <= *(end - 1)) {
        if (sector == *(end - 1)) continue;
        ascending = false;
      }
      *end++ = sector;
    }
  });
  if (!ascending) {
    std::sort(touched.begin(), end);
    end = std::unique(touched.begin(), end);
  }
  return static_cast<int>(end - touched.begin());
}

// Lanes at one address are serialised: a sector counts once per lane at its most used address.
int RequestCost::atomic_sectors() const {
  Addresses sorted;
  const auto end = sorted_addresses(sorted);
  int total = 0, busiest = 0;
  for (auto first = sorted.begin(); first != end;) {
    const auto next = std::upper_bound(first, end, *first);
    busiest = std::max(busiest, static_cast<int>(next - first));
    if (next == end || *next >> kSectorShift != *first >> kSectorShift) {
      total += busiest;
      busiest = 0;
    }
    first = next;
  }
  return total;
}

int RequestCost::ideal_sectors() const {
  const bool is_shared = !is_atomic(request_.step.kind()) && !request_.is_one_stretch();
  const unsigned bytes =
      is_shared ? different_bytes() : static_cast<unsigned>(lane_count(request_.lanes)) * bytes_;
  return static_cast<int>((bytes + kSectorBytes - 1) / kSectorBytes);
}

int RequestCost::different_addresses() const {
  Addresses sorted;
  const auto end = sorted_addresses(sorted);
  return static_cast<int>(std::unique(sorted.begin(), end) - sorted.begin());
}

// Writes the lanes' addresses in ascending order; returns their end.
std::uintptr_t* RequestCost::sorted_addresses(Addresses& sorted) const {
  auto end = sorted.begin();
  for_each_lane(request_.lanes, [&](int lane) { *end++ = request_.addresses[lane]; });
  std::sort(sorted.begin(), end);
  return end;
}

// The number of bytes that at least one lane accesses.
unsigned RequestCost::different_bytes() const {
  Addresses sorted;
  const auto end = sorted_addresses(sorted);
  unsigned bytes = 0;
  std::uintptr_t counted = 0;  // the end of the bytes that are counted
  for (auto address = sorted.begin(); address != end; ++address) {
    bytes += static_cast<unsigned>(*address + bytes_ - std::max(*address, counted));
    counted = *address + bytes_;
  }
  return bytes;
}

Wavefronts RequestCost::wavefronts() const {
  if (is_atomic(request_.step.kind()) && bytes_ == kWordBytes) return atomic_wavefronts();
  if (!request_.is_regular || bytes_ != kWordBytes || request_.stride % kWordBytes != 0)
    return counted_wavefronts();
  // Each stride visits 32 / ways banks before it returns to the first.
  const std::int64_t words = request_.stride / kWordBytes;
  const int ways = words == 0 ? 1 : static_cast<int>(std::gcd(words, std::int64_t{kBanks}));
  return {ways, 1, ways};
}

// Returns whether in each pair of lanes at this distance both access the same address or one is
// inactive.
bool RequestCost::pairs_agree(std::uint32_t group, int distance) const {
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest), other = lane ^ distance;
    const bool both = group >> other & 1;
    if (both && request_.addresses[lane] != request_.addresses[other]) return false;
  }
  return true;
}

// Returns whether two groups of 8- or 16-byte accesses fit into one wavefront.
bool RequestCost::fit_together(std::uint32_t groups) const {
  return (pairs_agree(groups, 1) || pairs_agree(groups, 2)) && conflict_ways(groups) <= 1;
}

// Atomic functions share nothing: the lanes that use a bank are serialised, with two wavefronts
// each for a compare-and-swap.
Wavefronts RequestCost::atomic_wavefronts() const {
  std::array<int, kBanks> lanes_at{};
  int busiest = 0;
  for_each_lane(request_.lanes, [&](int lane) {
    busiest = std::max(busiest, ++lanes_at[(request_.addresses[lane] >> kWordShift) % kBanks]);
  });
  const int passes = request_.step.kind() == AccessKind::atomic_compare_and_swap ? 2 : 1;
  return {passes * busiest, passes, busiest};
}

Wavefronts RequestCost::counted_wavefronts() const {
  const auto lanes_from = [&](int first, int count) {
    return request_.lanes & (count == kWarpSize ? ~0u : ((1u << count) - 1) << first);
  };
  Wavefronts result{0, 0, 0};
  const auto add = [&](std::uint32_t group) {
    if (group == 0) return;
    const int ways = conflict_ways(group);
    result.taken += ways;
    result.ideal += 1;
    result.ways = std::max(result.ways, ways);
  };
  const int lanes_a_group = bytes_ <= 4 ? 32 : bytes_ <= 8 ? 16 : 8;
  const int lanes_joined = std::min(2 * lanes_a_group, kWarpSize);
  for (int first = 0; first < kWarpSize; first += lanes_joined) {
    const std::uint32_t joined = lanes_from(first, lanes_joined);
    if (lanes_joined == lanes_a_group || fit_together(joined)) {
      add(joined);
    } else {
      add(lanes_from(first, lanes_a_group));
      add(lanes_from(first + lanes_a_group, lanes_a_group));
    }
  }
  return result;
}

// Returns whether no two lanes of a group need different words of one bank; the usual case, with a
// fast check.
bool RequestCost::has_bank_to_each(std::uint32_t group) const {
  const std::uint32_t words = (1u << std::max(bytes_ / kWordBytes, 1u)) - 1;
  std::uint32_t taken = 0, twice = 0;
  for_each_lane(group, [&](int lane) {
    const std::uint32_t wanted = words << (request_.addresses[lane] >> kWordShift) % kBanks;
    twice |= taken & wanted;
    taken |= wanted;
  });
  return twice == 0;
}

// The largest number of words that a group of lanes needs from one bank.
int RequestCost::conflict_ways(std::uint32_t group) const {
  if (has_bank_to_each(group)) return 1;
  std::array<std::array<std::uintptr_t, kWarpSize>, kBanks> words;
  std::array<std::uint8_t, kBanks> count{};
  int ways = 0;
  for_each_lane(group, [&](int lane) {
    const std::uintptr_t last = (request_.addresses[lane] + bytes_ - 1) >> kWordShift;
    for (std::uintptr_t word = request_.addresses[lane] >> kWordShift; word <= last; ++word) {
      const unsigned bank = word % kBanks;
      const auto begin = words[bank].begin(), end = begin + count[bank];
      if (std::find(begin, end, word) != end) continue;
      *end = word;
      ways = std::max<int>(ways, ++count[bank]);
    }
  });
  return ways;
}

}  // namespace cuda_simulator
