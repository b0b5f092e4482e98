// Prints how many blocks fit on an SM, as the CUDA runtime computes it, for kernels with different
// numbers of registers.
// The test of the book's figures (tests/cli/book/test_figures.py) reads the CSV file.
//
//   nvcc -std=c++17 -arch=sm_90 -O3 -I. -o build/occupancy tests/instruments/occupancy/occupancy.cu
//   build/occupancy > plots/results/nvidia-h200/occupancy.csv

#include "common/cuda_check.h"

#include <cstddef>
#include <cstdio>
#include <exception>

namespace {

constexpr int kThreads[] = {32, 33, 64, 96, 160, 256, 384, 512, 768, 1024};
constexpr std::size_t kSharedBytes[] = {0,    1,     2048,  6144,  7168,   8192,
                                        8193, 17408, 37888, 75776, 115712, 232448};

// Keeps kValues values in registers at the same time, because each iteration needs all of them.
template <int kValues>
__global__ void kernel(float* data, int iterations) {
  float values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = data[i * 1024 + threadIdx.x];
#pragma unroll 1
  for (int n = 0; n < iterations; ++n) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] += values[(i + kValues / 2) % kValues] * values[0];
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) data[i * 1024 + threadIdx.x] = values[i];
}

template <int kValues>
void print_rows(const cudaDeviceProp& device, int runtime) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel<kValues>));
  const int largest = static_cast<int>(device.sharedMemPerBlockOptin);
  CUDA_CHECK(
      cudaFuncSetAttribute(kernel<kValues>, cudaFuncAttributeMaxDynamicSharedMemorySize, largest));
  for (const int threads : kThreads) {
    for (const std::size_t bytes : kSharedBytes) {
      int blocks = 0;
      CUDA_CHECK(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<kValues>, threads, bytes));
      std::printf("%d,%d,%zu,%d,%s,%d.%d,%d.%d\n", threads, attributes.numRegs, bytes, blocks,
                  device.name, device.major, device.minor, runtime / 1000, runtime % 1000 / 10);
    }
  }
}

template <int... kValues>
void print_all() {
  cudaDeviceProp device{};
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  int runtime = 0;
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("threads,registers,shared_bytes,blocks,device,compute_capability,cuda\n");
  (print_rows<kValues>(device, runtime), ...);
}

}  // namespace

int main() {
  try {
    // nvcc 13.0 adds 6 registers to each: 10, 24, 32, 33, ...
    print_all<4, 18, 26, 27, 34, 35, 50, 58, 59, 74, 90, 106, 122, 123, 154, 186, 218, 242>();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
