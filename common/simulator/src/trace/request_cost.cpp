#include "trace/request_cost.h"

#include "block.h"
#include "lanes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace cuda_simulator {
namespace {

constexpr int kSectorShift = 5;  // 32 bytes
constexpr int kWordShift = 2;    // a bank is 4 bytes wide
constexpr unsigned kBanks = 32;

bool is_one_stretch(const WarpRequest& request) {
  if (request.lanes != ~0u) return false;
  const std::uintptr_t first = request.addresses[0];
  std::uintptr_t difference = 0;  // without a branch in the loop, the compiler vectorises it
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    difference |= request.addresses[lane] ^ (first + lane * request.key.bytes());
  }
  return difference == 0;
}

}  // namespace

int sectors(const WarpRequest& request) {
  const unsigned bytes = request.key.bytes();
  if (is_one_stretch(request)) {
    const std::uintptr_t first = request.addresses[0];
    return static_cast<int>(((first + kWarpSize * bytes - 1) >> kSectorShift) -
                            (first >> kSectorShift)) +
           1;
  }
  std::array<std::uintptr_t, 2 * kWarpSize> touched;  // an access of at most 32 bytes touches two
  auto end = touched.begin();
  bool ascending = true;
  for_each_lane(request.lanes, [&](int lane) {
    const std::uintptr_t first = request.addresses[lane] >> kSectorShift;
    const std::uintptr_t last = (request.addresses[lane] + bytes - 1) >> kSectorShift;
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

int ideal_sectors(const WarpRequest& request) {
  const unsigned bytes =
      static_cast<unsigned>(__builtin_popcount(request.lanes)) * request.key.bytes();
  return static_cast<int>((bytes + 31) / 32);
}

Wavefronts wavefronts(const WarpRequest& request) {
  const unsigned bytes = request.key.bytes();
  const int lanes_a_pass = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  Wavefronts result{0, 0, 0};
  for (int first = 0; first < kWarpSize; first += lanes_a_pass) {
    const std::uint32_t group = lanes_a_pass == 32 ? ~0u : ((1u << lanes_a_pass) - 1) << first;
    if ((request.lanes & group) == 0) continue;
    std::array<std::array<std::uintptr_t, kWarpSize>, kBanks> words;
    std::array<std::uint8_t, kBanks> count{};
    int ways = 0;
    for_each_lane(request.lanes & group, [&](int lane) {
      const std::uintptr_t last = (request.addresses[lane] + bytes - 1) >> kWordShift;
      for (std::uintptr_t word = request.addresses[lane] >> kWordShift; word <= last; ++word) {
        const unsigned bank = word % kBanks;
        const auto begin = words[bank].begin(), end = begin + count[bank];
        if (std::find(begin, end, word) != end) continue;
        *end = word;
        ways = std::max<int>(ways, ++count[bank]);
      }
    });
    result.taken += ways;
    result.ideal += 1;
    result.ways = std::max(result.ways, ways);
  }
  return result;
}

}  // namespace cuda_simulator
