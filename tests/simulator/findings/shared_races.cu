#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Races in shared memory, across warps and within one.

namespace {

__global__ void half_syncwarp(int* out, bool right) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);  // finds: race
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  __syncwarp(right ? 0xffffffffu : half);
  out[threadIdx.x] = values[threadIdx.x ^ 16];  // finds: race
}

__global__ void reset_of_a_count(int* out, bool right) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);                        // finds: race atomic by 0
  if (!right && threadIdx.x == 40) count = 0;  // finds: race store by 40
  __syncthreads();
  out[threadIdx.x] = count;
}

template <typename T>
__global__ void neighbours(int* out, bool right) {
  __shared__ T values[64];
  values[threadIdx.x] = static_cast<T>(threadIdx.x);  // finds in *_of_another: race
  const unsigned other = right ? threadIdx.x : (threadIdx.x + 1) % 64;
  out[threadIdx.x] = values[other];  // finds in *_of_another: race
}

__global__ void one_thread_of_each_block(int* out, bool) {  // finds: nothing
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

// The loads of all threads must come before the stores of all threads.
__global__ void scan_step(int* out, bool right) {
  __shared__ int sums[64];
  sums[threadIdx.x] = 1;
  __syncthreads();
  if (right) {
    const int before = threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
  } else if (threadIdx.x > 0) {
    sums[threadIdx.x] += sums[threadIdx.x - 1];  // finds: race
  }
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x];
}

// The loads of a phase are checked only when a thread stores in the same phase: here by another
// warp, after more loads than are kept.
__global__ void many_loads_then_a_store(int* out, bool right) {
  __shared__ int values[32];
  if (threadIdx.x < 32) values[threadIdx.x] = 1;
  __syncthreads();
  int sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 5000; ++i) sum += values[threadIdx.x];  // finds: race
  }
  if (right) __syncthreads();
  if (threadIdx.x == 40) values[3] = 2;  // finds: race
  out[threadIdx.x] = sum;
}

// The loads were before a __syncwarp() of this phase, the store comes after it.
__global__ void loads_before_syncwarp(int* out, bool) {  // finds: nothing
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  __syncthreads();
  const int other = values[threadIdx.x ^ 1];
  __syncwarp();
  values[threadIdx.x] = other + 1;
  __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

// In the second phase the loads come first, in the third one the store.
__global__ void store_in_each_phase(int* out, bool right) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  __syncthreads();
  int sum = values[63 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 5) values[40] = 2;  // finds: race
  if (right) __syncthreads();
  sum += values[63 - threadIdx.x];  // finds: race
  __syncthreads();
  out[threadIdx.x] = sum + values[63 - threadIdx.x];
}

INSTANTIATE_TEST_SUITE_P(
    SharedRaces, MarkedKernels,
    marked_kernels({
        {"half_syncwarp", launch(half_syncwarp, 1, 32)},
        {"reset_of_a_count",
         [](Buffers d, bool right) { reset_of_a_count<<<1, right ? 128 : 41>>>(d.out, right); },
         "race on count in"},
        {"byte_of_another", launch(neighbours<char>, 1, 64)},
        {"short_of_another", launch(neighbours<short>, 1, 64)},
        {"scan_step", launch(scan_step, 1, 64),
         "Load into a variable, call __syncthreads(), and then store...update=neighbour"},
        {"many_loads_then_a_store", launch(many_loads_then_a_store, 1, 64)},
        {"loads_before_syncwarp", launch(loads_before_syncwarp, 1, 64)},
        {"store_in_each_phase", launch(store_in_each_phase, 1, 64)},
        {"one_thread_of_each_block", launch(one_thread_of_each_block, 8, 32)},
    }),
    case_name);

// Every warp loads one word for all lanes, and consecutive words; then one thread stores to one of
// them.
__global__ void store_after_loads_kernel(int* out, unsigned writer) {
  __shared__ double value;
  __shared__ int row[32];
  if (threadIdx.x < 32) row[threadIdx.x] = 1;
  if (threadIdx.x == 0) value = 1;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    out[threadIdx.x] = row[threadIdx.x % 32];
    out[threadIdx.x] += static_cast<int>(value);
  }
  if (threadIdx.x == writer) value = 2;
  if (threadIdx.x == writer) row[7] = 2;
}
constexpr int kRowLoadLine = __LINE__ - 6, kValueLoadLine = __LINE__ - 5;
constexpr int kValueStoreLine = __LINE__ - 4, kRowStoreLine = __LINE__ - 3;

class AfterLoads : public FindingsTest, public testing::WithParamInterface<unsigned> {
 protected:
  DeviceBuffer<int> d_out{1024};
};

TEST_P(AfterLoads, RacesWithOneOfTheOtherWarps) {
  store_after_loads_kernel<<<1, 96>>>(d_out.data(), GetParam());
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 2u);
  expect_place(findings[0].places.at(0), kValueLoadLine, "load", {0, 0, 0}, {0, 0, 0});
  expect_place(findings[0].places.at(1), kValueStoreLine, "store", {GetParam(), 0, 0}, {0, 0, 0});
  expect_place(findings[1].places.at(0), kRowLoadLine, "load", {7, 0, 0}, {0, 0, 0});
  expect_place(findings[1].places.at(1), kRowStoreLine, "store", {GetParam(), 0, 0}, {0, 0, 0});
}

// Without a __syncwarp(), the store is not ordered with the loads of its own warp either.
TEST_P(AfterLoads, RacesWithAnotherLane) {
  const unsigned writer = GetParam() % 32;
  store_after_loads_kernel<<<1, 32>>>(d_out.data(), writer);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), writer == 7 ? 1u : 2u);
  const unsigned other = writer == 0 ? 31 : 0;
  expect_place(findings[0].places.at(0), kValueLoadLine, "load", {other, 0, 0}, {0, 0, 0});
  expect_place(findings[0].places.at(1), kValueStoreLine, "store", {writer, 0, 0}, {0, 0, 0});
}

INSTANTIATE_TEST_SUITE_P(Writers, AfterLoads, testing::Values(64, 65, 71, 94, 95));

}  // namespace
