// The implementation of <cublas_v2.h>.

#include "libraries/blas_operations.h"
#include "libraries/mixed_product.h"

#include <cmath>
#include <functional>
#include <utility>

namespace cuda_simulator {
namespace {

// Changes or reads a property of a handle.
template <typename Action>
cublasStatus_t with_handle(cublasHandle_t handle, Action action) {
  if (!Handles::get().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  action();
  return CUBLAS_STATUS_SUCCESS;
}

// A column of `rows` elements at a time.
cublasStatus_t copy_matrix(int rows, int cols, int element_bytes, const void* a, int lda, void* b,
                           int ldb, cudaMemcpyKind kind) {
  if (rows < 0 || cols < 0 || element_bytes <= 0 || lda < rows || ldb < rows || lda <= 0 ||
      ldb <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  const auto error = cudaMemcpy2D(b, ldb * bytes, a, lda * bytes, rows * bytes,
                                  static_cast<std::size_t>(cols), kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

struct MatrixArgument {
  const void* data;
  cudaDataType type;
  int pitch;
  long long batch_stride;
};

cublasStatus_t mixed_gemm(const BlasCall& blas, cublasOperation_t transa, cublasOperation_t transb,
                          int m, int n, int k, const void* alpha, const MatrixArgument& a,
                          const MatrixArgument& b, const void* beta, const MatrixArgument& c,
                          int batches, cublasComputeType_t compute) {
  const auto matrix = [](const char* name, const MatrixArgument& argument, const Shape& shape) {
    return TypedMatrix{name,       argument.data,  argument.type,        shape.rows,
                       shape.cols, argument.pitch, argument.batch_stride};
  };
  const TypedMatrix result = matrix("C", c, {m, n});
  return multiply(blas, {transa, transb, alpha, matrix("A", a, stored(transa, m, k)),
                         matrix("B", b, stored(transb, k, n)), beta, result, result, batches,
                         compute, scale_type(compute)});
}

}  // namespace
}  // namespace cuda_simulator

using cuda_simulator::copy_matrix;
using cuda_simulator::Handles;
using cuda_simulator::mixed_gemm;
using cuda_simulator::with_handle;

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define NAME(status) \
  case status:       \
    return #status;
    NAME(CUBLAS_STATUS_SUCCESS)
    NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME(CUBLAS_STATUS_ALLOC_FAILED)
    NAME(CUBLAS_STATUS_INVALID_VALUE)
    NAME(CUBLAS_STATUS_ARCH_MISMATCH)
    NAME(CUBLAS_STATUS_MAPPING_ERROR)
    NAME(CUBLAS_STATUS_EXECUTION_FAILED)
    NAME(CUBLAS_STATUS_INTERNAL_ERROR)
    NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef NAME
  }
  return "unknown cuBLAS status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the handle was not created";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an argument is invalid";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the work failed on the device";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "a copy failed";
    default:
      return cublasGetStatusName(status);
  }
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = Handles::get().add(new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return Handles::get().remove(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  return with_handle(handle, [&] { *version = CUBLAS_VERSION; });
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return with_handle(handle, [&] { handle->stream = stream; });
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return with_handle(handle, [&] { *stream = handle->stream; });
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with_handle(handle, [&] { handle->pointer_mode = mode; });
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return with_handle(handle, [&] { *mode = handle->pointer_mode; });
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with_handle(handle, [&] { handle->math_mode = mode; });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return with_handle(handle, [&] { *mode = handle->math_mode; });
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, std::size_t) {
  return with_handle(handle, [] {});
}

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_matrix(1, n, element_bytes, x, incx, y, incy, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_matrix(1, n, element_bytes, x, incx, y, incy, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost);
}

#define BLAS(function) cuda_simulator::BlasCall(#function, __builtin_return_address(0), handle)
#define CALLS(L, LOWER, T, I, SUFFIX)                                                              \
  cublasStatus_t cublas##L##axpy##SUFFIX(cublasHandle_t handle, I n, const T* alpha, const T* x,   \
                                         I incx, T* y, I incy) {                                   \
    return cuda_simulator::axpy<T>(BLAS(cublas##L##axpy##SUFFIX), n, alpha, x, incx, y, incy);     \
  }                                                                                                \
  cublasStatus_t cublas##L##scal##SUFFIX(cublasHandle_t handle, I n, const T* alpha, T* x,         \
                                         I incx) {                                                 \
    return cuda_simulator::scal<T>(BLAS(cublas##L##scal##SUFFIX), n, alpha, x, incx);              \
  }                                                                                                \
  cublasStatus_t cublas##L##copy##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx, T* y,     \
                                         I incy) {                                                 \
    return cuda_simulator::copy<T>(BLAS(cublas##L##copy##SUFFIX), n, x, incx, y, incy);            \
  }                                                                                                \
  cublasStatus_t cublas##L##dot##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,            \
                                        const T* y, I incy, T* result) {                           \
    return cuda_simulator::dot<T>(BLAS(cublas##L##dot##SUFFIX), n, x, incx, y, incy, result);      \
  }                                                                                                \
  cublasStatus_t cublas##L##nrm2##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result) {                                              \
    return cuda_simulator::sum<T>(                                                                 \
        BLAS(cublas##L##nrm2##SUFFIX), n, x, incx, result, [](long double x) { return x * x; },    \
        [](long double sum) { return std::sqrt(sum); });                                           \
  }                                                                                                \
  cublasStatus_t cublas##L##asum##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result) {                                              \
    return cuda_simulator::sum<T>(                                                                 \
        BLAS(cublas##L##asum##SUFFIX), n, x, incx, result,                                         \
        [](long double x) { return std::abs(x); }, [](long double sum) { return sum; });           \
  }                                                                                                \
  cublasStatus_t cublasI##LOWER##amax##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,      \
                                              I* result) {                                         \
    return cuda_simulator::first_of<T, I>(BLAS(cublasI##LOWER##amax##SUFFIX), n, x, incx, result,  \
                                          std::greater<T>());                                      \
  }                                                                                                \
  cublasStatus_t cublasI##LOWER##amin##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,      \
                                              I* result) {                                         \
    return cuda_simulator::first_of<T, I>(BLAS(cublasI##LOWER##amin##SUFFIX), n, x, incx, result,  \
                                          std::less<T>());                                         \
  }                                                                                                \
  cublasStatus_t cublas##L##gemv##SUFFIX(cublasHandle_t handle, cublasOperation_t trans, I m, I n, \
                                         const T* alpha, const T* a, I lda, const T* x, I incx,    \
                                         const T* beta, T* y, I incy) {                            \
    return cuda_simulator::gemv<T>(BLAS(cublas##L##gemv##SUFFIX), trans, m, n, alpha, a, lda, x,   \
                                   incx, beta, y, incy);                                           \
  }                                                                                                \
  cublasStatus_t cublas##L##gemm##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* a, I lda, const T* b, I ldb, const T* beta, T* c, I ldc) {          \
    return cuda_simulator::gemm<T>(BLAS(cublas##L##gemm##SUFFIX), transa, transb, m, n, k, alpha,  \
                                   a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                      \
  }                                                                                                \
  cublasStatus_t cublas##L##gemmStridedBatched##SUFFIX(                                            \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* a, I lda, long long stride_a, const T* b, I ldb,                    \
      long long stride_b, const T* beta, T* c, I ldc, long long stride_c, I batches) {             \
    return cuda_simulator::gemm<T>(BLAS(cublas##L##gemmStridedBatched##SUFFIX), transa, transb, m, \
                                   n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,  \
                                   stride_c, batches);                                             \
  }                                                                                                \
  cublasStatus_t cublas##L##geam##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n,         \
      const T* alpha, const T* a, I lda, const T* beta, const T* b, I ldb, T* c, I ldc) {          \
    return cuda_simulator::geam<T>(BLAS(cublas##L##geam##SUFFIX), transa, transb, m, n, alpha, a,  \
                                   lda, beta, b, ldb, c, ldc);                                     \
  }                                                                                                \
  cublasStatus_t cublas##L##syrk##SUFFIX(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, I n, I k, const T* alpha,        \
                                         const T* a, I lda, const T* beta, T* c, I ldc) {          \
    return cuda_simulator::syrk<T>(BLAS(cublas##L##syrk##SUFFIX), uplo, trans, n, k, alpha, a,     \
                                   lda, beta, c, ldc);                                             \
  }
CUDA_SIMULATOR_CUBLAS_TYPES(CALLS)

#undef CALLS

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return mixed_gemm(BLAS(cublasGemmStridedBatchedEx), transa, transb, m, n, k, alpha,
                    {a, a_type, lda, stride_a}, {b, b_type, ldb, stride_b}, beta,
                    {c, c_type, ldc, stride_c}, batches, compute);
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
  return mixed_gemm(BLAS(cublasGemmEx), transa, transb, m, n, k, alpha, {a, a_type, lda, 0},
                    {b, b_type, ldb, 0}, beta, {c, c_type, ldc, 0}, 1, compute);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int batches) {
  return mixed_gemm(BLAS(cublasHgemmStridedBatched), transa, transb, m, n, k, alpha,
                    {a, CUDA_R_16F, lda, stride_a}, {b, CUDA_R_16F, ldb, stride_b}, beta,
                    {c, CUDA_R_16F, ldc, stride_c}, batches, CUBLAS_COMPUTE_16F);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc) {
  return mixed_gemm(BLAS(cublasHgemm), transa, transb, m, n, k, alpha, {a, CUDA_R_16F, lda, 0},
                    {b, CUDA_R_16F, ldb, 0}, beta, {c, CUDA_R_16F, ldc, 0}, 1, CUBLAS_COMPUTE_16F);
}
#undef BLAS
