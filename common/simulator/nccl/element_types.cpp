#include "nccl/element_types.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace cuda_simulator::nccl {
namespace {

struct TypeText {
  std::size_t bytes;
  const char* name;
};
constexpr TypeText kTypes[ncclNumTypes] = {
    {1, "int8"},   {1, "uint8"}, {4, "int32"}, {4, "uint32"}, {8, "int64"},
    {8, "uint64"}, {2, "half"},  {4, "float"}, {8, "double"}, {2, "bfloat16"},
};
constexpr const char* kOperations[ncclNumOps] = {"ncclSum", "ncclProd", "ncclMax", "ncclMin",
                                                 "ncclAvg"};

// Sums and products of integers wrap around; for signed integers this is undefined in C++.
template <typename T>
struct ArithmeticOf {
  using Type = T;
};
template <>
struct ArithmeticOf<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct ArithmeticOf<std::int64_t> {
  using Type = std::uint64_t;
};

template <typename T>
T combined(T a, T b, ncclRedOp_t operation) {
  using Arithmetic = typename ArithmeticOf<T>::Type;
  switch (operation) {
    case ncclProd:
      return static_cast<T>(Arithmetic(a) * Arithmetic(b));
    case ncclMax:
      return a < b ? b : a;
    case ncclMin:
      return b < a ? b : a;
    default:
      return static_cast<T>(Arithmetic(a) + Arithmetic(b));
  }
}

template <typename T>
void reduce_elements(T* out, const std::vector<const void*>& in, std::size_t count,
                     ncclRedOp_t operation) {
  const auto n = static_cast<int>(in.size());
  const bool is_mean = operation == ncclAvg;
  const auto element = [&](std::size_t rank, std::size_t i) {
    const T value = static_cast<const T*>(in[rank])[i];
    if constexpr (!std::is_integral_v<T>) {
      if (is_mean) return static_cast<T>(value * T(1.0 / n));
    }
    return value;
  };
  for (std::size_t i = 0; i < count; ++i) {
    T result = element(0, i);
    for (std::size_t rank = 1; rank < in.size(); ++rank)
      result = combined(result, element(rank, i), operation);
    if constexpr (std::is_integral_v<T>) {
      if (is_mean) result = static_cast<T>(result / static_cast<T>(n));
    }
    out[i] = result;
  }
}

}  // namespace

bool is_type(ncclDataType_t type) { return type >= 0 && type < ncclNumTypes; }
bool is_operation(ncclRedOp_t operation) { return operation >= 0 && operation < ncclNumOps; }
std::size_t bytes_of(ncclDataType_t type) { return kTypes[type].bytes; }
const char* name_of(ncclDataType_t type) { return kTypes[type].name; }
const char* name_of(ncclRedOp_t operation) { return kOperations[operation]; }

void reduce(void* out, const std::vector<const void*>& in, std::size_t count, ncclDataType_t type,
            ncclRedOp_t operation) {
  switch (type) {
    case ncclInt8:
      return reduce_elements(static_cast<std::int8_t*>(out), in, count, operation);
    case ncclUint8:
      return reduce_elements(static_cast<std::uint8_t*>(out), in, count, operation);
    case ncclInt32:
      return reduce_elements(static_cast<std::int32_t*>(out), in, count, operation);
    case ncclUint32:
      return reduce_elements(static_cast<std::uint32_t*>(out), in, count, operation);
    case ncclInt64:
      return reduce_elements(static_cast<std::int64_t*>(out), in, count, operation);
    case ncclUint64:
      return reduce_elements(static_cast<std::uint64_t*>(out), in, count, operation);
    case ncclFloat16:
      return reduce_elements(static_cast<__half*>(out), in, count, operation);
    case ncclFloat32:
      return reduce_elements(static_cast<float*>(out), in, count, operation);
    case ncclFloat64:
      return reduce_elements(static_cast<double*>(out), in, count, operation);
    case ncclBfloat16:
      return reduce_elements(static_cast<__nv_bfloat16*>(out), in, count, operation);
    case ncclNumTypes:
      return;
  }
}

}  // namespace cuda_simulator::nccl
