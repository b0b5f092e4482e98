// Stage 11: the block limit
//
// A block has at most 1024 threads. --threads N launches one block of N threads and prints the
// result.

#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void empty_kernel() {}

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

  empty_kernel<<<1, threads>>>();
  const cudaError_t error = cudaGetLastError();
  std::printf("A block of %d threads: %s (%s)\n", threads,
              error == cudaSuccess ? "launched" : "refused", cudaGetErrorName(error));
  if (threads > device.maxThreadsPerBlock) {
    const int blocks = (threads + device.maxThreadsPerBlock - 1) / device.maxThreadsPerBlock;
    std::printf("%d threads need %d blocks, because one has at most %d.\n", threads, blocks,
                device.maxThreadsPerBlock);
  } else {
    check(error);
  }
  check(cudaDeviceSynchronize());
}
