#include "tests/simulator/each_thread.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

// Groups of threads: blocks, grids, and functions for any group. Their ranks and sizes, and the
// threads for which they wait.

namespace cg = cooperative_groups;

namespace {

class BlockGroup : public DeviceTest {};
class GridGroup : public DeviceTest {};
class AnyGroup : public DeviceTest {};
class InvokeOne : public DeviceTest {};

// The value of operation(rank in the block) for each thread of one block.
template <typename T, typename Operation>
std::vector<T> of_each_thread(int threads, Operation operation) {
  return output_of<T>(static_cast<std::size_t>(threads),
                      [=](T* out) { of_each_thread_kernel<<<1, threads>>>(out, operation); });
}

// ---- Blocks and grids ----

struct BlockNumbers {
  __device__ Five operator()(unsigned) const {
    const cg::thread_block block = cg::this_thread_block();
    return five(block.thread_rank(), block.size(), block.num_threads(), block.group_index().z,
                block.thread_index().y);
  }
};

TEST_F(BlockGroup, RanksRunAlongX) {
  const dim3 grid(1, 2, 3), threads(5, 4, 3);
  const auto numbers = output_of<Five>(
      6 * 60, [=](Five* out) { of_each_thread_kernel<<<grid, threads>>>(out, BlockNumbers{}); });
  for (unsigned i = 0; i < numbers.size(); ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i % 60, 60, 60, i / 60 / 2, i % 20 / 5}})) << i;
  }
}

struct BlockExtents {
  __device__ Five operator()(unsigned) const {
    const cg::thread_block block = cg::this_thread_block();
    return five(block.dim_threads().x, block.dim_threads().y, block.dim_threads().z,
                block.group_dim().y, block.group_index().x);
  }
};

TEST_F(BlockGroup, ExtentsAreTheBlocks) {
  const auto numbers = output_of<Five>(
      2 * 24, [](Five* out) { of_each_thread_kernel<<<2, dim3(2, 3, 4)>>>(out, BlockExtents{}); });
  EXPECT_TRUE(numbers.front() == (Five{{2, 3, 4, 3, 0}}));
  EXPECT_TRUE(numbers.back() == (Five{{2, 3, 4, 3, 1}}));
}

template <bool kSplit>
__global__ void reverse_in_block_kernel(int* out) {
  __shared__ int values[100];
  cg::thread_block block = cg::this_thread_block();
  values[block.thread_rank()] = static_cast<int>(threadIdx.x);
  if (kSplit) {
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
  } else {
    block.sync();
  }
  out[threadIdx.x] = values[99 - block.thread_rank()];
}

TEST_F(BlockGroup, SyncOrdersSharedMemory) {
  const auto reversed = generated<int>(100, [](int i) { return 99 - i; });
  EXPECT_EQ(output_of<int>(100, [](int* out) { reverse_in_block_kernel<false><<<1, 100>>>(out); }),
            reversed);
  EXPECT_EQ(output_of<int>(100, [](int* out) { reverse_in_block_kernel<true><<<1, 100>>>(out); }),
            reversed);
}

struct GridNumbers {
  __device__ Five operator()(unsigned) const {
    const cg::grid_group grid = cg::this_grid();
    return five(static_cast<unsigned>(grid.thread_rank()), static_cast<unsigned>(grid.size()),
                static_cast<unsigned>(grid.block_rank()), static_cast<unsigned>(grid.num_blocks()),
                grid.is_valid());
  }
};

TEST_F(GridGroup, RanksRunFromBlockToBlock) {
  const auto numbers = output_of<Five>(12 * 6, [](Five* out) {
    of_each_thread_kernel<<<dim3(2, 3, 2), dim3(3, 2)>>>(out, GridNumbers{});
  });
  for (unsigned i = 0; i < numbers.size(); ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i, 72, i / 6, 12, 0}})) << i;
  }
}

struct GridIndices {
  __device__ Five operator()(unsigned) const {
    const cg::grid_group grid = cg::this_grid();
    return five(grid.thread_index().x, grid.thread_index().y, grid.dim_threads().y,
                grid.block_index().y, grid.group_dim().x);
  }
};

TEST_F(GridGroup, IndicesAreOfTheWholeGrid) {
  const auto numbers = output_of<Five>(6 * 6, [](Five* out) {
    of_each_thread_kernel<<<dim3(2, 3), dim3(3, 2)>>>(out, GridIndices{});
  });
  EXPECT_TRUE(numbers.front() == (Five{{0, 0, 6, 0, 2}}));
  EXPECT_TRUE(numbers.back() == (Five{{5, 5, 6, 2, 2}}));
}

// ---- Functions for any group ----

template <typename Group>
__device__ Five rank_and_size(const Group& group) {
  cg::sync(group);
  return five(static_cast<unsigned>(cg::thread_rank(group)), static_cast<unsigned>(group.size()), 0,
              0, 0);
}

struct RanksInEach {
  __device__ Five operator()(unsigned) const {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<4>(block);
    const cg::thread_group erased_block = block, erased_tile = tile;
    const Five in_block = rank_and_size(block), in_tile = rank_and_size(tile);
    const Five in_erased_block = rank_and_size(erased_block);
    const Five in_erased_tile = rank_and_size(erased_tile);
    const bool same = in_block.v[0] == in_erased_block.v[0] &&
                      in_tile.v[0] == in_erased_tile.v[0] &&
                      in_block.v[1] == in_erased_block.v[1] && in_tile.v[1] == in_erased_tile.v[1];
    return five(in_block.v[0], cg::group_size(block), in_tile.v[0], cg::group_size(tile), same);
  }
};

TEST_F(AnyGroup, RankAndSize) {
  const auto numbers = of_each_thread<Five>(40, RanksInEach{});
  for (unsigned i = 0; i < 40; ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i, 40, i % 4, 4, 1}})) << i;
  }
}

__device__ int sum_in_shared_memory(const cg::thread_group& group, int* values, int value) {
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  values[rank] = value;
  for (unsigned half = static_cast<unsigned>(group.size()) / 2; half > 0; half /= 2) {
    group.sync();
    if (rank < half) values[rank] += values[rank + half];
  }
  group.sync();
  return values[0];
}

__global__ void sums_of_groups_kernel(int* out) {
  __shared__ int values[128];
  const auto block = cg::this_thread_block();
  const int thread = static_cast<int>(threadIdx.x);
  const int of_block = sum_in_shared_memory(block, values, thread);
  block.sync();
  const auto warp = cg::tiled_partition<32>(block);
  out[thread] = of_block + 10000 * sum_in_shared_memory(warp, values + 32 * warp.meta_group_rank(),
                                                        thread % 32);
}

TEST_F(AnyGroup, SumsOfABlockAndOfAWarp) {
  EXPECT_EQ(output_of<int>(128, [](int* out) { sums_of_groups_kernel<<<1, 128>>>(out); }),
            std::vector<int>(128, 127 * 128 / 2 + 10000 * 31 * 32 / 2));
}

struct CallOfOne {
  unsigned* calls;
  __device__ unsigned operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    cg::invoke_one(
        tile, [this](unsigned count) { atomicAdd(calls, count); }, 3u);
    return cg::invoke_one_broadcast(tile, [=] { return thread / 8 * 100; });
  }
};

TEST_F(InvokeOne, OfEachTile) {
  DeviceBuffer<unsigned> d_calls(std::vector<unsigned>{0});
  EXPECT_EQ(of_each_thread<unsigned>(64, CallOfOne{d_calls.data()}),
            generated<unsigned>(64, [](int i) { return i / 8 * 100; }));
  EXPECT_EQ(d_calls.to_host(), std::vector<unsigned>{8 * 3});
}

}  // namespace
