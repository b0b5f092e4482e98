#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "simulator/findings.h"

// Expectations about a kernel's findings. Only for the simulator.

using cuda_simulator::Finding;
using cuda_simulator::take_findings;

using Index = std::array<unsigned, 3>;

inline Index index_of(const unsigned (&index)[3]) { return {index[0], index[1], index[2]}; }

inline std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class FindingsTest : public testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();  // an error of the last test's buffers, which the reset freed
  }
  void TearDown() override {
    EXPECT_EQ(describe_all(), "");
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);  // otherwise an abandoned grid's error stays
  }

  static std::string describe_all() {
    std::string text;
    for (const Finding& finding : take_findings()) text += finding.kind + ": " + describe(finding);
    return text;
  }
};

// The only finding. Fails and returns an empty finding if there is none or more than one.
inline Finding only_finding() {
  const std::vector<Finding> findings = take_findings();
  EXPECT_EQ(findings.size(), 1u);
  std::string text;
  for (const Finding& finding : findings) text += describe(finding);
  if (findings.size() == 1) return findings.front();
  ADD_FAILURE() << text;
  Finding none;
  none.places.resize(2);
  return none;
}

inline void expect_place(const Finding::Place& place, int line, const std::string& operation,
                         Index thread, Index block) {
  EXPECT_EQ(file_name(place.file),
            file_name(testing::UnitTest::GetInstance()->current_test_info()->file()));
  EXPECT_EQ(place.line, line);
  EXPECT_EQ(place.operation, operation);
  EXPECT_TRUE(place.in_kernel);
  EXPECT_EQ(index_of(place.thread), thread);
  EXPECT_EQ(index_of(place.block), block);
}

// `words` must be in the message.
inline Finding expect_one_place(const std::string& kind, const std::string& words, int line,
                                const std::string& operation, Index thread = {}, Index block = {}) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, kind);
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  EXPECT_EQ(finding.places.size(), 1u);
  if (!finding.places.empty()) {
    expect_place(finding.places[0], line, operation, thread, block);
  }
  return finding;
}

// The error that a bad access leaves: the device is lost, and every later call returns it.
inline void expect_device_lost(cudaError_t error) {
  EXPECT_EQ(cudaDeviceSynchronize(), error);
  EXPECT_EQ(cudaGetLastError(), error);
  EXPECT_EQ(cudaGetLastError(), error);
  void* d_pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&d_pointer, 4), error);
}

inline void expect_nothing_found() {
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(take_findings().empty());
}
