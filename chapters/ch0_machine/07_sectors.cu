// Stage 07: sectors
//
// The sectors of 32 bytes that one request touches. A warp reads 32 ints in three patterns. The
// host computes the sectors from the addresses; ./workbook inspect counts them in the kernels.

#include "check.h"

#include <cstdio>
#include <set>

constexpr int kLanes = 32;

__global__ void neighbours_kernel(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }

__global__ void one_late_kernel(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x + 1]; }

__global__ void far_apart_kernel(const int* x, int* y) { y[threadIdx.x] = x[32 * threadIdx.x]; }

// Lane `lane` reads element first + stride * lane. Byte 0 of the array is the start of a sector.
void count(const char* what, int first, int stride) {
  std::set<int> sectors;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int byte = (first + stride * lane) * static_cast<int>(sizeof(int));
    sectors.insert(byte / 32);
  }
  std::printf("%s: %2zu sectors, %4zu bytes transferred for %zu requested\n", what, sectors.size(),
              32 * sectors.size(), kLanes * sizeof(int));
}

int main() {
  int *d_x = nullptr, *d_y = nullptr;
  check(cudaMalloc(&d_x, 32 * kLanes * sizeof(int)));
  check(cudaMalloc(&d_y, kLanes * sizeof(int)));
  check(cudaMemset(d_x, 0, 32 * kLanes * sizeof(int)));

  count("x[lane]     ", 0, 1);
  neighbours_kernel<<<1, kLanes>>>(d_x, d_y);
  check(cudaGetLastError());
  count("x[lane + 1] ", 1, 1);
  one_late_kernel<<<1, kLanes>>>(d_x, d_y);
  check(cudaGetLastError());
  count("x[32 * lane]", 0, 32);
  far_apart_kernel<<<1, kLanes>>>(d_x, d_y);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaFree(d_x));
  check(cudaFree(d_y));
}
