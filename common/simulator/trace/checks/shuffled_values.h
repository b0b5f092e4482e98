#pragma once

#include "execution/block.h"
#include "trace/report/finding_reporter.h"
#include "trace/warp/access.h"

#include <array>
#include <cstdint>

namespace cuda_simulator {

// Follows what a shuffle takes from a lane that does not take part in it. Such a value is
// undefined, which does no harm while nothing is made of it: at the end of a tree of additions the
// upper lanes' sums are not used. So the value is one that is known again, in the lane's next
// shuffles and in what it stores, and only its store is a finding.
class ShuffledValues {
 public:
  explicit ShuffledValues(const FindingReporter& reporter) : reporter_(reporter) {}

  void begin_grid(const Block& block) { block_ = &block; }
  void begin_block() { lanes_.fill(0); }
  // These lanes of a warp have met at a shuffle. What those get that take from another is set.
  void met(int warp, std::uint32_t lanes, std::array<std::uint64_t, kWarpSize>& results);
  void check(const WarpRequest& request) {
    if ((lanes_[request.warp] & request.lanes) != 0) check_stores(request);
  }

 private:
  // Where an undefined value comes from: the shuffle of a thread, and the lane that it takes from.
  struct Origin {
    int thread, source_lane;
    std::uint32_t mask;
    std::uintptr_t code;
  };
  // What a thread gave in its last shuffle and what it got, and which of them is undefined.
  struct Exchange {
    std::uint64_t given, got;
    bool given_is_undefined, got_is_undefined;
    Origin origin;

    bool is_made_of_undefined(std::uint64_t value) const;
  };

  void check_stores(const WarpRequest& request) const;
  void report(const Origin& origin, const WarpRequest& store, int lane) const;

  const FindingReporter& reporter_;
  const Block* block_ = nullptr;
  std::array<std::uint32_t, kMaxWarps> lanes_{};  // of each warp, that have anything undefined
  std::array<Exchange, kMaxBlockThreads> exchanges_;
};

}  // namespace cuda_simulator
