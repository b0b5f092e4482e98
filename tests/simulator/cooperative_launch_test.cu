#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

// cudaLaunchCooperativeKernel, and the work of its blocks between two syncs of the grid.

namespace cg = cooperative_groups;

namespace {

class CooperativeLaunch : public DeviceTest {};

enum class Sync { member, free, arrive_and_wait };

template <Sync kSync>
__device__ void synchronise(const cg::grid_group& grid) {
  if constexpr (kSync == Sync::member) grid.sync();
  if constexpr (kSync == Sync::free) cg::sync(grid);
  if constexpr (kSync == Sync::arrive_and_wait) grid.barrier_wait(grid.barrier_arrive());
}

// In each round an element becomes the sum of its two neighbours' values of the last round, around
// a ring. The first and the last thread of a block have a neighbour in a different block.
template <Sync kSync>
__global__ void ring_kernel(int* values, int* others, int size, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    if (i < size) others[i] = values[(i + 1) % size] + values[(i + size - 1) % size];
    synchronise<kSync>(grid);
    int* const last = values;
    values = others;
    others = last;
  }
}

std::vector<int> ring_by_hand(std::vector<int> values, int rounds) {
  const std::size_t size = values.size();
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> next(size);
    for (std::size_t i = 0; i < size; ++i)
      next[i] = values[(i + 1) % size] + values[(i + size - 1) % size];
    values.swap(next);
  }
  return values;
}

std::vector<int> counted(int size) {
  std::vector<int> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), -size / 2);
  return values;
}

template <Sync kSync>
void expect_ring(int blocks, int threads, int size, int rounds) {
  const std::vector<int> values = counted(size);
  DeviceBuffer<int> d_values(values), d_others(values.size());
  int *in = d_values.data(), *out = d_others.data();
  void* arguments[] = {&in, &out, &size, &rounds};
  CUDA_CHECK(
      cudaLaunchCooperativeKernel(ring_kernel<kSync>, dim3(blocks), dim3(threads), arguments));
  EXPECT_EQ((rounds % 2 ? d_others : d_values).to_host(), ring_by_hand(values, rounds));
}

TEST_F(CooperativeLaunch, EachRoundUsesTheResultsOfAllBlocks) {
  expect_ring<Sync::member>(7, 48, 7 * 48, 5);
  expect_ring<Sync::free>(3, 64, 3 * 64 - 13, 2);
  expect_ring<Sync::member>(2, 33, 66, 3);
  expect_ring<Sync::arrive_and_wait>(5, 32, 160, 4);
}

TEST_F(CooperativeLaunch, OneBlock) { expect_ring<Sync::member>(1, 100, 100, 6); }

// More threads than the simulator has guarded stacks.
TEST_F(CooperativeLaunch, ManyBlocksOfManyThreads) {
  expect_ring<Sync::member>(264, 96, 264 * 96, 2);
}

// A block's static and dynamic shared memory and a thread's variables keep their values across the
// sync.
__global__ void keep_kernel(int* out) {
  __shared__ int own[40];
  extern __shared__ int more[];
  const cg::grid_group grid = cg::this_grid();
  const int mine = static_cast<int>(1000 * blockIdx.x + threadIdx.x);
  own[threadIdx.x] = mine;
  more[threadIdx.x] = -mine;
  grid.sync();
  const int left = own[(threadIdx.x + 1) % 40], right = more[(threadIdx.x + 39) % 40];
  grid.sync();
  own[threadIdx.x] += left;
  grid.sync();
  out[grid.thread_rank()] = own[threadIdx.x] * 100 + right + mine;
}

TEST_F(CooperativeLaunch, BlocksKeepTheirSharedMemory) {
  const auto out = output_of<int>(6 * 40, [](int* d_out) {
    void* arguments[] = {&d_out};
    CUDA_CHECK(cudaLaunchCooperativeKernel(keep_kernel, dim3(6), dim3(40), arguments,
                                           40 * sizeof(int), nullptr));
  });
  for (int i = 0; i < 6 * 40; ++i) {
    const int block = i / 40, thread = i % 40;
    const auto of = [&](int t) { return 1000 * block + t; };
    EXPECT_EQ(out[static_cast<std::size_t>(i)],
              (of(thread) + of((thread + 1) % 40)) * 100 - of((thread + 39) % 40) + of(thread))
        << i;
  }
}

// Blocks continue in the order of the launch; each has its own barriers and warp functions.
__global__ void votes_kernel(int* out) {
  const cg::grid_group grid = cg::this_grid();
  int sum = __syncthreads_count(threadIdx.x <= blockIdx.x);
  grid.sync();
  sum += __shfl_sync(0xffffffffu, sum, static_cast<int>(blockIdx.x)) * 100;
  grid.sync();
  sum += __syncthreads_or(blockIdx.x == 2) ? 10000 : 0;
  out[grid.thread_rank()] = sum;
}

TEST_F(CooperativeLaunch, BarriersAndWarpFunctionsBetweenTheSyncs) {
  const auto out = output_of<int>(4 * 64, [](int* d_out) {
    void* arguments[] = {&d_out};
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void*)votes_kernel, dim3(4), dim3(64), arguments,
                                           0, nullptr));
  });
  EXPECT_EQ(out, generated<int>(4 * 64, [](int i) {
              const int block = i / 64, count = block + 1;
              return count + count * 100 + (block == 2 ? 10000 : 0);
            }));
}

__global__ void is_valid_kernel(int* out) { out[threadIdx.x] = cg::this_grid().is_valid(); }

// Not called after a launch with <<<...>>>, because CUDA does not define the result there.
TEST_F(CooperativeLaunch, MakesTheGridGroupValid) {
  EXPECT_EQ(output_of<int>(2,
                           [](int* d_out) {
                             void* arguments[] = {&d_out};
                             CUDA_CHECK(cudaLaunchCooperativeKernel(is_valid_kernel, dim3(1),
                                                                    dim3(2), arguments));
                           }),
            (std::vector<int>{1, 1}));
  int is_supported = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&is_supported, cudaDevAttrCooperativeLaunch, 0), cudaSuccess);
  EXPECT_EQ(is_supported, 1);
}

// The maximum number of blocks that fit on the device, and one more.
TEST_F(CooperativeLaunch, TooManyBlocks) {
  int multiprocessors = 0, resident = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, is_valid_kernel, 1024, 0));
  const auto most = static_cast<unsigned>(multiprocessors * resident);
  DeviceBuffer<int> d_out(1024);
  d_out.fill_bytes(0);
  int* out = d_out.data();
  void* arguments[] = {&out};
  EXPECT_EQ(cudaLaunchCooperativeKernel(is_valid_kernel, dim3(most + 1), dim3(1024), arguments),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(d_out.to_host(), std::vector<int>(1024, 0));
}

TEST_F(CooperativeLaunch, AnImpossibleBlockHasTheUsualError) {
  DeviceBuffer<int> d_out(1);
  int* out = d_out.data();
  void* arguments[] = {&out};
  EXPECT_EQ(cudaLaunchCooperativeKernel(is_valid_kernel, dim3(1), dim3(1025), arguments),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

}  // namespace
