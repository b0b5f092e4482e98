#pragma once

#include "common/cuda_check.h"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <string>

// Describes to the TMA a row-major rows x cols matrix in device memory, and the square tile that it
// moves, without a swizzle. 11_bulk_copy.cu passes this to its kernel. The matrix must start at a
// multiple of 16 bytes, and cols must be a multiple of 4. Elements of a tile outside the matrix are
// read as 0 and not written. Throws CudaError if the driver refuses.
//
// cuTensorMapEncodeTiled is a function of the driver. The runtime looks it up, so programs do not
// have to be linked with -lcuda.
inline CUtensorMap describe_matrix(const float* d_matrix, int rows, int cols, int tile) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                              cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw CudaError(cudaErrorNotSupported, "This driver has no cuTensorMapEncodeTiled");
  }
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);

  CUtensorMap map;
  const cuuint64_t extent[2] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch_bytes[1] = {cols * sizeof(float)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(tile), static_cast<cuuint32_t>(tile)};
  const cuuint32_t step[2] = {1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(d_matrix), extent,
             pitch_bytes, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    const std::string what = "cuTensorMapEncodeTiled: CUresult " + std::to_string(status);
    throw CudaError(cudaErrorInvalidValue, what.c_str());
  }
  return map;
}
