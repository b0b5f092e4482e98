#pragma once

#include "chapters/ch10_many_gpus/gpu.h"
#include "chapters/ch10_many_gpus/harness/gpu_group.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/support/device_test.h"
#include "tests/support/launch_failure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

// The common part of the tests with several GPUs.

// Sets four simulated GPUs before the first CUDA call.
inline const bool has_four_simulated_gpus = simulate_four_gpus();

// The base class of tests that are skipped if they need more GPUs than there are.
class OnGpusTest : public DeviceTest {
 protected:
  static int gpus_there() {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    return count;
  }
};

inline void expect_no_error_left() {
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaSuccess")
      << "a call failed, and its error was not checked";
}

// Callers of this chapter's functions can have any GPU as the current one, even one without a
// share of the work.
inline void make_last_gpu_current() {
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  CUDA_CHECK(cudaSetDevice(count - 1));
}

// While it lives, the simulator's GPUs have no peer access.
class WithoutPeers {
 public:
  WithoutPeers() : is_known_(set_peer_access(false)) {}
  ~WithoutPeers() { set_peer_access(true); }
  WithoutPeers(const WithoutPeers&) = delete;
  WithoutPeers& operator=(const WithoutPeers&) = delete;

  // False on a GPU, where peer access cannot be changed.
  bool is_known() const { return is_known_; }

 private:
  const bool is_known_;
};

// Makes a call without peer access. A stage either works, or reports that it needs peer access.
template <typename Call>
void expect_right_or_needs_peers(const Call& wrong_after_call) {
  const WithoutPeers without_peers;
  if (!without_peers.is_known()) GTEST_SKIP() << "only the simulator's GPUs can lack peer access";
  std::string words;
  try {
    words = wrong_after_call();
  } catch (const CudaError&) {
    words = "a CUDA call failed";
  } catch (const std::runtime_error& error) {
    const std::string start =
        "GPU 0 cannot reach the memory of GPU 1, which the kernel of this stage needs. "
        "Use ch10_many_gpus_";
    words = error.what();
    if (words.rfind(start, 0) == 0) return;
  }
  EXPECT_EQ(words, "") << "without peer access";
}

// Device memory with guards around it that must not change.
template <typename T>
class GuardedOn {
 public:
  GuardedOn(const Gpu& gpu, const std::vector<T>& values)
      : size_(values.size()),
        buffer_(made_on(gpu, [&] { return DeviceBuffer<T>(guarded(values)); })) {}

  T* data() { return buffer_.data() + kGuard; }

  std::vector<T> to_host() const {
    const std::vector<T> all = buffer_.to_host();
    return {all.begin() + kGuard, all.end() - kGuard};
  }
  void expect_intact_guards(const char* name) const {
    const std::vector<T> all = buffer_.to_host();
    const auto is_guard = [](T value) { return value == kGuardValue; };
    EXPECT_TRUE(right_or_fact(std::all_of(all.begin(), all.begin() + kGuard, is_guard),
                              "overwritten=before"))
        << "elements before " << name << " were overwritten";
    EXPECT_TRUE(
        right_or_fact(std::all_of(all.end() - kGuard, all.end(), is_guard), "overwritten=after"))
        << "elements after " << name << " were overwritten";
  }

 private:
  static constexpr int kGuard = 64;  // at least 256 bytes, so the array stays aligned
  static constexpr T kGuardValue = 42;

  static std::vector<T> guarded(const std::vector<T>& values) {
    std::vector<T> all(kGuard, kGuardValue);
    all.insert(all.end(), values.begin(), values.end());
    all.insert(all.end(), kGuard, kGuardValue);
    return all;
  }

  std::size_t size_;
  DeviceBuffer<T> buffer_;
};
