#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>

// Wrap every CUDA runtime call, and write CUDA_CHECK(cudaGetLastError()) after every launch.
// Throws CudaError if the call failed.
#define CUDA_CHECK(call) throw_if_failed((call), #call, __FILE__, __LINE__)

// An error and its location: "02_localmem.cu:48: cudaGetLastError(): cudaErrorInvalidValue: ...".
class CudaError : public std::exception {
 public:
  // Longer messages are cut off after 999 characters.
  CudaError(cudaError_t code, const char* message) : code_(code) {
    std::snprintf(message_, sizeof message_, "%s", message);
  }
  cudaError_t code() const { return code_; }
  const char* what() const noexcept override { return message_; }

 private:
  cudaError_t code_;
  char message_[1000];  // <string> takes longer to compile than most stages
};

inline void throw_if_failed(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  char message[1000];
  std::snprintf(message, sizeof message, "%s:%d: %s: %s: %s", file, line, call,
                cudaGetErrorName(status), cudaGetErrorString(status));
  throw CudaError(status, message);
}
