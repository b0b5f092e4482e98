#pragma once

// CCCL's file of this name lists error codes that the simulator does not have.
#include <thrust/detail/config.h>
#include <thrust/system/error_code.h>

#include "simulator/runtime_api.h"

#include <string>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

class error_category : public thrust::error_category {
 public:
  const char* name() const override { return "cuda"; }
  std::string message(int code) const override {
    const auto error = static_cast<cudaError_t>(code);
    return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
  }
};

}  // namespace cuda_cub

inline const error_category& cuda_category() {
  static const cuda_cub::error_category category;
  return category;
}

namespace system {
using thrust::cuda_category;
}
THRUST_NAMESPACE_END
