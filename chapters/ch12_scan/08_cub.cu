// Stage 08: CUB
//
// The library version, for comparison. Called without memory, InclusiveSum returns the size of the
// workspace that it needs. CUB comes with the CUDA Toolkit, as headers.
//
// Requires: CUB

#include "scan.h"

#include "common/cuda_check.h"

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <string>

void scan(const int* d_in, int* d_out, std::size_t size, void* d_workspace, cudaStream_t stream) {
  const int count = static_cast<int>(size);  // CUB before CUDA 12.5 takes an int
  std::size_t needed_bytes = 0;
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, needed_bytes, d_in, d_out, count, stream));
  if (needed_bytes > workspace_bytes(size)) {
    const std::string needed = "08_cub.cu: CUB needs " + std::to_string(needed_bytes) +
                               " bytes of workspace here: raise workspace_bytes() in scan.h.";
    throw CudaError(cudaErrorMemoryAllocation, needed.c_str());
  }
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(d_workspace, needed_bytes, d_in, d_out, count, stream));
}
