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

// The common part of this chapter's programs.

// The shares of the vectors in the memories of some GPUs. The workspaces keep their data from call
// to call.
class DividedVectors {
 public:
  DividedVectors(const GpuGroup& group, const double* a, const double* b, std::size_t size);
  const std::vector<Share>& shares() const { return shares_; }

 private:
  std::vector<DeviceBuffer<double>> vectors_;  // share of a, share of b, and so on
  std::vector<DeviceBuffer<char>> workspaces_;
  std::vector<Share> shares_;
};

// A requested size, of any kind, and the number of GPUs.
template <typename Size>
struct OnGpus {
  Size size;
  std::optional<int> gpus;
};

// The bytes of n elements and of their n^2 pairs. The type is double, so no size overflows.
struct BytesOfPairs {
  double a_pair, a_thing;

  double of(double n) const { return a_pair * n * n + a_thing * n; }
  // The text for MemoryNeed: how many elements fit in that share of the memory for n elements.
  std::function<std::string(double share)> largest_that_fits(double n) const {
    return [bytes = *this, n](double share) {
      const auto [a_pair, a_thing] = bytes;
      const double root = std::sqrt(a_thing * a_thing + 4 * a_pair * share * bytes.of(n));
      return format("The largest --n that fits is about %.0f.", (root - a_thing) / (2 * a_pair));
    };
  }
};

// Chooses the checked and the timed size, with the number of GPUs.
template <typename Size>
Sizes<OnGpus<Size>> sizes_on_gpus(const OnGpus<std::optional<Size>>& asked, const Size& to_check,
                                  const Size& to_time, bool is_timed) {
  const int gpus = choose_gpus(asked.gpus);
  const Sizes<Size> sizes = sizes_of(asked.size, to_check, to_time, is_timed);
  return {{sizes.checked, gpus}, {sizes.timed, gpus}};
}
