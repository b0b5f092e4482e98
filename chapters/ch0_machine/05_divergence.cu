// Stage 05: divergence
//
// A warp executes both branches of an if when its lanes diverge. Each of the two kernels has an if.
// In the first kernel the lanes of each warp diverge; in the second each warp takes one branch. The
// 64 threads are 2 warps.

#include "check.h"

#include <cstdio>

__device__ void say(const char* branch) {
  const unsigned here = __activemask();  // one bit for each lane that is active now
  const int first_lane = __ffs(here) - 1;
  if (static_cast<int>(threadIdx.x % warpSize) == first_lane) {
    printf("  warp %d, %s: %2d lanes active, %2d wait\n", threadIdx.x / warpSize, branch,
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

  std::printf("even and odd threads: the lanes of a warp diverge\n");
  by_lane_kernel<<<1, threads>>>(d_even, d_odd);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  std::printf("even and odd warps: no warp diverges\n");
  by_warp_kernel<<<1, threads>>>(d_even, d_odd);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaFree(d_even));
  check(cudaFree(d_odd));
}
