#pragma once

#include "common/cuda_check.h"
#include "tests/support/launch_failure.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

// Calls `function` with its first launch failing, then with its second, and so on, up to the last
// one. Fails the test unless each of these calls throws CudaError. Skips it on a GPU.
template <typename Function>
void expect_error_of_each_launch(const Function& function) {
  constexpr int kMostLaunches = 100;
  for (int number = 1; number <= kMostLaunches; ++number) {
    if (!fail_launch(number)) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
    try {
      function();
    } catch (const CudaError&) {
      cudaGetLastError();  // heard: an error that a function returns stays the last one all the
                           // same
      continue;
    }
    fail_launch(0);
    EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess")
        << "launch " << number << " failed, and nothing looked at the error";
    EXPECT_GT(number, 1) << "nothing was launched";
    return;
  }
  ADD_FAILURE() << "more than " << kMostLaunches << " launches, or errors of another kind";
}
