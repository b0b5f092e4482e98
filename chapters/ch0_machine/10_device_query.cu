// Stage 10: what the device is, and what it allows
//
// --threads N launches a block of N threads and shows what that meets.

#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void empty_kernel() {}

void print_properties(const cudaDeviceProp& device) {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes));
  std::printf("device                        %s\n", device.name);
  std::printf("compute capability            %d.%d\n", device.major, device.minor);
  std::printf("streaming multiprocessors     %d\n", device.multiProcessorCount);
  std::printf("global memory                 %.1f GB, of which %.1f GB are free\n",
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

int main(int argc, char** argv) {
  int threads = 256;
  if (argc > 1) {
    char* end = nullptr;
    const long asked = argc == 3 ? std::strtol(argv[2], &end, 10) : 0;
    if (argc != 3 || std::strcmp(argv[1], "--threads") != 0 || *end || asked < 1 ||
        asked > 1000000000) {
      std::fprintf(stderr, "'%s%s%s': the only option is --threads N, N from 1 to 1000000000.\n",
                   argv[1], argc > 2 ? " " : "", argc > 2 ? argv[2] : "");
      return 2;
    }
    threads = static_cast<int>(asked);
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  print_properties(device);

  empty_kernel<<<1, threads>>>();
  const cudaError_t error = cudaGetLastError();
  std::printf("\nA block of %d threads: %s (%s)\n", threads,
              error == cudaSuccess ? "launched" : "refused", cudaGetErrorName(error));
  if (threads > device.maxThreadsPerBlock) {
    const int blocks = (threads + device.maxThreadsPerBlock - 1) / device.maxThreadsPerBlock;
    std::printf("%d threads need %d blocks, as one has at most %d.\n", threads, blocks,
                device.maxThreadsPerBlock);
  } else {
    check(error);
  }
  check(cudaDeviceSynchronize());
}
