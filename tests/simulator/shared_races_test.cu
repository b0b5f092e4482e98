#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Races in shared memory, across warps and within one; beside each a kernel with the barrier that
// it lacks.

namespace {

class Races : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{1024};
};

// The places are in the order of the source.
Finding expect_race(const std::string& words, int first_line, const std::string& first_operation,
                    Index first_thread, int second_line, const std::string& second_operation,
                    Index second_thread) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  EXPECT_EQ(finding.places.size(), 2u);
  if (finding.places.size() == 2) {
    expect_place(finding.places[0], first_line, first_operation, first_thread, {0, 0, 0});
    expect_place(finding.places[1], second_line, second_operation, second_thread, {0, 0, 0});
  }
  return finding;
}

template <bool kWithBarrier>
__global__ void reverse_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (kWithBarrier) __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}
constexpr int kReverseStoreLine = __LINE__ - 4, kReverseLoadLine = __LINE__ - 2;

TEST_F(Races, AcrossWarps) {
  reverse_kernel<true><<<1, 64>>>(d_out.data());
  expect_nothing_found();
  reverse_kernel<false><<<1, 64>>>(d_out.data());
  // Threads 0 to 31 read what nobody has written yet; thread 32 is the first to write what another
  // has read.
  const Finding finding = expect_race("race on values in shared memory", kReverseStoreLine, "store",
                                      {32, 0, 0}, kReverseLoadLine, "load", {31, 0, 0});
  EXPECT_EQ(finding.count,
            64u);  // threads 32 to 63 race with their store and again with their load
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Races, MessageAsksForABarrier) {
  reverse_kernel<false><<<1, 64>>>(d_out.data());
  EXPECT_NE(only_finding().message.find("no __syncthreads() is between"), std::string::npos);
}

enum class Between { nothing, syncwarp, shuffle, half_syncwarp };

template <Between kBetween>
__global__ void exchange_kernel(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (kBetween == Between::syncwarp) __syncwarp();
  if (kBetween == Between::shuffle) out[32 + threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
  if (kBetween == Between::half_syncwarp) __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  out[threadIdx.x] = values[threadIdx.x ^ 16];
}
constexpr int kExchangeStoreLine = __LINE__ - 6, kExchangeLoadLine = __LINE__ - 2;

TEST_F(Races, WithinAWarp) {
  exchange_kernel<Between::nothing><<<1, 32>>>(d_out.data());
  expect_race("no __syncwarp() or __syncthreads() is between", kExchangeStoreLine, "store",
              {16, 0, 0}, kExchangeLoadLine, "load", {0, 0, 0});
}

TEST_F(Races, SyncwarpOrdersAWarp) {
  exchange_kernel<Between::syncwarp><<<1, 32>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, ShuffleOrdersAWarp) {
  exchange_kernel<Between::shuffle><<<1, 32>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, SyncwarpOrdersOnlyItsMask) {
  exchange_kernel<Between::half_syncwarp><<<1, 32>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
}

__global__ void syncwarp_between_warps_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 32];
}

TEST_F(Races, SyncwarpDoesNotOrderTwoWarps) {
  syncwarp_between_warps_kernel<<<1, 64>>>(d_out.data());
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void write_write_kernel(int* out, int writers) {
  __shared__ int value;
  if (threadIdx.x < static_cast<unsigned>(writers)) value = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = value;
}
constexpr int kWriteWriteLine = __LINE__ - 4;

TEST_F(Races, WriteAndWrite) {
  write_write_kernel<<<1, 64>>>(d_out.data(), 1);
  expect_nothing_found();
  write_write_kernel<<<1, 64>>>(d_out.data(), 2);
  expect_race("race on value in", kWriteWriteLine, "store", {0, 0, 0}, kWriteWriteLine, "store",
              {1, 0, 0});
}

TEST_F(Races, RepeatsAreCounted) {  // thread n races with thread n - 1
  write_write_kernel<<<1, 64>>>(d_out.data(), 64);
  EXPECT_EQ(only_finding().count, 63u);
}

__global__ void read_read_kernel(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 7;
  __syncthreads();
  out[threadIdx.x] = value + static_cast<int>(threadIdx.x);
}

TEST_F(Races, ReadAndReadIsNone) {
  read_read_kernel<<<1, 128>>>(d_out.data());
  expect_nothing_found();
}

// Every warp loads what stands at one address, and words that lie side by side; then one thread
// stores.
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

class AfterLoads : public Races, public testing::WithParamInterface<unsigned> {};

TEST_P(AfterLoads, RacesWithOneOfTheOtherWarps) {
  store_after_loads_kernel<<<1, 96>>>(d_out.data(), GetParam());
  const auto findings = cuda_simulator::take_findings();
  ASSERT_EQ(findings.size(), 2u);
  expect_place(findings[0].places.at(0), kValueLoadLine, "load", {0, 0, 0}, {0, 0, 0});
  expect_place(findings[0].places.at(1), kValueStoreLine, "store", {GetParam(), 0, 0}, {0, 0, 0});
  expect_place(findings[1].places.at(0), kRowLoadLine, "load", {7, 0, 0}, {0, 0, 0});
  expect_place(findings[1].places.at(1), kRowStoreLine, "store", {GetParam(), 0, 0}, {0, 0, 0});
}

// Those of its own warp are not in order with it either, without a __syncwarp().
TEST_P(AfterLoads, RacesWithAnotherLane) {
  const unsigned writer = GetParam() % 32;
  store_after_loads_kernel<<<1, 32>>>(d_out.data(), writer);
  const auto findings = cuda_simulator::take_findings();
  ASSERT_EQ(findings.size(), writer == 7 ? 1u : 2u);
  const unsigned other = writer == 0 ? 31 : 0;
  expect_place(findings[0].places.at(0), kValueLoadLine, "load", {other, 0, 0}, {0, 0, 0});
  expect_place(findings[0].places.at(1), kValueStoreLine, "store", {writer, 0, 0}, {0, 0, 0});
}

INSTANTIATE_TEST_SUITE_P(Writers, AfterLoads, testing::Values(64, 65, 71, 94, 95));

template <bool kPlainStore>
__global__ void count_kernel(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (kPlainStore && threadIdx.x == 40) count = 0;
  __syncthreads();
  out[threadIdx.x] = count;
}
constexpr int kCountAtomicLine = __LINE__ - 5, kCountStoreLine = __LINE__ - 4;

TEST_F(Races, AtomicsDoNotRace) {
  count_kernel<false><<<1, 128>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Races, AtomicAgainstPlainStore) {
  count_kernel<true><<<1, 41>>>(d_out.data());
  expect_race("race on count in", kCountAtomicLine, "atomic", {0, 0, 0}, kCountStoreLine, "store",
              {40, 0, 0});
}

template <typename T>
__global__ void neighbours_kernel(int* out, int shift) {
  __shared__ T values[64];
  values[threadIdx.x] = static_cast<T>(threadIdx.x);
  out[threadIdx.x] = values[(threadIdx.x + static_cast<unsigned>(shift)) % 64];
}

TEST_F(Races, NeighboursInAWordAreNone) {
  neighbours_kernel<char><<<1, 64>>>(d_out.data(), 0);
  neighbours_kernel<short><<<1, 64>>>(d_out.data(), 0);
  expect_nothing_found();
}

TEST_F(Races, ByteOfAnotherThread) {
  neighbours_kernel<char><<<1, 64>>>(d_out.data(), 1);
  EXPECT_EQ(only_finding().kind, "race");
}

__global__ void two_barriers_kernel(int* out) {
  __shared__ int values[2][64];
  for (int round = 0; round < 6; ++round) {
    values[round % 2][threadIdx.x] = round;
    __syncthreads();
    out[threadIdx.x] = values[round % 2][63 - threadIdx.x];
  }
}

TEST_F(Races, DoubleBufferNeedsOneBarrierARound) {
  two_barriers_kernel<<<1, 64>>>(d_out.data());
  expect_nothing_found();
}

template <bool kSecondBarrier>
__global__ void single_buffer_kernel(int* out) {
  __shared__ int values[64];
  for (int round = 0; round < 2; ++round) {
    values[threadIdx.x] = round;
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
    if (kSecondBarrier) __syncthreads();
  }
}
constexpr int kSingleBufferStoreLine = __LINE__ - 6, kSingleBufferLoadLine = __LINE__ - 4;

TEST_F(Races, SingleBufferNeedsTwo) {
  single_buffer_kernel<true><<<1, 64>>>(d_out.data());
  expect_nothing_found();
  single_buffer_kernel<false><<<1, 64>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_EQ(finding.places[0].line, kSingleBufferStoreLine);
  EXPECT_EQ(finding.places[1].line, kSingleBufferLoadLine);
}

__global__ void one_thread_kernel(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

TEST_F(Races, BlocksDoNotShare) {
  one_thread_kernel<<<8, 32>>>(d_out.data());
  expect_nothing_found();
}

__global__ void dynamic_race_kernel(int* out) {
  extern __shared__ int dynamic_values[];
  dynamic_values[threadIdx.x] = 1;
  out[threadIdx.x] = dynamic_values[threadIdx.x ^ 1];
}

TEST_F(Races, InDynamicMemory) {
  dynamic_race_kernel<<<1, 64, 64 * sizeof(int)>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_NE(finding.message.find("race on extern __shared__ memory"), std::string::npos)
      << finding.message;
}

__global__ void tree_kernel(int* out, int barrier_down_to) {
  __shared__ int sums[128];
  sums[threadIdx.x] = 1;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (static_cast<int>(threadIdx.x) < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    if (stride > barrier_down_to) __syncthreads();
  }
  if (threadIdx.x == 0) *out = sums[0];
}
constexpr int kTreeLine = __LINE__ - 5;

TEST_F(Races, LastWarpOfATreeSum) {  // without volatile and __syncwarp, a well-known mistake
  tree_kernel<<<1, 128>>>(d_out.data(), 0);
  expect_nothing_found();
  tree_kernel<<<1, 128>>>(d_out.data(), 16);
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, "race");
  EXPECT_EQ(findings[0].places[0].line, kTreeLine);
}

}  // namespace
