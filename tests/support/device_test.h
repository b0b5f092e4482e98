#pragma once

#include "tests/support/device_findings.h"
#include "tests/support/launch_failure.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>

// Base of every test that launches a kernel.
//
// Without a device it skips, so that the workbook builds anywhere; with WORKBOOK_REQUIRE_GPU set it
// fails instead, so that a machine that claims to have tested kernels cannot pass idle. In the
// simulator a finding fails the test, right numbers or not; and a test that fails says which
// launches were refused, and why: the error's own text is "invalid argument".
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    take_launches();
    int device_count = 0;
    const cudaError_t status = cudaGetDeviceCount(&device_count);
    if (status == cudaSuccess && device_count > 0) return;
    if (std::getenv("WORKBOOK_REQUIRE_GPU")) FAIL() << cudaGetErrorString(status);
    GTEST_SKIP() << cudaGetErrorString(status);
  }

  void TearDown() override {
    if (HasFailure()) {  // a launch that is refused on purpose fails no test
      for (const std::string& refusal : take_launches().refusals) ADD_FAILURE() << refusal;
    }
    const std::string findings = take_device_findings();
    if (!findings.empty()) ADD_FAILURE() << findings;
  }
};
