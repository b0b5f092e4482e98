// Stage 05: divergence: the cost of both branches of an if
//
// Two kernels with the same if. In the first, the lanes of a warp part: each warp goes through both
// sides. In the second, a whole warp goes one way. 64 threads, 2 warps.

#include "check.h"

#include <cstdio>

__device__ void say(const char* side) {
  const unsigned here = __activemask();  // a bit for each lane that is here at this moment
  const int first_lane = __ffs(here) - 1;
  if (static_cast<int>(threadIdx.x % warpSize) == first_lane) {
    printf("  warp %d, %s side: %2d lanes work, %2d wait\n", threadIdx.x / warpSize, side,
           __popc(here), 32 - __popc(here));
  }
}

__global__ void by_lane_kernel(int* even, int* odd) {
  if (threadIdx.x % 2 == 0) {
    say("if  ");
    even[threadIdx.x] = 1;
  } else {
    say("else");
    odd[threadIdx.x] = 1;
  }
}

__global__ void by_warp_kernel(int* even, int* odd) {
  if (threadIdx.x / warpSize % 2 == 0) {
    say("if  ");
    even[threadIdx.x] = 1;
  } else {
    say("else");
    odd[threadIdx.x] = 1;
  }
}

int main() {
  const int threads = 64;
  int *d_even = nullptr, *d_odd = nullptr;
  check(cudaMalloc(&d_even, threads * sizeof(int)));
  check(cudaMalloc(&d_odd, threads * sizeof(int)));

  std::printf("even and odd threads part:\n");
  by_lane_kernel<<<1, threads>>>(d_even, d_odd);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  std::printf("even and odd warps part:\n");
  by_warp_kernel<<<1, threads>>>(d_even, d_odd);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaFree(d_even));
  check(cudaFree(d_odd));
}
