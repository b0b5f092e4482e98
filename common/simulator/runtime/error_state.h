#pragma once

#include "runtime/devices.h"

#include "simulator/error_codes.h"

#include <array>
#include <atomic>

namespace cuda_simulator {

// What cudaGetLastError() returns, and the error that ended a device's context if one did: after a
// bad access in a kernel, every later call with that device returns it. Each function is about the
// calling thread's device.
class ErrorState {
 public:
  static ErrorState& get();

  // Notes an API call's result and gives it back. A lost context overrides it.
  cudaError_t report(cudaError_t error);
  void lose_context(cudaError_t error);
  cudaError_t lost() const;
  cudaError_t last() const;
  cudaError_t take_last();
  void reset();

  // A launch that a test has asked to fail (faults.h): told of each launch, says whether it is it.
  void fail_launch(int number) { launches_to_failure_ = number; }
  bool launch_fails();

 private:
  std::array<std::atomic<cudaError_t>, kMostDevices> lost_{};
  std::atomic<int> launches_to_failure_{0};
};

inline cudaError_t report(cudaError_t error) { return ErrorState::get().report(error); }

}  // namespace cuda_simulator
