#pragma once

#include "simulator/error_codes.h"

namespace cuda_simulator {

// What cudaGetLastError() returns, and the error that ended the device's context if one did: after
// a bad access in a kernel, every later call returns it.
class ErrorState {
 public:
  static ErrorState& get();

  // Notes an API call's result and gives it back. A lost context overrides it.
  cudaError_t report(cudaError_t error);
  void lose_context(cudaError_t error) { lost_ = error; }
  cudaError_t lost() const { return lost_; }
  cudaError_t last() const;
  cudaError_t take_last();
  void reset();

 private:
  cudaError_t lost_ = cudaSuccess;
};

inline cudaError_t report(cudaError_t error) { return ErrorState::get().report(error); }

}  // namespace cuda_simulator
