#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Reads of local arrays that the thread has not written: forgotten __shared__, forgotten first
// values.

namespace {

class LocalArrays : public FindingsTest {
 protected:
  LocalArrays() { d_in.fill_bytes(0); }

  DeviceBuffer<int> d_in{1024}, d_out{1024};
};

__global__ void tile_kernel(const int* in, int* out) {
  int tile[8][9];
  const unsigned row = threadIdx.y, col = threadIdx.x;
  tile[row][col] = in[row * 8 + col];
  __syncthreads();
  out[row * 8 + col] = tile[col][row];
}
constexpr int kTileLine = __LINE__ - 2;

TEST_F(LocalArrays, ForgottenShared) {
  tile_kernel<<<1, dim3(8, 8)>>>(d_in.data(), d_out.data());
  const Finding finding = expect_one_place(
      "uninitialised",
      "the thread reads element 9 of 72 of tile, which it has not written. tile is a local array: "
      "each thread has its own. If all threads of the block are to use one, declare it "
      "__shared__.",
      kTileLine, "load", {1, 0, 0});
  EXPECT_EQ(finding.count, 56u);  // each but those on the diagonal
  EXPECT_EQ(facts_of(finding),
            "finding=uninitialised access=load thread=1 block=0 memory=local array=tile "
            "index=thread");
}

__global__ void sums_kernel(const int* in, int* out) {
  int sums[4], more = 3;
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 4; ++k) sums[k] += in[4 * i + k] + more;
  }
  for (int k = 0; k < 4; ++k) out[k] = sums[k];
}
constexpr int kSumsLine = __LINE__ - 4;

TEST_F(LocalArrays, ForgottenFirstValues) {
  sums_kernel<<<1, 1>>>(d_in.data(), d_out.data());
  const Finding finding = expect_one_place("uninitialised",
                                           "element 0 of 4 of sums, which it has not written. sums "
                                           "is a local array: each thread has its own, and its",
                                           kSumsLine, "load");
  EXPECT_EQ(finding.message.find("__shared__"), std::string::npos);
  EXPECT_EQ(finding.count, 4u);  // once for each element
}

__global__ void two_arrays_kernel(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  int first[32], second[32];
  first[t] = in[t];
  second[31 - t] = first[t];
  out[t] = second[t];
}
constexpr int kSecondLine = __LINE__ - 2;

TEST_F(LocalArrays, TheOtherOfTwo) {
  two_arrays_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  expect_one_place("uninitialised", "element 0 of 32 of second", kSecondLine, "load");
}

__global__ void each_turn_kernel(const int* in, int* out, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    int line[4];
    if (turn == 0) line[threadIdx.x] = in[threadIdx.x];
    out[turn] = line[threadIdx.x];
  }
}
constexpr int kEachTurnLine = __LINE__ - 3;

TEST_F(LocalArrays, BeginsAnewWithEachTurn) {
  each_turn_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 1);
  expect_nothing_found();
  each_turn_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 3);
  const Finding finding = expect_one_place("uninitialised", "line", kEachTurnLine, "load");
  EXPECT_EQ(finding.count, 2u);
}

struct Particle {
  double mass;
  char charge;  // and seven bytes that nothing writes
};

__global__ void particles_kernel(int* out, bool writes_mass) {
  Particle particles[4];
  const unsigned t = threadIdx.x;
  if (writes_mass) particles[t].mass = 2;
  particles[t].charge = 1;
  const Particle copy = particles[t];
  out[t] = static_cast<int>(copy.mass) + copy.charge;
}

TEST_F(LocalArrays, StructuresWithUnusedBytes) {
  particles_kernel<<<1, 4>>>(d_out.data(), true);
  expect_nothing_found();
  particles_kernel<<<1, 4>>>(d_out.data(), false);
  EXPECT_EQ(only_finding().kind, "uninitialised");
}

__global__ void bytes_kernel(int* out, int first) {
  char text[8];
  for (int i = first; i < 8; ++i) text[i] = 'a';
  out[threadIdx.x] = text[threadIdx.x];
}

TEST_F(LocalArrays, SingleBytes) {
  bytes_kernel<<<1, 8>>>(d_out.data(), 0);
  expect_nothing_found();
  bytes_kernel<<<1, 8>>>(d_out.data(), 1);
  EXPECT_EQ(only_finding().count, 1u);
}

// What the mark does not change: first values in the declaration, constructors, static members, an
// early return, arrays of a device function that is called again, and host code.
struct Zero {
  int value = 0;
};

__device__ int digit_sum(int number, unsigned thread) {
  int digits[32];
  digits[thread % 32] = number % 10;
  if (number < 10) return digits[thread % 32];
  return digits[thread % 32] + digit_sum(number / 10, thread);
}

__global__ void right_kernel(int* out, int n) {
  int zeros[32] = {};
  Zero constructed[32];
  int written[32];
  const int twice = 2 * n;  // what follows on the line keeps its place
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

TEST_F(LocalArrays, RightKernels) {
  for (int round = 0; round < 2; ++round) right_kernel<<<1, 32>>>(d_out.data(), 31);
  expect_nothing_found();
  int h_first = 0;
  CUDA_CHECK(cudaMemcpy(&h_first, d_out.data(), sizeof h_first, cudaMemcpyDeviceToHost));
  EXPECT_EQ(h_first, 1 + 6 + 2);
}

__host__ __device__ int middle(const int* in, int i) {
  int window[3];
  for (int k = 0; k < 3; ++k) window[k] = in[k];
  return window[i];
}

TEST_F(LocalArrays, HostCode) {
  const int values[] = {1, 2, 3};
  EXPECT_EQ(middle(values, 1), 2);
}

}  // namespace
