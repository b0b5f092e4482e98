#pragma once

#include "common/cuda_check.h"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <string>

// Describes a row-major rows x cols matrix in device memory to the TMA, and the square tile that it
// is to move, without a swizzle: what 11_bulk_copy.cu passes to its kernel. The matrix must start
// on 16 bytes, and cols be a multiple of 4; elements of a tile that lie outside the matrix read as
// 0 and are not written. Throws CudaError if the driver refuses.
//
// cuTensorMapEncodeTiled is in the driver, which the runtime looks up for us, so that nothing needs
// linking with -lcuda.
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
