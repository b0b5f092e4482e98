#pragma once

#include "vector_map.h"

#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The code that the programs with a main() of their own share: they measure times, and compute
// nothing that could be wrong.

// The option for the number of elements.
struct SizeOption {
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options() { return {{"--n N", "elements of each array"}}; }
  static Asked parse(Options& options) {
    return options.integer<std::size_t>("--n", 1, static_cast<long long>(kMaxSize));
  }
  static Sizes<std::size_t> sizes(const Asked& asked, bool is_timed) {
    return sizes_of(asked, std::size_t{100'003}, std::size_t{100'000'000}, is_timed);
  }
};

// The memory for that many arrays of n floats.
inline MemoryNeed arrays_of(std::size_t n, int on_device, int on_host) {
  const double array_bytes = static_cast<double>(n) * sizeof(float);
  return {format("arrays of %zu elements", n), on_device * array_bytes, on_host * array_bytes,
          largest_that_fits("--n", static_cast<double>(n))};
}
