#include "common/device_buffer.h"
#include "tests/simulator/expect_findings.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

// Kernels that wait for other threads, and kernels that never end.

namespace {

class Endless : public FindingsTest {};

__global__ void wait_for_thread_kernel(int* flag, int* out, int waiting, int setting) {
  const int thread = threadIdx.x;
  if (thread == waiting) {
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = 7;
  }
  if (thread == setting) atomicExch(flag, 1);
}

int run_waiting(int waiting, int setting) {
  DeviceBuffer<int> d_flag(std::vector<int>{0}), d_out(std::vector<int>{0});
  wait_for_thread_kernel<<<1, 96>>>(d_flag.data(), d_out.data(), waiting, setting);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return d_out.to_host()[0];
}

TEST_F(Endless, AThreadCanWaitForALaterThreadOfItsWarp) { EXPECT_EQ(run_waiting(0, 31), 7); }
TEST_F(Endless, AThreadCanWaitForALaterWarp) { EXPECT_EQ(run_waiting(0, 95), 7); }
TEST_F(Endless, AThreadCanWaitForAnEarlierWarp) { EXPECT_EQ(run_waiting(95, 0), 7); }

// Each thread runs longer than the next one, so that threads end while others are waiting for their
// turn.
__global__ void sum_to_the_end_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = i; j < n; ++j) sum += in[j];
  out[i] = sum;
}

TEST_F(Endless, LongLoopsOfDifferentLengthsEnd) {
  for (const int n : {300, 777, 1023}) {
    const DeviceBuffer<int> d_in(std::vector<int>(n, 1));
    DeviceBuffer<int> d_out(n);
    sum_to_the_end_kernel<<<(n + 255) / 256, 256>>>(d_in.data(), d_out.data(), n);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<int> h_out = d_out.to_host();
    for (int i = 0; i < n; ++i) ASSERT_EQ(h_out[i], n - i) << "element " << i << " of " << n;
  }
}

__global__ void forever_kernel(int* out) {
  for (int i = 1;; ++i) out[threadIdx.x] = i;
}
constexpr int kForeverLine = __LINE__ - 2;

TEST_F(Endless, ALoopThatNeverEnds) {
  DeviceBuffer<int> d_out(64);
  forever_kernel<<<1, 64>>>(d_out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "endless");
  EXPECT_EQ(finding.places[0].line, kForeverLine);
  EXPECT_EQ(finding.places[0].operation, "loop");
}

__global__ void forever_with_barrier_kernel(const int* stop) {
  while (*stop == 0) __syncthreads();
}

TEST_F(Endless, ALoopOfBarriersThatNeverEnds) {
  DeviceBuffer<int> d_stop(std::vector<int>{0});
  forever_with_barrier_kernel<<<1, 64>>>(d_stop.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  EXPECT_EQ(only_finding().kind, "endless");
}

__global__ void empty_loop_kernel(int* out) {
  out[threadIdx.x] = 1;
  while (true) {
  }
}
constexpr int kEmptyLoopLine = __LINE__ - 3;

TEST_F(Endless, AnEmptyLoop) {
  DeviceBuffer<int> d_out(32);
  empty_loop_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "endless");
  EXPECT_EQ(finding.places[0].line, kEmptyLoopLine);
}

__global__ void wait_forever_kernel(const int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(const_cast<int*>(flag), 0) == 0) {
    }
  }
  __syncthreads();
}

TEST_F(Endless, AWaitWhileTheOthersAreAtABarrier) {
  DeviceBuffer<int> d_flag(std::vector<int>{0});
  wait_forever_kernel<<<1, 64>>>(d_flag.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  EXPECT_EQ(only_finding().kind, "endless");
}

}  // namespace
