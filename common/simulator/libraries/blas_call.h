#pragma once

#include "runtime/live_handles.h"
#include "simulator/library_work.h"

#include "simulator/findings.h"
#include "simulator/say_once.h"

#include <cublas_v2.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

// A call of <cublas_v2.h>: its handle, its arguments, and its work in the handle's stream.

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace cuda_simulator {

using Handles = LiveHandles<cublasContext>;

// alpha or beta: its value, or its place in device memory.
template <typename T>
struct Scalar {
  T value = 0;
  const T* on_device = nullptr;

  T get() const { return on_device ? *on_device : value; }
};

// One call: it checks the arguments, collects the arrays, and computes. The first invalid argument
// decides the status, and a sentence names it, as NVIDIA's library does.
class BlasCall {
 public:
  BlasCall(const char* function, const void* caller, cublasHandle_t handle)
      : work_{{function, caller}, {}, {}, {}, false} {
    if (Handles::get().contains(handle)) {
      stream_ = handle->stream;
      pointer_mode_ = handle->pointer_mode;
      return;
    }
    status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    explain("its handle was not created with cublasCreate, or was already destroyed.");
  }
  // For a call that does not use those of its handle.
  void use(cudaStream_t stream, cublasPointerMode_t pointer_mode) {
    stream_ = stream;
    pointer_mode_ = pointer_mode;
  }

  cublasStatus_t status() const { return status_; }
  bool is_valid() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  void require(bool is_valid, const std::string& otherwise,
               cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE) {
    if (is_valid || !this->is_valid()) return;
    status_ = status;
    explain(otherwise);
  }
  void require_size(const char* name, std::int64_t size) {
    require(size >= 0, std::string(name) + " is " + std::to_string(size) + ".");
  }
  void require_operation(const char* name, cublasOperation_t operation) {
    require(operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C,
            std::string(name) + " is not a cublasOperation_t.");
  }
  void require_pitch(const char* name, std::int64_t pitch, std::int64_t rows) {
    require(pitch >= std::max<std::int64_t>(rows, 1),
            std::string(name) + " is " + std::to_string(pitch) + "; it must be at least " +
                std::to_string(std::max<std::int64_t>(rows, 1)) + ", the rows of the matrix.");
  }

  template <typename T>
  Scalar<T> scalar(const char* name, const T* pointer) {
    require_scalar(name, pointer, sizeof(T));
    if (!is_valid()) return {};
    if (on_host()) return {*pointer, nullptr};
    work_.reads.push_back({name, pointer, sizeof(T)});
    return {0, pointer};
  }
  // The place of a result. In host memory, the host waits for it.
  template <typename T>
  void result(T* pointer) {
    require_scalar("result", pointer, sizeof(T));
    work_.host_waits = is_valid() && on_host();
    if (is_valid() && !on_host()) work_.writes.push_back({"result", pointer, sizeof(T)});
  }

  template <typename T>
  void reads_vector(const char* name, const T* data, std::int64_t n, std::int64_t stride) {
    add(work_.reads, name, data, sizeof(T), stride == 0 ? 1 : n, std::llabs(stride) * sizeof(T));
  }
  template <typename T>
  void writes_vector(const char* name, const T* data, std::int64_t n, std::int64_t stride) {
    add(work_.writes, name, data, sizeof(T), stride == 0 ? 1 : n, std::llabs(stride) * sizeof(T));
  }
  template <typename T>
  void reads_matrix(const char* name, const T* data, std::int64_t rows, std::int64_t cols,
                    std::int64_t pitch) {
    add(work_.reads, name, data, rows * sizeof(T), cols, pitch * sizeof(T));
  }
  // `beta`: whether the elements are read too.
  template <typename T>
  void updates_matrix(const char* name, T* data, std::int64_t rows, std::int64_t cols,
                      std::int64_t pitch, const Scalar<T>& beta) {
    if (beta.on_device || beta.value != T{0}) reads_matrix(name, data, rows, cols, pitch);
    add(work_.writes, name, data, rows * sizeof(T), cols, pitch * sizeof(T));
  }

  template <typename Compute>
  cublasStatus_t run(Compute compute) {
    if (!is_valid()) return status_;
    work_.compute = [compute, call = work_.call] {
      const char* by = "plain loops";
      compute(by);
      say_computed(call, "cuBLAS", by);
    };
    const bool succeeded = add_library_work(stream_, work_) == cudaSuccess;
    return succeeded ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
  }

 private:
  bool on_host() const { return pointer_mode_ == CUBLAS_POINTER_MODE_HOST; }
  void explain(const std::string& what) const {
    const std::string text =
        std::string(work_.call.function) + " returns " + cublasGetStatusName(status_) + ": " + what;
    say_once(text, text);
  }
  void require_scalar(const char* name, const void* pointer, std::size_t bytes) {
    require(pointer != nullptr, std::string(name) + " is a null pointer.");
    if (!is_valid() || !on_host() || is_host_memory(pointer, bytes)) return;
    report_library_error(
        work_.call, finding_kind::kDevicePointerOnHost,
        std::string(work_.call.function) + " uses its argument " + name +
            " on the host, but that is in device memory. Pass an address in host memory, or call "
            "cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) first.");
    status_ = CUBLAS_STATUS_INVALID_VALUE;
  }
  static void add(std::vector<LibraryArray>& arrays, const char* name, const void* data,
                  std::size_t row_bytes, std::int64_t count, std::size_t pitch) {
    if (count > 0)
      arrays.push_back({name, data, row_bytes, static_cast<std::size_t>(count), pitch});
  }

  cudaStream_t stream_ = nullptr;
  cublasPointerMode_t pointer_mode_ = CUBLAS_POINTER_MODE_HOST;
  LibraryWork work_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

}  // namespace cuda_simulator
