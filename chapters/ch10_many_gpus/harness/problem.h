#pragma once

#include "harness/gpu_group.h"
#include "many_gpus.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"
#include "common/harness/host_vector.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter share.

// The vectors' shares in the memories of some GPUs. What stands in the workspaces outlives a call.
class DividedVectors {
 public:
  DividedVectors(const GpuGroup& group, const double* a, const double* b, std::size_t size);
  const std::vector<Share>& shares() const { return shares_; }

 private:
  std::vector<DeviceBuffer<double>> vectors_;  // a's share, b's share, and so on
  std::vector<DeviceBuffer<char>> workspaces_;
  std::vector<Share> shares_;
};

// A size that was asked for, of any kind, and the number of GPUs.
template <typename Size>
struct OnGpus {
  Size size;
  std::optional<int> gpus;
};

// What n things take that have n^2 pairs. In floating point, where no size overflows.
struct BytesOfPairs {
  double a_pair, a_thing;

  double of(double n) const { return a_pair * n * n + a_thing * n; }
  // For MemoryNeed: how many fit, if the share that is there is of what n things take.
  std::function<std::string(double share)> largest_that_fits(double n) const {
    return [bytes = *this, n](double share) {
      const auto [a_pair, a_thing] = bytes;
      const double root = std::sqrt(a_thing * a_thing + 4 * a_pair * share * bytes.of(n));
      return format("The largest --n that fits is about %.0f.", (root - a_thing) / (2 * a_pair));
    };
  }
};

// How the checked and the timed size are chosen, once the number of GPUs is among them.
template <typename Size>
Sizes<OnGpus<Size>> sizes_on_gpus(const OnGpus<std::optional<Size>>& asked, const Size& to_check,
                                  const Size& to_time, bool is_timed) {
  const int gpus = choose_gpus(asked.gpus);
  const Sizes<Size> sizes = sizes_of(asked.size, to_check, to_time, is_timed);
  return {{sizes.checked, gpus}, {sizes.timed, gpus}};
}
