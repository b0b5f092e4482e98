// The implementation of <cublasLt.h>.

#include "libraries/mixed_product.h"

#include <cublasLt.h>

#include <cstring>

namespace cuda_simulator {
namespace {

// The bytes of each attribute; 0 if the simulator does not have it.
constexpr std::size_t kLayoutBytes[] = {4, 0, 8, 8, 8, 4, 8};
constexpr std::size_t kDescBytes[] = {4, 4, 0, 4, 4, 0, 0, 4, 8, 0, 0, 8, 8, 0,
                                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4};
constexpr std::size_t kPreferenceBytes[] = {4, 8};

template <typename Descriptor, std::size_t N>
cublasStatus_t set(const char* function, Descriptor* descriptor, const std::size_t (&known)[N],
                   std::size_t attribute, const void* value, std::size_t bytes) {
  if (attribute >= N || known[attribute] == 0) {
    const std::string text = std::string(function) +
                             " returns CUBLAS_STATUS_NOT_SUPPORTED: the simulator does not have "
                             "attribute " +
                             std::to_string(attribute) + ".";
    say_once(text, text);
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (!descriptor || !value || bytes != known[attribute]) return CUBLAS_STATUS_INVALID_VALUE;
  descriptor->data[attribute] = 0;
  std::memcpy(&descriptor->data[attribute], value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T, typename Descriptor, typename Attribute>
T get(const Descriptor* descriptor, Attribute attribute) {
  return static_cast<T>(descriptor->data[attribute]);
}

TypedMatrix matrix(const char* name, const void* data, cublasLtMatrixLayout_t layout) {
  return {name,
          data,
          get<cudaDataType>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE),
          get<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS),
          get<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS),
          get<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_LD),
          get<long long>(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)};
}

const void* address(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute) {
  return reinterpret_cast<const void*>(get<std::uintptr_t>(desc, attribute));
}

// Reads what the epilogue adds to the product.
void add_epilogue(BlasCall& blas, cublasLtMatmulDesc_t desc, MixedProduct& product) {
  const int epilogue = get<int>(desc, CUBLASLT_MATMUL_DESC_EPILOGUE);
  const int without_bias = epilogue & ~CUBLASLT_EPILOGUE_BIAS;
  const bool is_gradient = epilogue == CUBLASLT_EPILOGUE_DGELU;
  const bool has_aux = is_gradient || without_bias == CUBLASLT_EPILOGUE_GELU_AUX;
  const bool is_gelu = has_aux || without_bias == CUBLASLT_EPILOGUE_GELU;
  const bool is_relu = without_bias == CUBLASLT_EPILOGUE_RELU;
  blas.require(is_gelu || is_relu || epilogue == CUBLASLT_EPILOGUE_DEFAULT ||
                   epilogue == CUBLASLT_EPILOGUE_BIAS,
               "the simulator does not have epilogue " + std::to_string(epilogue) +
                   ", only RELU, GELU, GELU_AUX, each also with BIAS, BIAS and DGELU.",
               CUBLAS_STATUS_NOT_SUPPORTED);
  product.activation = is_gradient ? Activation::gelu_gradient
                       : is_gelu   ? Activation::gelu
                       : is_relu   ? Activation::relu
                                   : Activation::none;
  const std::int64_t rows = product.d.rows, cols = product.d.cols;
  const auto bias_type = get<cudaDataType>(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  const bool has_bias_type = get<std::int32_t>(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE) != -1;
  if (epilogue != without_bias)
    product.bias = {"bias",
                    address(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER),
                    has_bias_type ? bias_type : product.d.type,
                    rows,
                    1,
                    rows};
  if (has_aux)
    product.aux = {"the auxiliary matrix",
                   address(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER),
                   product.d.type,
                   rows,
                   cols,
                   get<std::int64_t>(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD)};
}

struct Layouts {
  cublasLtMatrixLayout_t a, b, c, d;
};

// The product of the descriptors, without the addresses of the matrices.
MixedProduct product_of(BlasCall& blas, cublasLtMatmulDesc_t desc, const Layouts& layouts,
                        cudaStream_t stream) {
  blas.require(desc && layouts.a && layouts.b && layouts.c && layouts.d,
               "a descriptor is a null pointer.");
  if (!blas.is_valid()) return {};
  const int batches = get<int>(layouts.d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  blas.use(stream, CUBLAS_POINTER_MODE_HOST);
  for (const auto layout : {layouts.a, layouts.b, layouts.c, layouts.d}) {
    blas.require(get<int>(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) == batches,
                 "the batch counts of the layouts are not equal.");
  }
  MixedProduct product{get<cublasOperation_t>(desc, CUBLASLT_MATMUL_DESC_TRANSA),
                       get<cublasOperation_t>(desc, CUBLASLT_MATMUL_DESC_TRANSB),
                       nullptr,
                       matrix("A", nullptr, layouts.a),
                       matrix("B", nullptr, layouts.b),
                       nullptr,
                       matrix("C", nullptr, layouts.c),
                       matrix("D", nullptr, layouts.d),
                       batches,
                       get<cublasComputeType_t>(desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
                       get<cudaDataType>(desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE)};
  add_epilogue(blas, desc, product);
  return product;
}

}  // namespace
}  // namespace cuda_simulator

using namespace cuda_simulator;

#define BLAS(function) \
  BlasCall(#function, __builtin_return_address(0), reinterpret_cast<cublasHandle_t>(handle))

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return cublasCreate(reinterpret_cast<cublasHandle_t*>(handle));
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublasDestroy(reinterpret_cast<cublasHandle_t>(handle));
}
std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new cublasLtMatrixLayoutOpaque_t{{static_cast<std::uint64_t>(type), /*order*/ 0, rows,
                                              cols, static_cast<std::uint64_t>(ld),
                                              /*batch count*/ 1, /*batch stride*/ 0, 0}};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  return set(__func__, layout, kLayoutBytes, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
  *desc = new cublasLtMatmulDescOpaque_t{};
  auto& values = (*desc)->data;
  values[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = compute;
  values[CUBLASLT_MATMUL_DESC_SCALE_TYPE] = scale;
  values[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_DEFAULT;
  values[CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE] = -1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  return set(__func__, desc, kDescBytes, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = new cublasLtMatmulPreferenceOpaque_t{};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  return set(__func__, preference, kPreferenceBytes, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a_layout,
    cublasLtMatrixLayout_t b_layout, cublasLtMatrixLayout_t c_layout,
    cublasLtMatrixLayout_t d_layout, cublasLtMatmulPreference_t, int requested,
    cublasLtMatmulHeuristicResult_t results[], int* returned) {
  if (!results || !returned || requested <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  BlasCall blas = BLAS(cublasLtMatmulAlgoGetHeuristic);
  const MixedProduct product =
      product_of(blas, desc, {a_layout, b_layout, c_layout, d_layout}, nullptr);
  require_valid(blas, product);
  *returned = blas.is_valid() ? 1 : 0;
  if (blas.is_valid()) results[0] = {{}, 0, CUBLAS_STATUS_SUCCESS, 1, {}};
  return blas.status();
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              std::size_t, cudaStream_t stream) {
  BlasCall blas = BLAS(cublasLtMatmul);
  MixedProduct product = product_of(blas, desc, {a_layout, b_layout, c_layout, d_layout}, stream);
  product.alpha = alpha;
  product.beta = beta;
  product.a.data = a;
  product.b.data = b;
  product.c.data = c;
  product.d.data = d;
  for (const auto* const extra : {&product.bias, &product.aux})
    blas.require(extra->rows == 0 || extra->data,
                 std::string(extra->name) + " of the epilogue is a null pointer.");
  return multiply(blas, product);
}
#undef BLAS
