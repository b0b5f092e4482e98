#pragma once

#include "block.h"
#include "trace/access.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// The accesses of one warp since its lanes last met, made into the requests of the warp.
//
// Lanes run one after another. While a lane repeats the accesses of those before it, its k-th goes
// into the k-th row, which is then one request. A lane that takes another path keeps a list of its
// own, and all are sorted out by source position when the lanes meet.
class WarpLog {
 public:
  void record(int lane, AccessKey key, std::uintptr_t address) {
    const std::uint32_t bit = 1u << lane;
    const std::size_t step = steps_[lane]++;
    if (strayed_ & bit) {
      own_[lane].push_back({key, address});
    } else if (step < row_count_ && rows_[step].key == key) {
      rows_[step].lanes |= bit;
      rows_[step].addresses[lane] = address;
    } else if (step == row_count_) {
      add_row(key, bit).addresses[lane] = address;
    } else {
      strayed_ |= bit;
      own_[lane].push_back({key, address});
    }
  }

  // Calls on_request(const WarpRequest&) for every request, in the order of the warp's first lane
  // as far as there is one, and starts afresh.
  template <typename Function>
  void drain(Function on_request) {
    if (row_count_ == 0) return;
    if (strayed_ != 0) regroup();
    for (std::size_t i = 0; i < row_count_; ++i) {
      const Row& row = rows_[i];
      on_request(WarpRequest{row.key, row.lanes, row.addresses.data(), row.approximate});
    }
    clear();
  }
  void clear();

 private:
  struct Row {
    AccessKey key;
    std::uint32_t lanes;
    bool approximate;
    std::array<std::uintptr_t, kWarpSize> addresses;
  };
  struct Access {
    AccessKey key;
    std::uintptr_t address;
  };

  Row& add_row(AccessKey key, std::uint32_t lanes);
  void regroup();

  std::vector<Row> rows_;  // the first row_count_ are in use
  std::size_t row_count_ = 0;
  std::uint32_t strayed_ = 0;
  std::array<std::uint32_t, kWarpSize> steps_{};
  std::array<std::vector<Access>, kWarpSize> own_;
};

}  // namespace cuda_simulator
