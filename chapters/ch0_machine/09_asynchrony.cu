// Stage 09: asynchrony
//
// A launch returns before the kernel has run. The host launches a kernel that takes a while, asks
// whether it has finished, and then waits for it.

#include "check.h"

#include <cstdio>

__global__ void slow_kernel(int* x) {
  int steps = 0;
  while (steps < 1000000) steps += x[1];  // x[1] is 1, but the compiler cannot know that
  x[0] = steps;
}

bool is_done(const char* when) {
  const cudaError_t answer = cudaStreamQuery(nullptr);  // nullptr: the default stream
  if (answer != cudaErrorNotReady) check(answer);
  std::printf("%s: the stream is %s\n", when, answer == cudaSuccess ? "done" : "still at work");
  return answer == cudaSuccess;
}

int main() {
  const int h_x[2] = {0, 1};
  int* d_x = nullptr;
  check(cudaMalloc(&d_x, sizeof h_x));
  check(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());

  slow_kernel<<<1, 1>>>(d_x);
  check(cudaGetLastError());
  if (is_done("after the launch             ")) {
    std::printf(
        "  (the simulator runs a kernel within its launch; a GPU needs longer for this one)\n");
  }
  check(cudaDeviceSynchronize());
  is_done("after cudaDeviceSynchronize()");

  int h_steps = 0;
  check(cudaMemcpy(&h_steps, d_x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("the kernel counted to %d\n", h_steps);
  check(cudaFree(d_x));
}
