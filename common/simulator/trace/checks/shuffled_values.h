#pragma once

#include "execution/block.h"
#include "trace/report/finding_reporter.h"
#include "trace/veil.h"
#include "trace/warp/access.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace cuda_simulator {

// Follows the values that shuffles take from lanes that do not take part in them. Such a value is
// undefined, which is harmless unless a result of it is used: at the end of a tree of additions the
// upper lanes' sums are unused. So the result is a special value that can be recognised in the
// lane's next shuffles and stores. Only a store or an atomic function that uses it is a finding.
class ShuffledValues {
 public:
  ShuffledValues(const FindingReporter& reporter, const Veil& veil)
      : reporter_(reporter), veil_(veil) {}

  void begin_grid(const Block& block) { block_ = &block; }
  void begin_block() { of_block_->lanes.fill(0); }
  // What belongs to a block while others run.
  struct OfBlock;
  std::unique_ptr<OfBlock> block_interrupted() {
    return std::exchange(of_block_, std::make_unique<OfBlock>());
  }
  void block_continues(std::unique_ptr<OfBlock> of_block) { of_block_ = std::move(of_block); }
  // These lanes of a warp have met at a shuffle. Sets the results of those that take a value from
  // an absent lane.
  void met(int warp, std::uint32_t lanes, std::array<std::uint64_t, kWarpSize>& results);
  void check(const WarpRequest& request) {
    if ((of_block_->lanes[request.warp] & request.lanes) != 0) check_stores(request);
  }

 private:
  // The origin of an undefined value: a thread's shuffle, and its absent source lane.
  struct Origin {
    int thread, source_lane;
    std::uint32_t mask;
    std::uintptr_t code;
  };
  // The argument and the result of a thread's last shuffle, and whether each is undefined.
  struct Exchange {
    std::uint64_t given, got;
    bool given_is_undefined, got_is_undefined;
    Origin origin;

    bool makes_undefined(std::uint64_t value) const;  // as a NaN
    bool is_made_of_undefined(std::uint64_t value) const;
  };

  void check_stores(const WarpRequest& request) const;
  void report(const Origin& origin, const WarpRequest& store, int lane) const;

  const FindingReporter& reporter_;
  const Veil& veil_;
  const Block* block_ = nullptr;

 public:
  struct OfBlock {
    std::array<std::uint32_t, kMaxWarps> lanes{};  // per warp, the lanes with an undefined value
    std::array<Exchange, kMaxBlockThreads> exchanges;
  };

 private:
  std::unique_ptr<OfBlock> of_block_ = std::make_unique<OfBlock>();
};

}  // namespace cuda_simulator
