// The implementation of <cublasLt.h>.

#include "libraries/mixed_product.h"

#include <cublasLt.h>

#include <cstring>

namespace cuda_simulator {
namespace {

// The bytes of each attribute; 0 if the simulator does not have it.
constexpr std::size_t kLayoutBytes[] = {4, 4, 8, 8, 8, 4, 8, 0};
constexpr std::size_t kDescBytes[] = {4, 4, 4, 4, 4, 4, 4, 4, 8, 0, 8, 8, 8, 8,
                                      0, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 4};
constexpr std::size_t kPreferenceBytes[] = {4, 8, 0, 4, 0, 4, 4, 4, 4, 4};

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

template <typename Descriptor, typename Initialise>
cublasStatus_t create(Descriptor** descriptor, Initialise initialise) {
  if (!descriptor) return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new Descriptor;
  return initialise(*descriptor);
}

template <typename Descriptor>
cublasStatus_t destroy(Descriptor* descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}

TypedMatrix matrix(const char* name, const void* data, const cublasLtMatrixLayoutOpaque_t& layout) {
  const auto& values = layout.data;
  return {name,
          data,
          static_cast<cudaDataType>(values[CUBLASLT_MATRIX_LAYOUT_TYPE]),
          static_cast<std::int64_t>(values[CUBLASLT_MATRIX_LAYOUT_ROWS]),
          static_cast<std::int64_t>(values[CUBLASLT_MATRIX_LAYOUT_COLS]),
          static_cast<std::int64_t>(values[CUBLASLT_MATRIX_LAYOUT_LD]),
          static_cast<long long>(values[CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET]),
          values[CUBLASLT_MATRIX_LAYOUT_ORDER] == CUBLASLT_ORDER_ROW};
}

// The type of an additional array of the epilogue: that of D, unless it is set.
cudaDataType extra_type(std::uint64_t type, const MixedProduct& product) {
  return static_cast<std::int32_t>(type) == -1 ? product.d.type : static_cast<cudaDataType>(type);
}

// Reads what the epilogue adds to the product.
void add_epilogue(BlasCall& blas, const cublasLtMatmulDescOpaque_t& desc, MixedProduct& product) {
  const auto& values = desc.data;
  const auto epilogue = values[CUBLASLT_MATMUL_DESC_EPILOGUE];
  const auto without_bias = epilogue & ~std::uint64_t{CUBLASLT_EPILOGUE_BIAS};
  const bool has_bias = epilogue != without_bias;
  const bool has_aux =
      without_bias == CUBLASLT_EPILOGUE_GELU_AUX || epilogue == CUBLASLT_EPILOGUE_DGELU;
  blas.require(has_aux || epilogue == CUBLASLT_EPILOGUE_DEFAULT ||
                   epilogue == CUBLASLT_EPILOGUE_BIAS || without_bias == CUBLASLT_EPILOGUE_RELU ||
                   without_bias == CUBLASLT_EPILOGUE_GELU,
               "the simulator does not have epilogue " + std::to_string(epilogue) +
                   ", only RELU, GELU, GELU_AUX, each also with BIAS, BIAS and DGELU.",
               CUBLAS_STATUS_NOT_SUPPORTED);
  if (without_bias == CUBLASLT_EPILOGUE_RELU) product.activation = Activation::relu;
  if ((without_bias & CUBLASLT_EPILOGUE_GELU) != 0) product.activation = Activation::gelu;
  if (epilogue == CUBLASLT_EPILOGUE_DGELU) product.activation = Activation::gelu_gradient;
  const auto pointer = [&](const char* name, cublasLtMatmulDescAttributes_t attribute) {
    const void* const address = reinterpret_cast<const void*>(values[attribute]);
    blas.require(address != nullptr, std::string(name) + " of the epilogue is a null pointer.");
    return address;
  };
  const std::int64_t rows = product.d.rows, cols = product.d.cols;
  if (has_bias)
    product.bias = {"bias",
                    pointer("the bias", CUBLASLT_MATMUL_DESC_BIAS_POINTER),
                    extra_type(values[CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE], product),
                    rows,
                    1,
                    rows,
                    static_cast<long long>(values[CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE])};
  if (has_aux)
    product.aux = {"the auxiliary matrix",
                   pointer("the auxiliary matrix", CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER),
                   extra_type(values[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE], product),
                   rows,
                   cols,
                   static_cast<std::int64_t>(values[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD]),
                   static_cast<long long>(values[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE])};
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
  const auto& values = desc->data;
  const auto mode = static_cast<cublasPointerMode_t>(values[CUBLASLT_MATMUL_DESC_POINTER_MODE]);
  blas.use(stream, mode);
  MixedProduct product{
      static_cast<cublasOperation_t>(values[CUBLASLT_MATMUL_DESC_TRANSA]),
      static_cast<cublasOperation_t>(values[CUBLASLT_MATMUL_DESC_TRANSB]),
      nullptr,
      matrix("A", nullptr, *layouts.a),
      matrix("B", nullptr, *layouts.b),
      nullptr,
      matrix("C", nullptr, *layouts.c),
      matrix("D", nullptr, *layouts.d),
      static_cast<std::int32_t>(layouts.d->data[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT]),
      static_cast<cublasComputeType_t>(values[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE]),
      static_cast<cudaDataType>(values[CUBLASLT_MATMUL_DESC_SCALE_TYPE])};
  for (const auto layout : {layouts.a, layouts.b, layouts.c, layouts.d}) {
    const auto order = layout->data[CUBLASLT_MATRIX_LAYOUT_ORDER];
    blas.require(order <= CUBLASLT_ORDER_ROW,
                 "the simulator does not have order " + std::to_string(order) +
                     ", only CUBLASLT_ORDER_COL and CUBLASLT_ORDER_ROW.",
                 CUBLAS_STATUS_NOT_SUPPORTED);
    blas.require(layout->data[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT] ==
                     layouts.d->data[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT],
                 "the batch counts of the layouts are not equal.");
  }
  blas.require(mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE,
               "the simulator does not have alpha and beta as vectors (pointer mode " +
                   std::to_string(mode) + ").",
               CUBLAS_STATUS_NOT_SUPPORTED);
  blas.require(values[CUBLASLT_MATMUL_DESC_TRANSC] == CUBLAS_OP_N &&
                   values[CUBLASLT_MATMUL_DESC_FILL_MODE] == CUBLAS_FILL_MODE_FULL,
               "C cannot be transposed, and D must be full.", CUBLAS_STATUS_NOT_SUPPORTED);
  add_epilogue(blas, *desc, product);
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

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = {{static_cast<std::uint64_t>(type), CUBLASLT_ORDER_COL, rows, cols,
              static_cast<std::uint64_t>(ld), /*batch count*/ 1, /*batch stride*/ 0, 0}};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  return create(layout, [&](cublasLtMatrixLayout_t created) {
    return cublasLtMatrixLayoutInit(created, type, rows, cols, ld);
  });
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  return set(__func__, layout, kLayoutBytes, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                      cudaDataType scale) {
  if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
  *desc = {};
  desc->data[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = compute;
  desc->data[CUBLASLT_MATMUL_DESC_SCALE_TYPE] = scale;
  desc->data[CUBLASLT_MATMUL_DESC_FILL_MODE] = CUBLAS_FILL_MODE_FULL;
  desc->data[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_DEFAULT;
  desc->data[CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE] = -1;
  desc->data[CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE] = -1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  return create(desc, [&](cublasLtMatmulDesc_t created) {
    return cublasLtMatmulDescInit(created, compute, scale);
  });
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  return set(__func__, desc, kDescBytes, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, cublasLtMatmulPreferenceInit);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
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
  return multiply(blas, product);
}
#undef BLAS
