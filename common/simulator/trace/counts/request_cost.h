#pragma once

#include "trace/warp/access.h"

#include <cstdint>
#include <optional>

namespace cuda_simulator {

inline constexpr int kSectorShift = 5, kSectorBytes = 1 << kSectorShift;

// Passes of a request through the 32 banks of shared memory.
struct Wavefronts {
  int taken;  // passes
  int ideal;  // passes without a conflict
  int ways;   // the worst pass group's: how many words of one bank it wants
};

// What a warp's request costs, counted as the hardware counts; compared with an H200 in
// docs/simulator.md.
class RequestCost {
 public:
  explicit RequestCost(const WarpRequest& request) : request_(request), bytes_(request.bytes()) {}

  // The 32-byte sectors that it moves in global memory.
  int sectors() const;
  // The fewest sectors that can hold the bytes its lanes ask for.
  int ideal_sectors() const;
  // Banks are 4 bytes wide. Lanes that ask for the same word share it. 8-byte accesses go in two
  // halves of a warp, 16-byte ones in four quarters. Two halves, or the two quarters of a half, go
  // together if that makes no conflict and in each pair of lanes, next to each other or two apart,
  // both ask for the same address or one of them for nothing.
  Wavefronts wavefronts() const;

  // The distance in bytes from a lane's address to the next lane's, for the first two such lanes.
  std::optional<std::int64_t> first_stride() const {
    if (request_.is_regular) return request_.stride;
    const std::uint32_t pairs = request_.lanes & request_.lanes >> 1;
    if (pairs == 0) return std::nullopt;
    const int lane = __builtin_ctz(pairs);
    return static_cast<std::int64_t>(request_.addresses[lane + 1] - request_.addresses[lane]);
  }

 private:
  int atomic_sectors() const;
  int counted_sectors() const;
  Wavefronts counted_wavefronts() const;
  Wavefronts atomic_wavefronts() const;
  bool pairs_agree(std::uint32_t group, int distance) const;
  bool go_together(std::uint32_t groups) const;
  bool has_bank_to_each(std::uint32_t group) const;
  int conflict_ways(std::uint32_t group) const;

  const WarpRequest& request_;
  const unsigned bytes_;
};

}  // namespace cuda_simulator
