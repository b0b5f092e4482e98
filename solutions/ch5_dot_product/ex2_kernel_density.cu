// Solution of exercise 2: chunks of samples in shared memory
//
// The second barrier is needed because a sample must be stored before it is read. The first one
// protects the previous chunk: a fast thread would overwrite samples that other threads still read.
//
// The limit on dynamic shared memory belongs to the kernel. By default it is 48 KB on every GPU;
// the host can request more, up to 227 KB per block on an H200. For more than that,
// cudaFuncSetAttribute itself fails.

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
    __syncthreads();  // no thread still reads the previous chunk
    for (std::size_t k = threadIdx.x; k < count; k += kThreads) staged[k] = samples[first + k];
    __syncthreads();  // all threads read the samples of this chunk
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
  CUDA_CHECK(cudaFuncSetAttribute(kernel_density_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  kernel_density_kernel<<<blocks, kThreads, shared_bytes, stream>>>(
      d_samples, sample_count, d_points, d_density, point_count, bandwidth, chunk);
  CUDA_CHECK(cudaGetLastError());
}
