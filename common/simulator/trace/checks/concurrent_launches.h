#pragma once

#include "trace/checks/clock.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace cuda_simulator {

struct LaunchWork;

// The earlier launches that a GPU could run at the same time as the current work, by the epochs in
// which they ran here.
class ConcurrentLaunches {
 public:
  void clear() { launches_.clear(); }
  // Must be called in the order in which they ran: [begin, end).
  void add(Epoch begin, Epoch end, const LaunchWork* launch) {
    launches_.push_back({begin, end, launch});
  }
  bool empty() const { return launches_.empty(); }
  Epoch first_epoch() const {
    return launches_.empty() ? std::numeric_limits<Epoch>::max() : launches_.front().begin;
  }
  // The launch that ran at this epoch, or nullptr.
  const LaunchWork* at(Epoch epoch) const {
    const auto after =
        std::upper_bound(launches_.begin(), launches_.end(), epoch,
                         [](Epoch wanted, const Launch& launch) { return wanted < launch.begin; });
    if (after == launches_.begin()) return nullptr;
    const Launch& launch = *std::prev(after);
    return epoch < launch.end ? launch.work : nullptr;
  }

 private:
  struct Launch {
    Epoch begin, end;
    const LaunchWork* work;
  };
  std::vector<Launch> launches_;
};

}  // namespace cuda_simulator
