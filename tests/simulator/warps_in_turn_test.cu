#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/expect_counts.h"
#include "tests/simulator/expect_findings.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

// A warp's first lane reuses the path of the previous warp, and a request reuses the cost of an
// earlier request of the same shape. Here warps differ from the previous warps in every way.

namespace {

using cuda_simulator::AccessKind;
using cuda_simulator::MemorySpace;

constexpr int kWarps = 8, kBlocks = 3, kThreads = 32 * kWarps;

class WarpsInTurn : public FindingsTest {
 protected:
  DeviceBuffer<float> d_in{std::vector<float>(4096)}, d_out{4096};
};

__global__ void branch_kernel(const float* in, float* out) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  float sum = 0;
  if (warp % 2 == 0) {
    sum += in[lane];
  } else if (warp % 4 == 1) {
    sum += in[2 * lane];
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}
constexpr int kEvenLine = __LINE__ - 6, kOddLine = __LINE__ - 4, kOutLine = __LINE__ - 2;

TEST_F(WarpsInTurn, TakeDifferentBranches) {
  branch_kernel<<<kBlocks, kThreads>>>(d_in.data(), d_out.data());
  EXPECT_EQ(on_line(kEvenLine).requests, 4u * kBlocks);
  EXPECT_EQ(on_line(kEvenLine).sectors, 4u * 4 * kBlocks);
  EXPECT_EQ(on_line(kOddLine).requests, 2u * kBlocks);
  EXPECT_EQ(on_line(kOddLine).sectors, 8u * 2 * kBlocks);
  EXPECT_EQ(on_line(kOutLine).lanes, 1u * kThreads * kBlocks);
  EXPECT_EQ(on_line(kOutLine).sectors, 4u * kWarps * kBlocks);
}

// Warp w runs 3 w iterations, so that the path of the previous warp is too short.
__global__ void loop_kernel(const float* in, float* out) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  float sum = 0;
  for (int i = 0; i < 3 * warp; ++i) sum += in[32 * i + lane];
  out[threadIdx.x] = sum;
}

TEST_F(WarpsInTurn, RunMoreIterationsThanThePreviousWarp) {
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load,
                    [&] { loop_kernel<<<kBlocks, kThreads>>>(d_in.data(), d_out.data()); }),
            (Cost{3 * 28 * kBlocks, 3 * 28 * 32 * kBlocks, 3 * 28 * 4 * kBlocks}));
  take_findings();  // blocks write the same elements of `out`
}

// More steps than a lane executes before other lanes run.
__global__ void long_loop_kernel(const float* in, float* out) {
  float sum = 0;
  for (unsigned i = 0; i < 300; ++i) sum += in[i + threadIdx.x];
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

TEST_F(WarpsInTurn, RunInSlicesOfALongLoop) {
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load,
                    [&] { long_loop_kernel<<<kBlocks, kThreads>>>(d_in.data(), d_out.data()); }),
            (Cost{300 * kWarps * kBlocks, 300 * kThreads * kBlocks,
                  // an eighth of the ranges starts at a sector
                  (300 * 5 - 38) * kWarps * kBlocks}));
}

template <typename Index>
__global__ void load_kernel(const float* in, Index index, float* out) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  out[threadIdx.x + blockIdx.x * blockDim.x] = in[index(lane, warp)];
}
template <typename Index>
Cost load_cost(const float* d_in, Index index, float* d_out) {
  return cost_of(MemorySpace::global, AccessKind::load,
                 [&] { load_kernel<<<kBlocks, kThreads>>>(d_in, index, d_out); });
}
struct WarpsStride {
  __device__ int operator()(int lane, int warp) const { return lane * (warp + 1); }
};
struct WarpsOffset {
  __device__ int operator()(int lane, int warp) const { return lane + warp; }
};
struct SwappedPairs {  // every second warp has the same first and last lane
  __device__ int operator()(int lane, int warp) const {
    return lane % 30 == 0 || warp % 2 == 0 ? lane : lane + (lane % 8 == 7 ? 1 : 0);
  }
};

TEST_F(WarpsInTurn, HaveStridesOfTheirOwn) {  // 4, 8, ... sectors
  EXPECT_EQ(load_cost(d_in.data(), WarpsStride{}, d_out.data()),
            (Cost{kWarps * kBlocks, kThreads * kBlocks, 4 * 36 * kBlocks}));
}

TEST_F(WarpsInTurn, StartElsewhereInASector) {  // the first takes 4 sectors, the others one more
  EXPECT_EQ(load_cost(d_in.data(), WarpsOffset{}, d_out.data()),
            (Cost{kWarps * kBlocks, kThreads * kBlocks, (5 * kWarps - 1) * kBlocks}));
}

TEST_F(WarpsInTurn, DifferInAFewLanes) {  // lane 31 of every second warp is in a sector of its own
  EXPECT_EQ(load_cost(d_in.data(), SwappedPairs{}, d_out.data()),
            (Cost{kWarps * kBlocks, kThreads * kBlocks, (4 + 5) * kWarps / 2 * kBlocks}));
}

// The stride is 1 in the first warp, 2 in the second, 4, ...
__global__ void shared_stride_kernel(float* out) {
  __shared__ float tile[32 * 32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  for (unsigned i = threadIdx.x; i < 32 * 32; i += kThreads) tile[i] = 0;
  __syncthreads();
  out[threadIdx.x + blockIdx.x * blockDim.x] = tile[(lane << warp % 6)];
}

TEST_F(WarpsInTurn, HaveBankConflictsOfTheirOwn) {  // 1-, 2-, 4-, 8-, 16-, 32-, 1- and 2-way
  EXPECT_EQ(cost_of(MemorySpace::shared, AccessKind::load,
                    [&] { shared_stride_kernel<<<kBlocks, kThreads>>>(d_out.data()); }),
            (Cost{kWarps * kBlocks, kThreads * kBlocks, (63 + 3) * kBlocks}));
}

__global__ void two_memories_kernel(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = 1;
  __syncthreads();
  const float* const from = threadIdx.x / 32 % 2 == 0 ? tile : in;
  out[threadIdx.x + blockIdx.x * blockDim.x] = from[threadIdx.x];
}
constexpr int kTwoMemoriesLine = __LINE__ - 2;

TEST_F(WarpsInTurn, UseADifferentMemory) {
  two_memories_kernel<<<kBlocks, kThreads>>>(d_in.data(), d_out.data());
  const auto counts = on_line(kTwoMemoriesLine);  // the stores to `out`, too
  EXPECT_EQ(counts.requests, 2u * kWarps * kBlocks);
  EXPECT_EQ(counts.wavefronts, 1u * kWarps / 2 * kBlocks);
  EXPECT_EQ(counts.sectors, 4u * (kWarps + kWarps / 2) * kBlocks);
}

__global__ void two_arrays_kernel(const float* even, const float* odd, float* out) {
  const float* const from = threadIdx.x / 32 % 2 == 0 ? even : odd;
  out[threadIdx.x] = from[threadIdx.x];
}
constexpr int kTwoArraysLine = __LINE__ - 2;

TEST_F(WarpsInTurn, UseADifferentArrayThatIsUnwritten) {
  const DeviceBuffer<float> d_unwritten(kThreads);
  two_arrays_kernel<<<1, kThreads>>>(d_in.data(), d_unwritten.data(), d_out.data());
  const Finding finding = expect_one_place("uninitialised", "element 32 of 256", kTwoArraysLine,
                                           "load", Index{32, 0, 0});
  EXPECT_EQ(finding.count, 1u * kThreads / 2);
}

TEST_F(WarpsInTurn, UseADifferentArrayPastItsEnd) {
  two_arrays_kernel<<<1, kThreads>>>(d_in.data(), d_in.data() + 4000, d_out.data());
  expect_one_place("out_of_bounds", "at byte 16384 of an allocation of 16384 bytes", kTwoArraysLine,
                   "load", Index{96, 0, 0});
}

// In the first warp, half of the lanes read memory that the host may have written. This must not
// hide a finding in the second warp.
__global__ void half_managed_kernel(const float* device, const float* managed, float* out) {
  const float* const from = threadIdx.x < 16 ? managed : device;
  out[threadIdx.x] = from[threadIdx.x];
}

TEST_F(WarpsInTurn, HostMemoryInOneWarpHidesNothingInTheNext) {
  const DeviceBuffer<float> d_unwritten(64);
  float* managed = nullptr;
  CUDA_CHECK(cudaMallocManaged(&managed, 64 * sizeof(float)));
  CUDA_CHECK(cudaMemset(managed, 0, 64 * sizeof(float)));
  half_managed_kernel<<<1, 64>>>(d_unwritten.data(), managed, d_out.data());
  EXPECT_EQ(only_finding().count, 32u);  // the second warp's
  CUDA_CHECK(cudaFree(managed));
}

// Half of each warp reads one row, the other half the next row; each warp reads two rows.
__global__ void two_rows_kernel(const float* in, float* out) {
  const unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * 2 + lane / 16;
  out[threadIdx.x] = in[row * 64 + lane % 16];
}
constexpr int kTwoRowsLine = __LINE__ - 2;

TEST_F(WarpsInTurn, OneRangeOfALaterWarpIsUnwritten) {
  DeviceBuffer<float> d_rows(16 * 64);
  CUDA_CHECK(cudaMemset(d_rows.data(), 0, 15 * 64 * sizeof(float)));
  two_rows_kernel<<<1, kThreads>>>(d_rows.data(), d_out.data());
  const Finding finding = expect_one_place("uninitialised", "element 960 of 1024", kTwoRowsLine,
                                           "load", Index{kThreads - 16, 0, 0});
  EXPECT_EQ(finding.count, 16u);
}

// Two warps of each block store to the same words; each word gets one store from each warp.
__global__ void permuted_store_kernel(float* out) {
  __shared__ float words[32];
  words[threadIdx.x * 5 % 32] = 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x % 32];
}

TEST_F(WarpsInTurn, RaceOnWordsOfOneLanePerWarp) {
  permuted_store_kernel<<<kBlocks, 64>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_EQ(finding.count, 32u * kBlocks);
}

// Two lanes of a warp store to one word; each warp has its own words.
__global__ void shared_word_kernel(float* out) {
  __shared__ float words[kThreads];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  words[warp * 32 + lane / 2] = 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[warp * 32 + lane / 2];
}

TEST_F(WarpsInTurn, RaceWithinEachWarp) {
  shared_word_kernel<<<kBlocks, kThreads>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_EQ(finding.count, 16u * kWarps * kBlocks);
}

// A barrier in a loop: each iteration starts after it, with an array of its own.
__global__ void phases_kernel(const float* in, float* out, int turns) {
  __shared__ float row[kThreads];
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    row[threadIdx.x] = in[turn * kThreads + static_cast<int>(threadIdx.x)];
    __syncthreads();
    sum += row[kThreads - 1 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

TEST_F(WarpsInTurn, ReturnToOneBarrier) {
  const auto launch = [&] { phases_kernel<<<kBlocks, kThreads>>>(d_in.data(), d_out.data(), 16); };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load, launch),
            (Cost{16 * kWarps * kBlocks, 16 * kThreads * kBlocks, 16 * 4 * kWarps * kBlocks}));
  EXPECT_EQ(cost_of(MemorySpace::shared, AccessKind::load, launch),
            (Cost{16 * kWarps * kBlocks, 16 * kThreads * kBlocks, 16 * kWarps * kBlocks}));
}

// More than 200 million steps of one thread, which only computes: it is not an endless loop.
__global__ void long_computing_kernel(unsigned* out, unsigned turns) {
  unsigned x = 1;
  for (unsigned i = 0; i < turns; ++i) x = x & 1 ? x * 1664525 + 1 : x * 22695477 + 3;
  *out = x;
}

TEST_F(WarpsInTurn, CanComputeForSeconds) {
  DeviceBuffer<unsigned> d_number(1);
  long_computing_kernel<<<1, 1>>>(d_number.data(), 110'000'000);
  expect_nothing_found();
}

// The wait loop of a racy program: each thread waits for a value that is never stored. In each
// iteration some lanes diverge and meet the others again: replaying that must not need more stack.
__global__ void wait_for_neighbours_kernel(volatile unsigned char* state, int size) {
  bool is_missing = true;
  while (is_missing) {
    is_missing = false;
    for (int v = static_cast<int>(threadIdx.x); v < size; v += static_cast<int>(blockDim.x)) {
      const unsigned char own = state[v];
      if (own % 2 == 0) continue;
      int i = v;
      while (i < v + 3 && own >= state[i % size]) ++i;
      if (i < v + 3) {
        is_missing = true;
      } else {
        for (int j = v + 1; j < v + 3; ++j) state[j % size] = 0;
        state[v] = 254;
      }
    }
  }
}

TEST_F(WarpsInTurn, WaitForEachOtherForever) {
  std::vector<unsigned char> h_state(20000);
  for (std::size_t i = 0; i < h_state.size(); ++i)
    h_state[i] = static_cast<unsigned char>(i * 2654435761u >> 24 | 1);
  DeviceBuffer<unsigned char> d_state(h_state);
  wait_for_neighbours_kernel<<<1, 256>>>(d_state.data(), 20000);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);  // after millions of races
  for (const Finding& finding : take_findings()) EXPECT_EQ(finding.kind, "race");
}

// 32,764 bytes of parameters, the limit since CUDA 12.1.
struct ManyNumbers {
  int number[8189];
};

__global__ void many_parameters_kernel(ManyNumbers numbers, int* out) {
  out[threadIdx.x] = numbers.number[threadIdx.x * 256];
}

TEST_F(WarpsInTurn, Take32KbOfParameters) {
  static ManyNumbers numbers;
  for (int i = 0; i < 8189; ++i) numbers.number[i] = i;
  DeviceBuffer<int> d_numbers(32);
  many_parameters_kernel<<<1, 32>>>(numbers, d_numbers.data());
  EXPECT_EQ(d_numbers.to_host()[31], 31 * 256);
  expect_nothing_found();
}

}  // namespace
