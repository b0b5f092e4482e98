#pragma once

#include "tests/support/device_findings.h"
#include "tests/support/facts.h"
#include "tests/support/launch_failure.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// For use after a call that launches a kernel.
inline void expect_no_launch_error() {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  record_fact("launch=unchecked");
  ADD_FAILURE() << "a launch failed, but the error was not checked: " << cudaGetErrorName(error);
}

// Base class of every test that launches a kernel.
//
// Without a device the test is skipped, so that the workbook builds everywhere. With
// WORKBOOK_REQUIRE_GPU set it fails instead, so that tests of kernels cannot pass without a GPU.
//
// In the simulator a finding fails the test, even if the result is correct. A failed test also
// reports which launches were refused, and why, because the error's text is only "invalid
// argument". A test that launches a kernel for each of many elements ends soon, and the program's
// other tests are skipped.
class DeviceTest : public testing::Test {
 protected:
  // A test of ch2_ex2 needs the most: 87,712 with the reference answer.
  static constexpr std::uint64_t kMostLaunches = 250'000;

  void SetUp() override {
    if (take_launches().ran_out) GTEST_SKIP() << "an earlier test has launched too many kernels";
    limit_launches(kMostLaunches);
    int device_count = 0;
    const cudaError_t status = cudaGetDeviceCount(&device_count);
    if (status == cudaSuccess && device_count > 0) return;
    if (std::getenv("WORKBOOK_REQUIRE_GPU")) FAIL() << cudaGetErrorString(status);
    GTEST_SKIP() << cudaGetErrorString(status);
  }

  void TearDown() override {
    const bool has_no_launch = take_launch_failure();
    if (HasFailure() && has_no_launch) record_fact("launches=none");
    if (HasFailure()) add_refusals(take_launches());  // an intended refusal fails no test
    record_exceptions();
    const DeviceFindings refused = take_refused_copies();
    if (HasFailure() && !refused.text.empty()) {
      for (const std::string& fact : refused.facts) record_fact(fact);
      ADD_FAILURE() << refused.text;
    }
    const DeviceFindings findings = take_device_findings();
    for (const std::string& fact : findings.facts) record_fact(fact);
    if (findings.text.empty()) return;
    RecordProperty("findings", findings.json);
    ADD_FAILURE() << findings.text;
  }

  static void add_refusals(const LaunchesSeen& launches) {
    for (const LaunchesSeen::Refusal& refusal : launches.refusals) {
      record_fact("launch=refused why=" + refusal.why);
      ADD_FAILURE() << refusal.text;
    }
  }

 private:
  // Reads GoogleTest's message about an exception, which quotes the text of a CudaError:
  // "ex1.cu:20: cudaMemcpy(d_x, ...): cudaErrorInvalidValue: invalid argument".
  static void record_exceptions() {
    const testing::TestResult& result =
        *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < result.total_part_count(); ++i) {
      const std::string message = result.GetTestPartResult(i).message();
      if (message.rfind("C++ exception", 0) != 0) continue;
      const std::string error = word_at(message, message.find(": cudaError"));
      const std::string call = word_at(message, message.find(": cuda"));
      record_fact(error.empty() ? "threw=other" : "threw=" + error + " call=" + call);
    }
  }
  // The word after the ": " at `colon`.
  static std::string word_at(const std::string& message, std::size_t colon) {
    if (colon == std::string::npos) return "";
    const std::size_t end = message.find_first_of(":(", colon + 2);
    return message.substr(colon + 2, end - colon - 2);
  }
};
