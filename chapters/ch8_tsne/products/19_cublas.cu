// Stage 19: cuBLAS
//
// The library version, for comparison. syrk computes one triangle of C = A A', here the products of
// all pairs of vectors, in floats on the FP32 units. A second kernel computes distances from the
// products. The vectors are centred as in stage 18, so that both have errors of the same kind.
//
// C is a whole square, count^2 floats of workspace, half of it unused. The products are written to
// memory and read again, because a library call cannot continue with the caller's arithmetic.
//
// Cost: in addition to the product, twice as many bytes as the distances have. Link with -lcublas.
//
// Requires: cuBLAS, CUDA 12.0

#include "products/syrk_distances.h"

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  launch_syrk_distances(points, Origin::kMean, distances, workspace, stream);
}

std::size_t workspace_bytes(int count, int dimensions) {
  return syrk_workspace_bytes(count, dimensions);
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kMean);
}
