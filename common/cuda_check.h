#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

// Wrap every CUDA runtime call, and write CUDA_CHECK(cudaGetLastError()) after every launch.
// Throws CudaError when the call failed.
#define CUDA_CHECK(call) throw_if_failed((call), #call, __FILE__, __LINE__)

// What went wrong, and where: "02_localmem.cu:48: cudaGetLastError(): cudaErrorInvalidValue: ...".
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

inline void throw_if_failed(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw CudaError(status, std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                              cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}
