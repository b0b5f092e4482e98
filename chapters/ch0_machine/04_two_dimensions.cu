// Stage 04: two-dimensional blocks and their warps
//
// A matrix of 8 x 32 elements, 64 threads per block, three shapes of a block. Each thread stores
// the letter of its warp in its element, and the host prints the matrix.

#include "check.h"

#include <cstdio>
#include <vector>

constexpr int kRows = 8, kCols = 32;

__global__ void two_dimensions_kernel(char* warp_of) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;  // x counts fastest
  if (row < kRows && col < kCols) {
    warp_of[row * kCols + col] = static_cast<char>('a' + thread / warpSize);
  }
}

void show(char* d_warp_of, dim3 block) {
  const dim3 grid((kCols + block.x - 1) / block.x, (kRows + block.y - 1) / block.y);
  two_dimensions_kernel<<<grid, block>>>(d_warp_of);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  std::vector<char> h_warp_of(kRows * kCols);
  check(cudaMemcpy(h_warp_of.data(), d_warp_of, h_warp_of.size(), cudaMemcpyDeviceToHost));
  std::printf("block of %u x %u threads (x, y), grid of %u x %u blocks\n", block.x, block.y, grid.x,
              grid.y);
  for (unsigned row = 0; row < kRows; ++row) {
    if (row > 0 && row % block.y == 0) std::printf("\n");  // between two blocks
    for (unsigned col = 0; col < kCols; ++col) {
      std::printf("%s%c", col % block.x == 0 ? "  " : "", h_warp_of[row * kCols + col]);
    }
    std::printf("\n");
  }
  std::printf("\n");
}

int main() {
  char* d_warp_of = nullptr;
  check(cudaMalloc(&d_warp_of, kRows * kCols));
  show(d_warp_of, dim3(32, 2));
  show(d_warp_of, dim3(16, 4));
  show(d_warp_of, dim3(8, 8));
  check(cudaFree(d_warp_of));
}
