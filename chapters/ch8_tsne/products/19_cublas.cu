// Stage 19: cuBLAS
//
// The library's answer, to measure ours against. syrk computes one triangle of C = A A', here the
// products of all pairs of vectors, with floats in the ordinary arithmetic units. A second kernel
// makes distances of the products. The vectors are centred as in stage 18, so that both have errors
// of the same kind.
//
// C is a whole square all the same, count^2 floats of workspace, half of it unused; and the
// products are written to memory and read again, as a library call cannot end with other people's
// arithmetic.
//
// Cost: beside the product, two times as many bytes as the distances have. Link with -lcublas.
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
