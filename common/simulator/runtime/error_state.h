#pragma once

#include "runtime/devices.h"

#include "simulator/error_codes.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace cuda_simulator {

// The result of cudaGetLastError(), and the error that ended a device's context: after a bad access
// in a kernel, every later call with that device returns it. Each function applies to the calling
// thread's device.
class ErrorState {
 public:
  static ErrorState& get();

  // Records the result of an API call and returns it. The error of a lost context overrides it.
  cudaError_t report(cudaError_t error);
  void lose_context(cudaError_t error);
  cudaError_t lost() const;
  cudaError_t last() const;
  std::uint64_t reads() const { return reads_; }  // of the last error, by the program
  cudaError_t take_last();
  cudaError_t peek_at_last();
  void reset();
  bool was_reset() const { return was_reset_; }  // all memory was freed

  // A launch that a test makes fail on purpose (faults.h): called for each launch, returns true for
  // that one.
  bool fail_launch(int number) { return launches_to_failure_.exchange(number) > 0; }
  bool launch_fails();

 private:
  std::array<std::atomic<cudaError_t>, kMostDevices> lost_{};
  std::atomic<int> launches_to_failure_{0};
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<bool> was_reset_{false};
};

inline cudaError_t report(cudaError_t error) { return ErrorState::get().report(error); }

}  // namespace cuda_simulator
