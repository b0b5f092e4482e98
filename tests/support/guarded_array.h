#pragma once

#include "common/device_buffer.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

// An array in device memory between two guard zones that must not be written to. It starts at a
// multiple of 256 bytes, or `offset` elements later.
template <typename T>
class GuardedArray {
 public:
  explicit GuardedArray(const std::vector<T>& values, std::size_t offset = 0)
      : begin_(kGuard + offset), size_(values.size()), buffer_(with_guards(values, begin_)) {}

  T* data() { return buffer_.data() + begin_; }

  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    if (size_ > 0) {
      CUDA_CHECK(cudaMemcpy(host.data(), buffer_.data() + begin_, size_ * sizeof(T),
                            cudaMemcpyDeviceToHost));
    }
    return host;
  }

  // Fails the test if a guard zone was written to.
  void expect_intact_guards(const char* name) const {
    const std::vector<T> all = buffer_.to_host();
    const auto expect_none = [name](auto first, auto last, const std::string& where) {
      const auto count = std::count_if(first, last, [](T value) { return value != kGuardValue; });
      if (count == 0) return;
      record_fact("overwritten=" + where + " array=" + name);
      ADD_FAILURE() << count << " elements " << where << " " << name << " were overwritten";
    };
    expect_none(all.begin(), at(all, begin_), "before");
    expect_none(at(all, begin_ + size_), all.end(), "after");
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
