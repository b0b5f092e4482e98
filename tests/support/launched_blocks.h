#pragma once

#include "tests/support/device_test.h"
#include "tests/support/facts.h"
#include "tests/support/launch_failure.h"

#include <gtest/gtest.h>

#include <string>

// Checks of the blocks that a function launches.

inline void expect_block_size(const LaunchesSeen& launches, int threads) {
  const unsigned launched = launches.block.x * launches.block.y * launches.block.z;
  if (launches.count == 0 || launched == static_cast<unsigned>(threads)) return;
  record_fact("launch=block_size threads=" + std::to_string(launched));
  ADD_FAILURE() << "the caller asked for blocks of " << threads
                << " threads, but the launched blocks have " << launched;
}

// Fails: `function` returned, although a launch cannot have that many threads per block.
inline void add_missing_refusal(const char* function, int threads) {
  const LaunchesSeen launches = take_launches();
  if (launches.count > 0) return expect_block_size(launches, threads);
  record_fact("launch=unchecked");
  ADD_FAILURE() << "a block of " << threads << " threads cannot be launched, but " << function
                << " reported no error";
}

class ArrayOperationTest : public DeviceTest {
 protected:
  // Checks that a call has launched blocks of `threads` threads. (A GPU does not report launches.)
  static LaunchesSeen expect_blocks_of(int threads) {
    const LaunchesSeen launches = take_launches();
    if (!launches.is_known) return launches;
    add_refusals(launches);
    if (launches.count == 0 && launches.refusals.empty()) {
      record_fact("launch=none");
      ADD_FAILURE() << "no kernel was launched";
    }
    expect_block_size(launches, threads);
    return launches;
  }
};
