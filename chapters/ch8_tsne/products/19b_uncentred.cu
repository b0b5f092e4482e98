// Stage 19b: cuBLAS, uncentred
//
// Stage 19 without centring, as in many libraries. It has product-formula accuracy: the error is
// relative to |x|^2 + |y|^2, whatever the vectors have in common. For vectors that are far from the
// origin and close to each other it can be as large as the distance.
//
// Cost: that of stage 19, without the sums for the mean.
//
// Requires: cuBLAS, CUDA 12.0

#include "products/syrk_distances.h"

void squared_distances(const Points& points, float* distances, void* workspace,
                       cudaStream_t stream) {
  launch_syrk_distances(points, Origin::kZero, distances, workspace, stream);
}

std::size_t workspace_bytes(int count, int dimensions) {
  return syrk_workspace_bytes(count, dimensions);
}

ErrorBound error_bound(int dimensions) {
  return product_error_bound(float_sum_error_bound(dimensions), Origin::kZero);
}
