#pragma once

#include "trace/warp/access.h"

#include <array>
#include <cstdint>
#include <optional>

namespace cuda_simulator {

inline constexpr int kSectorShift = 5, kSectorBytes = 1 << kSectorShift;

// Wavefronts of a request: passes through the 32 banks of shared memory.
struct Wavefronts {
  int taken;  // wavefronts
  int ideal;  // wavefronts without a conflict
  int ways;  // for n-way bank conflicts: the most words that one group of lanes needs from one bank
};

// The cost of a warp's request, counted like the hardware does; docs/simulator.md compares it with
// an H200.
class RequestCost {
 public:
  explicit RequestCost(const WarpRequest& request) : request_(request), bytes_(request.bytes()) {}

  // The 32-byte sectors of global memory that it transfers.
  int sectors() const;
  // The minimum number of sectors that can hold the bytes requested. Bytes that several lanes
  // request count once, except for an atomic function, whose lanes are serialised.
  int ideal_sectors() const;
  // Banks are 4 bytes wide. Lanes that access the same word share it. 8-byte accesses are split
  // into two halves of a warp, 16-byte accesses into four quarters. Two halves, or the two quarters
  // of a half, are combined if this causes no conflict and if in each pair of lanes (adjacent, or
  // two apart) both access the same address or one is inactive.
  Wavefronts wavefronts() const;
  // Constant memory serves one address at a time, for all lanes that read it.
  int different_addresses() const;

  // The distance in bytes from a lane's address to the next lane's, for the first two consecutive
  // lanes.
  std::optional<std::int64_t> first_stride() const {
    if (request_.is_regular) return request_.stride;
    const std::uint32_t pairs = request_.lanes & request_.lanes >> 1;
    if (pairs == 0) return std::nullopt;
    const int lane = __builtin_ctz(pairs);
    return static_cast<std::int64_t>(request_.addresses[lane + 1] - request_.addresses[lane]);
  }

 private:
  using Addresses = std::array<std::uintptr_t, kWarpSize>;

  std::uintptr_t* sorted_addresses(Addresses& sorted) const;
  int atomic_sectors() const;
  int counted_sectors() const;
  unsigned different_bytes() const;
  Wavefronts counted_wavefronts() const;
  Wavefronts atomic_wavefronts() const;
  bool pairs_agree(std::uint32_t group, int distance) const;
  bool fit_together(std::uint32_t groups) const;
  bool has_bank_to_each(std::uint32_t group) const;
  int conflict_ways(std::uint32_t group) const;

  const WarpRequest& request_;
  const unsigned bytes_;
};

}  // namespace cuda_simulator
