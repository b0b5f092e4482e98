#pragma once

#include <thrust/system/cuda/config.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <class Derived>
struct execution_policy;

inline cudaStream_t default_stream() { return nullptr; }

// The stream of a policy, and whether its calls wait for their result. par.on(stream) and
// par_nosync have better matches.
template <class Derived>
cudaStream_t get_stream(execution_policy<Derived>&) {
  return default_stream();
}

template <class Derived>
bool must_perform_optional_stream_synchronization(execution_policy<Derived>&) {
  return true;
}

inline void throw_on_error(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw thrust::system_error(error, thrust::cuda_category(), what);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
