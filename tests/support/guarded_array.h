#pragma once

#include "common/device_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// An array in device memory between two guard zones, which nothing may write to. It starts at a
// multiple of 256 bytes, or `offset` elements later.
template <typename T>
class GuardedArray {
 public:
  explicit GuardedArray(const std::vector<T>& values, std::size_t offset = 0)
      : begin_(kGuard + offset), size_(values.size()), buffer_(with_guards(values, begin_)) {}

  T* data() { return buffer_.data() + begin_; }

  std::vector<T> to_host() const {
    const std::vector<T> all = buffer_.to_host();
    return {at(all, begin_), at(all, begin_ + size_)};
  }

  // Fails the test if a guard zone was written to.
  void expect_intact_guards(const char* name) const {
    const std::vector<T> all = buffer_.to_host();
    const auto overwritten = [](auto first, auto last) {
      return std::count_if(first, last, [](T value) { return value != kGuardValue; });
    };
    EXPECT_EQ(overwritten(all.begin(), at(all, begin_)), 0)
        << "elements before " << name << " were overwritten";
    EXPECT_EQ(overwritten(at(all, begin_ + size_), all.end()), 0)
        << "elements after " << name << " were overwritten";
  }

 private:
  static constexpr std::size_t kGuard = 2048;  // more than a block has threads
  static constexpr T kGuardValue = 42;

  static auto at(const std::vector<T>& all, std::size_t index) {
    return all.begin() + static_cast<std::ptrdiff_t>(index);
  }
  static std::vector<T> with_guards(const std::vector<T>& values, std::size_t begin) {
    std::vector<T> all(begin + values.size() + kGuard, kGuardValue);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
    return all;
  }

  std::size_t begin_, size_;
  DeviceBuffer<T> buffer_;
};
