#pragma once

#include "libraries/blas_call.h"

#include <library_types.h>

#include <cstdint>

// A product of matrices whose element types are known only at run time: cublasGemmEx() and
// cublasLtMatmul().

namespace cuda_simulator {

// `pitch` (elements) lies between columns; `batch_stride` between the matrices of a batch.
struct TypedMatrix {
  const char* name;  // of the parameter
  const void* data;
  cudaDataType type;
  std::int64_t rows, cols, pitch;
  long long batch_stride = 0;
};

enum class Activation { none, relu, gelu, gelu_gradient };

// D = activation(alpha op(A) op(B) + beta C + bias), with as many rows and columns as D.
struct MixedProduct {
  cublasOperation_t op_a, op_b;
  const void* alpha;
  TypedMatrix a, b;
  const void* beta;
  TypedMatrix c, d;
  std::int64_t batches;
  cublasComputeType_t compute;
  cudaDataType scale;  // of alpha and beta
  Activation activation = Activation::none;
  // Without data, there is none. bias: a column that is added to all columns. aux: receives the
  // argument of the activation; the gradient reads it there.
  TypedMatrix bias{"bias", nullptr, CUDA_R_32F, 0, 0, 0};
  TypedMatrix aux{"the auxiliary matrix", nullptr, CUDA_R_32F, 0, 0, 0};
};

// The type of alpha and beta that belongs to a compute type.
cudaDataType scale_type(cublasComputeType_t compute);

// Requires types and sizes that the simulator can multiply, but does not use the addresses.
void require_valid(BlasCall& blas, const MixedProduct& product);

cublasStatus_t multiply(BlasCall blas, const MixedProduct& product);

}  // namespace cuda_simulator
