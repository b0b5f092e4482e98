// Stage 10: device query
//
// Prints properties and limits of a GPU.

#include "check.h"

#include <cstdio>
#include <cstring>

int main() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes));
  std::printf("device                        %s\n", device.name);
  std::printf("compute capability            %d.%d\n", device.major, device.minor);
  std::printf("streaming multiprocessors     %d\n", device.multiProcessorCount);
  std::printf("global memory                 %.1f GB, %.1f GB of it free\n",
              static_cast<double>(total_bytes) * 1e-9, static_cast<double>(free_bytes) * 1e-9);
  std::printf("threads of a warp             %d\n", device.warpSize);
  std::printf("threads of a block            at most %d\n", device.maxThreadsPerBlock);
  std::printf("threads of a block in x, y, z at most %d, %d, %d\n", device.maxThreadsDim[0],
              device.maxThreadsDim[1], device.maxThreadsDim[2]);
  std::printf("blocks of a grid in x, y, z   at most %d, %d, %d\n", device.maxGridSize[0],
              device.maxGridSize[1], device.maxGridSize[2]);
  std::printf("threads of a multiprocessor   at most %d\n", device.maxThreadsPerMultiProcessor);
  std::printf("shared memory of a block      %zu bytes\n", device.sharedMemPerBlock);
  std::printf("constant memory               %zu bytes\n", device.totalConstMem);
  if (std::strstr(device.name, "simulator")) {
    std::printf("\nThe simulator has the limits of an H200. Its memory is the CPU's.\n");
  }
}
