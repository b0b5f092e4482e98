// Exercise 2: chunks of samples in shared memory (20 minutes)
//
// Estimate a density from samples. Each thread computes the density at one point, and needs all
// samples for it. A block loads the samples into shared memory once for its 256 threads, one chunk
// at a time. The caller chooses the length of a chunk, so the shared memory is dynamic.
//
// Goal: correct for chunks of any length up to the maximum of a block; each block reads each sample
// once.
// Check:   ./workbook check ch5_ex2
// Run:     ./workbook run ch5_ex2 -- --chunk 6145
//
// Predict first: how many doubles fit into 48 KB, and into 227 KB? What happens with one more?

#include "kernel_density.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr std::size_t kThreads = 256;
constexpr double kSqrt2Pi = 2.5066282746310002;

__global__ void kernel_density_kernel(const double* __restrict__ samples, std::size_t sample_count,
                                      const double* __restrict__ points, double* density,
                                      std::size_t point_count, double bandwidth,
                                      std::size_t chunk) {
  extern __shared__ double staged[];  // a chunk of the samples; the launch gives the size

  const std::size_t j = blockIdx.x * kThreads + threadIdx.x;
  const double point = j < point_count ? points[j] : 0.0;  // no early return: all threads stage

  double sum = 0.0;
  for (std::size_t first = 0; first < sample_count; first += chunk) {
    const std::size_t count = min(chunk, sample_count - first);
    // TODO: all threads of the block copy the samples first to first + count - 1 into `staged`.
    // Each thread copies every kThreads-th sample. No thread must overwrite a sample that another
    // thread still needs, or read a sample that is not stored yet. (3 lines)
    for (std::size_t k = 0; k < count; ++k) {
      const double z = (point - staged[k]) / bandwidth;
      sum += exp(-0.5 * z * z);
    }
  }
  if (j < point_count) {
    density[j] = sum / (static_cast<double>(sample_count) * bandwidth * kSqrt2Pi);
  }
}

void kernel_density(const double* d_samples, std::size_t sample_count, const double* d_points,
                    double* d_density, std::size_t point_count, double bandwidth, std::size_t chunk,
                    cudaStream_t stream) {
  if (point_count == 0) return;  // a grid of 0 blocks is an error
  const unsigned blocks = ceil_div(point_count, kThreads);
  const std::size_t shared_bytes = chunk * sizeof(double);
  // TODO: a launch can have up to 48 KB of shared memory. For more, call cudaFuncSetAttribute
  // before the launch: set the kernel's limit, cudaFuncAttributeMaxDynamicSharedMemorySize, to
  // shared_bytes. (1 call)
  kernel_density_kernel<<<blocks, kThreads, shared_bytes, stream>>>(
      d_samples, sample_count, d_points, d_density, point_count, bandwidth, chunk);
  CUDA_CHECK(cudaGetLastError());
}
