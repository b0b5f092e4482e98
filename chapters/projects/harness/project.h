#pragma once

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"

#include <stdexcept>
#include <string>
#include <vector>

// What the programs of the projects share: one size, and the comparison of an array.
template <typename Size>
class Project : public Problem {
 public:
  static Sizes<Size> sizes(const Size& asked, bool) { return {asked, asked}; }
  static MemoryNeed memory_need(const Size&, bool) { return {"a few megabytes", 0, 0, {}}; }

 protected:
  template <typename T>
  static void expect(const DeviceBuffer<T>& d_actual, const std::vector<T>& expected,
                     const char* name) {
    const std::vector<T> actual = d_actual.to_host();
    const auto mismatch = find_mismatch(actual, expected);
    if (!mismatch) return;
    throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, name, actual, expected));
  }
};
