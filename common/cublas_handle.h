#pragma once

#include "common/cuda_check.h"

#include <cublas_v2.h>

#include <string>

// Throws CudaError, with the name of the called function, if the call failed.
inline void check_cublas(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string what = std::string(function) + ": " + cublasGetStatusName(status);
  throw CudaError(cudaErrorUnknown, (what + ": " + cublasGetStatusString(status)).c_str());
}

// Owns a cuBLAS handle. Link with CUDA::cublas.
class CublasHandle {
 public:
  CublasHandle() { check_cublas(cublasCreate(&handle_), "cublasCreate"); }
  ~CublasHandle() { cublasDestroy(handle_); }  // unchecked: a destructor must not throw

  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

// The process's handle, set to use this stream. The first call creates it, which takes far longer
// than a cuBLAS call. Throws CudaError.
inline cublasHandle_t cublas_handle(cudaStream_t stream) {
  static const CublasHandle handle;
  check_cublas(cublasSetStream(handle.get(), stream), "cublasSetStream");
  return handle.get();
}
