#pragma once

#include "chapters/ch0_machine/harness/problem.h"

#include "common/cuda_check.h"
#include "tests/support/array_operation_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

// Code that this chapter's tests share.

// As expect_equal(), with its own message if no element was written. `width` is that of a row.
inline void expect_numbers(const std::vector<int>& actual, const std::vector<int>& expected,
                           const char* name, std::size_t width = 0) {
  const auto is_unwritten = [](int number) { return number == kUnwritten; };
  if (actual.size() == expected.size() && std::all_of(actual.begin(), actual.end(), is_unwritten)) {
    record_elements(
        actual, width ? width : actual.size(), [](int, std::size_t) { return false; },
        [&](std::size_t i) { return expected[i]; }, name);
    record_fact(format("pattern=unwritten elements=all wrong=%zu size=%zu array=%s", actual.size(),
                       actual.size(), name));
    ADD_FAILURE() << actual.size() << " of " << actual.size() << " elements are wrong. Pattern: "
                  << "no element was written.";
    return;
  }
  expect_equal(actual, expected, name, width);
}

class TooManyThreads : public ArrayOperationTest, public testing::WithParamInterface<int> {};

// Calls the operation with too many threads per block. It must throw CudaError.
template <typename Call>
void expect_refused(int threads, const Call& call) {
  test_error_handling();
  try {
    call();
    add_missing_refusal("the function", threads);
  } catch (const CudaError&) {
    take_device_findings();  // the simulator reports why it refused the launch
  }
  cudaGetLastError();  // an unchecked error must not reach other tests
}

// Host memory of n numbers, followed by elements that must not be written.
class HostNumbers {
 public:
  explicit HostNumbers(int n) : n_(n), all_(static_cast<std::size_t>(n) + kGuard, kUnwritten) {}

  int* data() { return all_.data(); }
  std::vector<int> numbers() const { return {all_.begin(), all_.begin() + n_}; }
  void expect_intact_guard(const char* name) const {
    const auto is_kept = [](int number) { return number == kUnwritten; };
    if (std::all_of(all_.begin() + n_, all_.end(), is_kept)) return;
    record_fact(std::string("overwritten=after array=") + name);
    ADD_FAILURE() << "elements after " << name << " were overwritten";
  }

 private:
  static constexpr int kGuard = 1024;

  int n_;
  std::vector<int> all_;
};
