// Stage 06: memories
//
// Registers, shared, constant and global memory. Each of 8 threads loads a number from global
// memory, multiplies it by a constant and stores the product in shared memory. After the barrier it
// reads the product of the next thread.

#include "check.h"

#include <cstdio>

constexpr int kThreads = 8;

__constant__ int factor;  // constant memory: the host sets it, kernels only read it

__global__ void memories_kernel(const int* in, int* out) {
  __shared__ int products[kThreads];      // shared memory: one array for the whole block
  const int i = threadIdx.x;              // a register: each thread has its own i
  products[i] = factor * in[i];           // in and out are in global memory
  __syncthreads();                        // the barrier: now all products are written
  out[i] = products[(i + 1) % kThreads];  // a product of another thread
}

int main() {
  const int h_in[kThreads] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int h_factor = 10;
  int h_out[kThreads] = {};
  int *d_in = nullptr, *d_out = nullptr;
  check(cudaMalloc(&d_in, sizeof h_in));
  check(cudaMalloc(&d_out, sizeof h_out));
  check(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
  check(cudaMemcpyToSymbol(factor, &h_factor, sizeof h_factor));

  memories_kernel<<<1, kThreads>>>(d_in, d_out);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kThreads; ++i) {
    std::printf("thread %d read %d, multiplied it by %d, and read the next product, %d\n", i,
                h_in[i], h_factor, h_out[i]);
  }
  check(cudaFree(d_in));
  check(cudaFree(d_out));
}
