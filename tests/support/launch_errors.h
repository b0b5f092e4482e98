#pragma once

#include "common/cuda_check.h"
#include "tests/support/facts.h"
#include "tests/support/launch_failure.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// The latest time for a function to check a launch's error, which stays until it is checked.
enum class Checked { kAtTheEnd, kBeforeTheNextLaunch };

// Calls `function` with its first launch failing, then with its second, and so on, up to the last
// one. Fails the test unless each of these calls throws CudaError in time. Skips it on a GPU.
template <typename Function>
void expect_error_of_each_launch(const Function& function, Checked checked = Checked::kAtTheEnd) {
  test_error_handling();
  constexpr int kMostLaunches = 100;
  for (int number = 1; number <= kMostLaunches; ++number) {
    if (!fail_launch(number)) GTEST_SKIP() << "a GPU's launches do not fail when asked to";
    take_launches();
    try {
      function();
    } catch (const CudaError& error) {
      cudaGetLastError();  // clears the error: a function that returns it does not
      const bool has_failed = !take_launch_failure();
      const LaunchesSeen launches = take_launches();
      if (!has_failed) {
        if (number > 1) return;  // after the first launch: an error that other tests report
        fail_launch(0);
        for (const LaunchesSeen::Refusal& refusal : launches.refusals) {
          record_fact("launch=refused why=" + refusal.why);
        }
        ADD_FAILURE() << "the function threw although no launch had failed: " << error.what();
        return;
      }
      if (checked == Checked::kBeforeTheNextLaunch) {
        EXPECT_LT(launches.count, static_cast<std::uint64_t>(number))
            << "launch " << number
            << " failed, and the next kernel was launched before the error was checked";
      }
      continue;
    }
    const bool is_lost = !take_launch_failure() && number == 1;  // read, and not thrown
    if (cudaGetLastError() != cudaSuccess || is_lost) {
      record_fact("launch=unchecked");
      ADD_FAILURE() << "launch " << number << " failed, but the error was not checked";
    } else if (number == 1) {
      if (!take_launches().is_known)
        GTEST_SKIP() << "the kernels of a library do not fail when asked to";
      record_fact("launch=none");
      ADD_FAILURE() << "no kernel was launched";
    }
    return;
  }
  fail_launch(0);
  ADD_FAILURE() << "more than " << kMostLaunches
                << " launches in a test that needs only a few. Is there a launch for each element?";
}
