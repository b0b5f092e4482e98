#include "libraries/mixed_product.h"

#include "libraries/blas_operations.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <type_traits>

namespace cuda_simulator {
namespace {

// Calls the action with a value of the type, which is one of the four that can be multiplied.
template <typename Action>
void with_type(cudaDataType type, Action action) {
  if (type == CUDA_R_16F) action(__half{});
  if (type == CUDA_R_16BF) action(__nv_bfloat16{});
  if (type == CUDA_R_32F) action(float{});
  if (type == CUDA_R_64F) action(double{});
}

// The address of each element of a matrix of the batch.
template <typename T>
class Elements {
 public:
  Elements(const TypedMatrix& matrix, std::int64_t batch)
      : first_(static_cast<T*>(const_cast<void*>(matrix.data)) + batch * matrix.batch_stride),
        pitch_(matrix.pitch) {}
  T& at(std::int64_t row, std::int64_t col) const { return first_[row + col * pitch_]; }

 private:
  T* first_;
  std::int64_t pitch_;
};

// Column by column, without gaps.
template <typename T>
std::vector<T> loaded(const TypedMatrix& matrix, std::int64_t batch) {
  std::vector<T> dense(matrix.rows * matrix.cols);
  with_type(matrix.type, [&](auto zero) {
    const Elements<decltype(zero)> elements(matrix, batch);
    for (std::int64_t col = 0; col < matrix.cols; ++col)
      for (std::int64_t row = 0; row < matrix.rows; ++row)
        dense[row + col * matrix.rows] = static_cast<T>(elements.at(row, col));
  });
  return dense;
}

template <typename T>
void store(const std::vector<T>& dense, const TypedMatrix& matrix, std::int64_t batch) {
  with_type(matrix.type, [&](auto zero) {
    const Elements<decltype(zero)> elements(matrix, batch);
    for (std::int64_t col = 0; col < matrix.cols; ++col)
      for (std::int64_t row = 0; row < matrix.rows; ++row)
        elements.at(row, col) = dense[row + col * matrix.rows];
  });
}

// The approximation of GELU with tanh (Hendrycks and Gimpel 2016), as cuBLASLt computes it, and its
// derivative.
template <typename T>
T gelu(T x) {
  const T inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x);
  return x / 2 * (1 + std::tanh(inner));
}
template <typename T>
T gelu_gradient(T x) {
  const T factor = T(0.7978845608028654), cubic = T(0.044715);
  const T tanh = std::tanh(factor * (x + cubic * x * x * x));
  return (1 + tanh) / 2 + x / 2 * (1 - tanh * tanh) * factor * (1 + 3 * cubic * x * x);
}

template <typename T>
void activate(const MixedProduct& product, std::int64_t batch, std::vector<T>& result) {
  const std::int64_t rows = product.d.rows;
  if (product.bias.data) {
    const std::vector<T> bias = loaded<T>(product.bias, batch);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += bias[i % rows];
  }
  if (product.activation == Activation::gelu_gradient) {
    const std::vector<T> inputs = loaded<T>(product.aux, batch);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= gelu_gradient(inputs[i]);
    return;
  }
  if (product.aux.data) store(result, product.aux, batch);
  for (T& x : result) {
    if (product.activation == Activation::relu && x < 0) x = 0;
    if (product.activation == Activation::gelu) x = gelu(x);
  }
}

template <typename T>
void compute(const MixedProduct& product, std::int64_t batch, T alpha, T beta, const char*& by) {
  const std::int64_t m = product.d.rows, n = product.d.cols;
  const bool is_a_transposed = product.op_a != CUBLAS_OP_N,
             is_b_transposed = product.op_b != CUBLAS_OP_N;
  const std::int64_t k = is_a_transposed ? product.a.rows : product.a.cols;
  std::vector<T> result = beta == 0 ? std::vector<T>(m * n) : loaded<T>(product.c, batch);
  const std::vector<T> a = loaded<T>(product.a, batch), b = loaded<T>(product.b, batch);
  multiply(by, m, n, k, alpha, Operand<T>{a.data(), product.a.rows, is_a_transposed},
           Operand<T>{b.data(), product.b.rows, is_b_transposed}, beta, result.data(), m);
  activate(product, batch, result);
  store(result, product.d, batch);
}

void reads(BlasCall& blas, const TypedMatrix& matrix, std::int64_t batch) {
  with_type(matrix.type, [&](auto zero) {
    blas.reads_matrix(matrix.name, &Elements<decltype(zero)>(matrix, batch).at(0, 0), matrix.rows,
                      matrix.cols, matrix.pitch);
  });
}
void writes(BlasCall& blas, const TypedMatrix& matrix, std::int64_t batch) {
  with_type(matrix.type, [&](auto zero) {
    blas.updates_matrix(matrix.name, &Elements<decltype(zero)>(matrix, batch).at(0, 0), matrix.rows,
                        matrix.cols, matrix.pitch, Scalar<decltype(zero)>{});
  });
}

// Scale: the type of alpha and beta.
template <typename Scale>
cublasStatus_t multiply_scaled(BlasCall blas, const MixedProduct& product) {
  const Scalar<Scale> alpha = blas.scalar("alpha", static_cast<const Scale*>(product.alpha));
  const Scalar<Scale> beta = blas.scalar("beta", static_cast<const Scale*>(product.beta));
  const bool is_empty = product.d.rows == 0 || product.d.cols == 0;
  const std::int64_t batches = blas.is_valid() && !is_empty ? product.batches : 0;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (const TypedMatrix& matrix : {product.a, product.b})
      if (matrix.rows > 0) reads(blas, matrix, batch);
    if (beta.on_device || beta.value != Scale{0}) reads(blas, product.c, batch);
    if (product.bias.data) reads(blas, product.bias, batch);
    if (product.activation == Activation::gelu_gradient)
      reads(blas, product.aux, batch);
    else if (product.aux.data)
      writes(blas, product.aux, batch);
    writes(blas, product.d, batch);
  }
  return blas.run([=](const char*& by) {
    using T = std::conditional_t<std::is_same_v<Scale, double>, double, float>;
    for (std::int64_t batch = 0; batch < batches; ++batch)
      compute<T>(product, batch, alpha.get(), beta.get(), by);
  });
}

void require_size(BlasCall& blas, const TypedMatrix& matrix, std::int64_t rows, std::int64_t cols) {
  blas.require(matrix.rows == rows && matrix.cols == cols,
               std::string(matrix.name) + " has " + std::to_string(matrix.rows) + " x " +
                   std::to_string(matrix.cols) + " elements; the product needs " +
                   std::to_string(rows) + " x " + std::to_string(cols) + ".");
  const std::int64_t least = std::max<std::int64_t>(rows, 1);
  blas.require(matrix.pitch >= least, "the leading dimension of " + std::string(matrix.name) +
                                          " is " + std::to_string(matrix.pitch) +
                                          "; it must be at least " + std::to_string(least) + ".");
}

void require_type(BlasCall& blas, const TypedMatrix& matrix, bool is_supported) {
  blas.require(is_supported,
               std::string(matrix.name) + " has elements of type " + std::to_string(matrix.type) +
                   ", which is not supported with these types of the other arguments. "
                   "<library_types.h> has the names of the types.",
               CUBLAS_STATUS_NOT_SUPPORTED);
}

// The combinations of NVIDIA's library, except those of integers, complex numbers and FP8.
void require_types(BlasCall& blas, const MixedProduct& product) {
  const cublasComputeType_t compute = product.compute;
  const cudaDataType scale = scale_type(compute), a = product.a.type, d = product.d.type;
  blas.require(compute != CUBLAS_COMPUTE_32I && compute != CUBLAS_COMPUTE_32I_PEDANTIC,
               "the simulator has no products of integers (CUBLAS_COMPUTE_32I).",
               CUBLAS_STATUS_NOT_SUPPORTED);
  blas.require(product.scale == scale,
               "alpha and beta have type " + std::to_string(product.scale) + "; compute type " +
                   std::to_string(compute) + " needs type " + std::to_string(scale) + ".",
               CUBLAS_STATUS_NOT_SUPPORTED);
  const bool is_small = a == CUDA_R_16F || a == CUDA_R_16BF;
  require_type(blas, product.a, a == scale || (scale == CUDA_R_32F && is_small));
  require_type(blas, product.b, product.b.type == a);
  require_type(blas, product.d, d == a || d == scale);
  require_type(blas, product.c, product.c.type == d);
  for (const TypedMatrix* const extra : {&product.bias, &product.aux})
    require_type(blas, *extra, !extra->data || extra->type == d || extra->type == scale);
}

}  // namespace

cudaDataType scale_type(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return CUDA_R_16F;
  if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC) return CUDA_R_64F;
  return CUDA_R_32F;
}

void require_valid(BlasCall& blas, const MixedProduct& product) {
  require_types(blas, product);
  blas.require_operation("transa", product.op_a);
  blas.require_operation("transb", product.op_b);
  blas.require_size("batchCount", product.batches);
  const std::int64_t m = product.d.rows, n = product.d.cols;
  blas.require_size("m", m);
  blas.require_size("n", n);
  const std::int64_t k = product.op_a == CUBLAS_OP_N ? product.a.cols : product.a.rows;
  blas.require_size("k", k);
  const Shape of_a = stored(product.op_a, m, k), of_b = stored(product.op_b, k, n);
  require_size(blas, product.a, of_a.rows, of_a.cols);
  require_size(blas, product.b, of_b.rows, of_b.cols);
  require_size(blas, product.c, m, n);
  require_size(blas, product.d, m, n);
  if (product.aux.data) require_size(blas, product.aux, m, n);
}

cublasStatus_t multiply(BlasCall blas, const MixedProduct& product) {
  require_valid(blas, product);
  if (product.scale == CUDA_R_16F) return multiply_scaled<__half>(blas, product);
  if (product.scale == CUDA_R_64F) return multiply_scaled<double>(blas, product);
  return multiply_scaled<float>(blas, product);
}

}  // namespace cuda_simulator
