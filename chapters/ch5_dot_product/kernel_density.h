#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The density at `point_count` points, estimated from samples: each sample contributes a normal
// distribution around it, with the standard deviation `bandwidth`.
//
//   density[j] = sum over the samples s of exp(-z * z / 2) / (sample_count * bandwidth * sqrt(2
//   pi))
//                with z = (points[j] - s) / bandwidth
//
// All arrays are in device memory; sample_count and chunk are at least 1. A block stages `chunk`
// samples at a time in shared memory, 8 bytes each. Returns once the work is queued on `stream`;
// throws CudaError if it cannot be launched, for example if a chunk exceeds the shared memory of a
// block.
void kernel_density(const double* d_samples, std::size_t sample_count, const double* d_points,
                    double* d_density, std::size_t point_count, double bandwidth, std::size_t chunk,
                    cudaStream_t stream = nullptr);
