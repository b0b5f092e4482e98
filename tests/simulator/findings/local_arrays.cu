#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Reads of local arrays that the thread has not written: a missing __shared__, or missing
// initial values.

namespace {

__global__ void tile(int* in, int* out, bool right) {
  int tile[8][9];
  const unsigned row = threadIdx.y, col = threadIdx.x;
  tile[row][col] = in[row * 8 + col];
  __syncthreads();
  // finds: uninitialised load by 1, 56 times
  out[row * 8 + col] = right ? tile[row][col] : tile[col][row];
}

__global__ void sums(const int* in, int* out) {
  int sums[4], more = 3;
  for (int i = 0; i < 8; ++i) {
    // finds: uninitialised load by 0, 4 times
    for (int k = 0; k < 4; ++k) sums[k] += in[4 * i + k] + more;
  }
  for (int k = 0; k < 4; ++k) out[k] = sums[k];
}

__global__ void two_arrays(int* in, int* out, bool right) {
  const unsigned t = threadIdx.x;
  int first[32], second[32];
  first[t] = in[t];
  second[31 - t] = first[t];
  out[t] = second[right ? 31 - t : t];  // finds: uninitialised load by 0
}

__global__ void each_turn(int* in, int* out, bool right) {
  for (int turn = 0; turn < (right ? 1 : 3); ++turn) {
    int line[4];
    if (turn == 0) line[threadIdx.x] = in[threadIdx.x];
    out[turn] = line[threadIdx.x];  // finds: uninitialised load by 0, 2 times
  }
}

struct Particle {
  double mass;
  char charge;  // followed by seven bytes that are never written
};

__global__ void particles(int* out, bool right) {
  Particle particles[4];
  const unsigned t = threadIdx.x;
  if (right) particles[t].mass = 2;
  particles[t].charge = 1;
  const Particle copy = particles[t];  // finds: uninitialised
  out[t] = static_cast<int>(copy.mass) + copy.charge;
}

__global__ void single_bytes(int* out, bool right) {
  char text[8];
  for (int i = right ? 0 : 1; i < 8; ++i) text[i] = 'a';
  out[threadIdx.x] = text[threadIdx.x];  // finds: uninitialised, 1 time
}

// Code that tracking does not change: initial values in the declaration, constructors, static
// members, an early return, arrays of a device function that is called again, and host code.
struct Zero {
  int value = 0;
};

__device__ int digit_sum(int number, unsigned thread) {
  int digits[32];
  digits[thread % 32] = number % 10;
  if (number < 10) return digits[thread % 32];
  return digits[thread % 32] + digit_sum(number / 10, thread);
}

__global__ void right_kernels(int* out, int n) {  // finds: nothing
  int zeros[32] = {};
  Zero constructed[32];
  int written[32];
  const int twice = 2 * n;  // the rest of the line keeps its column
  const unsigned t = threadIdx.x;
  written[t] = 1;
  if (t >= static_cast<unsigned>(n)) return;
  switch (n) {
    case 0:
      int unused[2];
      unused[t] = 0;
      out[t] = unused[t];
      break;
    default:
      out[t] = zeros[t] + constructed[t].value + written[t] + digit_sum(twice, t);
  }
}

void run_right_kernels(Buffers d, bool) {
  for (int round = 0; round < 2; ++round) right_kernels<<<1, 32>>>(d.out, 31);
  int h_first = 0;
  CUDA_CHECK(cudaMemcpy(&h_first, d.out, sizeof h_first, cudaMemcpyDeviceToHost));
  EXPECT_EQ(h_first, 1 + 6 + 2);
}

INSTANTIATE_TEST_SUITE_P(
    LocalArrays, MarkedKernels,
    marked_kernels({
        {"tile", [](Buffers d, bool right) { tile<<<1, dim3(8, 8)>>>(d.in, d.out, right); },
         "the thread reads element 9 of 72 of tile, which it has not written. tile is a local "
         "array: each thread has its own. If all threads of the block should share one array, "
         "declare it "
         "__shared__....\n"
         "finding=uninitialised access=load thread=1 block=0 memory=local array=tile "
         "index=thread kernel="},
        {"sums",
         [](Buffers d, bool right) {
           if (!right) sums<<<1, 1>>>(d.in, d.out);
         },
         "element 0 of 4 of sums, which it has not written. sums is a local array: each thread has "
         "its own, and its initial values are undefined. Set them first.\n"},
        {"two_arrays", launch(two_arrays, 1, 32), "element 0 of 32 of second"},
        {"each_turn", launch(each_turn, 1, 1), "line"},
        {"particles", launch(particles, 1, 4)},
        {"single_bytes", launch(single_bytes, 1, 8)},
        {"right_kernels", run_right_kernels},
    }),
    case_name);

__host__ __device__ int middle(const int* in, int i) {
  int window[3];
  window[0] = in[0], window[1] = in[1],
  window[2] = in[2];  // g++ 13 does not accept a loop as an initialization
  return window[i];
}

TEST(LocalArrays, HostCode) {
  const int values[] = {1, 2, 3};
  EXPECT_EQ(middle(values, 1), 2);
}

}  // namespace
