#pragma once

// The cuBLAS calls that the simulator has: docs/simulator.md lists them. The CPU computes them when
// their stream reaches them. Matrices are stored column by column.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>

#include <cstdint>

#define CUBLAS_API_H_  // the helpers of NVIDIA's samples look for it

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130000

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasFillMode_t {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
// All modes compute in the same way here.
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
// All types of floats compute in the same way here, also those of tensor cores; so do all halves.
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
};
typedef cudaDataType cublasDataType_t;

typedef struct cublasContext* cublasHandle_t;

const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes);

// Copies between the host and a device. Strides and leading dimensions are in elements.
cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb);

// Each call for floats and doubles, and with sizes of 32 and 64 bits. `L` is the letter of the
// type, `I` the type of a size.
#define CUDA_SIMULATOR_CUBLAS_TYPES(CALLS) \
  CALLS(S, s, float, int, )                \
  CALLS(S, s, float, std::int64_t, _64)    \
  CALLS(D, d, double, int, )               \
  CALLS(D, d, double, std::int64_t, _64)
#define CUDA_SIMULATOR_CUBLAS_CALLS(L, LOWER, T, I, SUFFIX)                                        \
  cublasStatus_t cublas##L##axpy##SUFFIX(cublasHandle_t handle, I n, const T* alpha, const T* x,   \
                                         I incx, T* y, I incy);                                    \
  cublasStatus_t cublas##L##scal##SUFFIX(cublasHandle_t handle, I n, const T* alpha, T* x,         \
                                         I incx);                                                  \
  cublasStatus_t cublas##L##copy##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx, T* y,     \
                                         I incy);                                                  \
  cublasStatus_t cublas##L##dot##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,            \
                                        const T* y, I incy, T* result);                            \
  cublasStatus_t cublas##L##nrm2##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result);                                               \
  cublasStatus_t cublas##L##asum##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result);                                               \
  cublasStatus_t cublasI##LOWER##amax##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,      \
                                              I* result);                                          \
  cublasStatus_t cublasI##LOWER##amin##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,      \
                                              I* result);                                          \
  cublasStatus_t cublas##L##gemv##SUFFIX(cublasHandle_t handle, cublasOperation_t trans, I m, I n, \
                                         const T* alpha, const T* A, I lda, const T* x, I incx,    \
                                         const T* beta, T* y, I incy);                             \
  cublasStatus_t cublas##L##gemm##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* A, I lda, const T* B, I ldb, const T* beta, T* C, I ldc);           \
  cublasStatus_t cublas##L##gemmStridedBatched##SUFFIX(                                            \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* A, I lda, long long strideA, const T* B, I ldb, long long strideB,  \
      const T* beta, T* C, I ldc, long long strideC, I batchCount);                                \
  cublasStatus_t cublas##L##geam##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n,         \
      const T* alpha, const T* A, I lda, const T* beta, const T* B, I ldb, T* C, I ldc);           \
  cublasStatus_t cublas##L##syrk##SUFFIX(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, I n, I k, const T* alpha,        \
                                         const T* A, I lda, const T* beta, T* C, I ldc);
CUDA_SIMULATOR_CUBLAS_TYPES(CUDA_SIMULATOR_CUBLAS_CALLS)
#undef CUDA_SIMULATOR_CUBLAS_CALLS

// Products in which the types of the elements are arguments. Sums are accumulated as floats, or as
// doubles for CUBLAS_COMPUTE_64F. alpha and beta: halves for CUBLAS_COMPUTE_16F, otherwise floats
// or doubles. A combination of types that is not supported: CUBLAS_STATUS_NOT_SUPPORTED.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* A, cudaDataType Atype, int lda, const void* B,
                            cudaDataType Btype, int ldb, const void* beta, void* C,
                            cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo);
// The compute type as a data type, as before CUDA 11.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* A, cudaDataType Atype, int lda, const void* B,
                                   cudaDataType Btype, int ldb, const void* beta, void* C,
                                   cudaDataType Ctype, int ldc, cudaDataType computeType,
                                   cublasGemmAlgo_t algo) {
  const cublasComputeType_t compute = computeType == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                      : computeType == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                                                  : CUBLAS_COMPUTE_32F;
  if (computeType != CUDA_R_32F && compute == CUBLAS_COMPUTE_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C,
                      Ctype, ldc, compute, algo);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, long long strideA, const void* B,
                                          cudaDataType Btype, int ldb, long long strideB,
                                          const void* beta, void* C, cudaDataType Ctype, int ldc,
                                          long long strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* A, int lda, const __half* B, int ldb, const __half* beta,
                           __half* C, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* A, int lda,
                                         long long strideA, const __half* B, int ldb,
                                         long long strideB, const __half* beta, __half* C, int ldc,
                                         long long strideC, int batchCount);
