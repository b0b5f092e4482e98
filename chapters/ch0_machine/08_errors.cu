// Stage 08: errors
//
// Shows which call reports which error. A launch with too many threads is refused at once. A kernel
// with a bad pointer is launched normally and fails while it runs; the next call that waits for it
// returns the error. Run with --bad-pointer to see that.

#include "check.h"

#include <cstdio>
#include <cstring>

__global__ void write_kernel(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void show(const char* call, cudaError_t error) {
  std::printf("  %-24s %s: %s\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  const bool has_bad_pointer = argc == 2 && std::strcmp(argv[1], "--bad-pointer") == 0;
  if (argc > 1 && !has_bad_pointer) {
    std::fprintf(stderr, "'%s' is not an option; --bad-pointer is the only one.\n", argv[1]);
    return 2;
  }
  int* d_x = nullptr;
  if (has_bad_pointer) {
    std::printf("a pointer that points nowhere:\n");
    write_kernel<<<1, 32>>>(d_x);
    show("cudaGetLastError()", cudaGetLastError());
    show("cudaDeviceSynchronize()", cudaDeviceSynchronize());
    show("cudaMalloc()", cudaMalloc(&d_x, 32 * sizeof(int)));
    return 1;
  }
  check(cudaMalloc(&d_x, 2000 * sizeof(int)));
  check(cudaMemset(d_x, 0, 2000 * sizeof(int)));
  std::printf("2000 threads per block:\n");
  write_kernel<<<1, 2000>>>(d_x);
  show("cudaGetLastError()", cudaGetLastError());
  show("cudaGetLastError()", cudaGetLastError());
  show("cudaDeviceSynchronize()", cudaDeviceSynchronize());

  int h_first = -1;
  show("cudaMemcpy()", cudaMemcpy(&h_first, d_x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("  x[0] is %d: %s\n", h_first, h_first == 1 ? "the kernel ran" : "no kernel ran");

  std::printf("1000 threads per block:\n");
  write_kernel<<<2, 1000>>>(d_x);
  show("cudaGetLastError()", cudaGetLastError());
  show("cudaDeviceSynchronize()", cudaDeviceSynchronize());
  check(cudaFree(d_x));
}
