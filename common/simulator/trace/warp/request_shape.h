#pragma once

#include "execution/lanes.h"

#include <array>
#include <cstdint>

namespace cuda_simulator {

// The distances between the addresses of the 32 lanes of a warp, and the first lane's position in a
// sector or a word. The cost of a request depends on nothing else, and most warps make requests of
// the same shape. (In shared memory all banks are equal, so the position in a word is enough.)
struct RequestShape {
  static constexpr unsigned kNoPhase = ~0u;

  std::array<std::uintptr_t, kWarpSize> offsets{};  // from the first lane's address
  unsigned phase = kNoPhase;                        // the first lane's position in a sector or word

  bool is_regular = false;   // with a constant distance between consecutive lanes:
  std::intptr_t stride = 0;  // in bytes

  static constexpr int kNoKind = -1;
  int cost_kind = kNoKind;                   // the kind of access that has this cost, as a number:
  int units = 0, ideal_units = 0, ways = 0;  // as in AccessCounts::Cost

  bool fits(const std::uintptr_t* addresses, unsigned its_phase) const {
    std::uintptr_t difference = 0;  // without a branch in the loop, the compiler vectorises it
    for (int lane = 0; lane < kWarpSize; ++lane) {
      difference |= (addresses[lane] - addresses[0]) ^ offsets[lane];
    }
    return difference == 0 && phase == its_phase;
  }
  void set(const std::uintptr_t* addresses, unsigned its_phase);
};

// The most recent shapes of the requests of one access.
class RequestShapes {
 public:
  explicit RequestShapes(bool of_shared_memory) : unit_bytes_(of_shared_memory ? 4 : 32) {}

  // The shape of a request of 32 lanes.
  RequestShape& find(const std::uintptr_t* addresses) {
    const unsigned phase = addresses[0] % unit_bytes_;
    RequestShape& shape = shapes_[place_of(addresses, phase)];
    if (!shape.fits(addresses, phase)) shape.set(addresses, phase);
    return shape;
  }

 private:
  static constexpr int kPlaceBits = 4;
  static std::size_t place_of(const std::uintptr_t* addresses, unsigned phase) {
    const std::uintptr_t first = addresses[0];
    const std::uint64_t key = (addresses[1] - first) * 3 + (addresses[9] - first) * 5 +
                              (addresses[31] - first) * 7 + phase;
    return key * 0x9e3779b97f4a7c15u >> (64 - kPlaceBits);
  }

  const unsigned unit_bytes_;
  std::array<RequestShape, 1 << kPlaceBits> shapes_;
};

}  // namespace cuda_simulator
