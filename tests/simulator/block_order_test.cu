#include "execution/block_order.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

// The environment sets the order of the blocks, and every order has every block once.

namespace {

using cuda_simulator::BlockOrder;

BlockOrder order_of(const std::string& text) {
  const auto order = BlockOrder::parse(text);
  EXPECT_TRUE(order) << text;
  return order.value_or(*BlockOrder::parse("forward"));
}

std::vector<std::uint64_t> blocks_in(const std::string& order, std::uint64_t count) {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t n = 0; n < count; ++n) blocks.push_back(order_of(order).block_at(n, count));
  return blocks;
}

TEST(BlockOrder, ForwardAndReverse) {
  EXPECT_EQ(blocks_in("forward", 4), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(blocks_in("reverse", 4), (std::vector<std::uint64_t>{3, 2, 1, 0}));
}

TEST(BlockOrder, TheThreadsOfABlockAreInReverseToo) {
  for (const char* order : {"forward", "5"}) EXPECT_EQ(order_of(order).thread_at(2, 40), 2);
  EXPECT_EQ(order_of("reverse").thread_at(0, 40), 39);
  EXPECT_EQ(order_of("reverse").thread_at(39, 40), 0);
}

TEST(BlockOrder, ShuffledHasEveryBlockOnce) {
  for (const char* seed : {"0", "1", "18446744073709551615"}) {
    for (const std::uint64_t count : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000}) {
      std::vector<std::uint64_t> blocks = blocks_in(seed, count), all(count);
      std::iota(all.begin(), all.end(), 0);
      std::sort(blocks.begin(), blocks.end());
      EXPECT_EQ(blocks, all) << "seed " << seed << ", " << count << " blocks";
    }
  }
}

TEST(BlockOrder, ShuffledDependsOnTheSeedAlone) {
  EXPECT_EQ(blocks_in("7", 100), blocks_in("7", 100));
  EXPECT_NE(blocks_in("7", 100), blocks_in("8", 100));
  EXPECT_NE(blocks_in("7", 100), blocks_in("forward", 100));
}

TEST(BlockOrder, ShuffledIsFarFromSorted) {  // about half of 999 steps go up
  const auto blocks = blocks_in("1", 1000);
  int up = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) up += blocks[i - 1] < blocks[i];
  EXPECT_GT(up, 400);
  EXPECT_LT(up, 600);
}

TEST(BlockOrder, OfTheLargestGrid) {
  const std::uint64_t count = std::uint64_t{2147483647} * 65535 * 65535;
  for (const char* text : {"forward", "reverse", "3"}) {
    for (const std::uint64_t position : {std::uint64_t{0}, count / 2, count - 1}) {
      EXPECT_LT(order_of(text).block_at(position, count), count) << text;
    }
  }
}

TEST(BlockOrder, NonsenseIsNotAnOrder) {
  for (const char* text : {"", "backwards", "Reverse", "-1", "1.5", "0x10", "7 ", " 7", "1e3",
                           "18446744073709551616"}) {
    EXPECT_FALSE(BlockOrder::parse(text)) << "'" << text << "'";
  }
}

// ---- In a launch ----

__global__ void record_kernel(unsigned* tickets, unsigned* blocks) {
  if (threadIdx.x == 0) blocks[atomicAdd(tickets, 1u)] = blockIdx.y * gridDim.x + blockIdx.x;
}

// Writes the blocks of a grid to stderr, in the order in which they ran on one OS thread.
void print_blocks(const char* order, dim3 grid) {
  setenv("CUDA_SIMULATOR_THREADS", "1", 1);
  if (order) setenv("CUDA_SIMULATOR_BLOCK_ORDER", order, 1);
  DeviceBuffer<unsigned> d_tickets(std::vector<unsigned>{0}), d_blocks(grid.x * grid.y);
  record_kernel<<<grid, 32>>>(d_tickets.data(), d_blocks.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  for (const unsigned block : d_blocks.to_host()) std::fprintf(stderr, "%u ", block);
  std::fprintf(stderr, "end\n");
}

// Each order has a process of its own, because the environment is read only once.
class BlockOrderDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(BlockOrderDeathTest, IsForwardUnlessSet) {
  EXPECT_EXIT((print_blocks(nullptr, dim3(5)), std::exit(0)), testing::ExitedWithCode(0),
              "^0 1 2 3 4 end");
}

TEST_F(BlockOrderDeathTest, Forward) {
  EXPECT_EXIT((print_blocks("forward", dim3(5)), std::exit(0)), testing::ExitedWithCode(0),
              "^0 1 2 3 4 end");
}

TEST_F(BlockOrderDeathTest, Reverse) {
  EXPECT_EXIT((print_blocks("reverse", dim3(3, 2)), std::exit(0)), testing::ExitedWithCode(0),
              "^5 4 3 2 1 0 end");
}

__global__ void record_threads_kernel(unsigned* tickets, unsigned* threads) {
  __syncwarp();
  threads[atomicAdd(tickets, 1u)] = threadIdx.x;
  __syncthreads();
  threads[atomicAdd(tickets, 1u)] = threadIdx.x;
}

// Also behind a barrier.
TEST_F(BlockOrderDeathTest, ReverseStartsTheLastWarpFirstAndKeepsWarpsTogether) {
  const auto print_warps = [] {
    setenv("CUDA_SIMULATOR_BLOCK_ORDER", "reverse", 1);
    DeviceBuffer<unsigned> d_tickets(std::vector<unsigned>{0}), d_threads(144);
    record_threads_kernel<<<1, 72>>>(d_tickets.data(), d_threads.data());
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<unsigned> threads = d_threads.to_host();
    for (const int at : {0, 7, 8, 39, 40, 71, 72, 79, 80, 111, 112, 143})
      std::fprintf(stderr, "%u ", threads[at] / 32);
    std::fprintf(stderr, "end\n");
  };
  EXPECT_EXIT((print_warps(), std::exit(0)), testing::ExitedWithCode(0),
              "^2 2 1 1 0 0 2 2 1 1 0 0 end");
}

TEST_F(BlockOrderDeathTest, Shuffled) {
  std::string expected = "^";
  for (const std::uint64_t block : blocks_in("11", 6)) expected += std::to_string(block) + " ";
  EXPECT_EXIT((print_blocks("11", dim3(3, 2)), std::exit(0)), testing::ExitedWithCode(0),
              expected + "end");
}

TEST_F(BlockOrderDeathTest, NonsenseEndsTheProgram) {
  EXPECT_EXIT(print_blocks("backwards", dim3(5)), testing::ExitedWithCode(2),
              "CUDA_SIMULATOR_BLOCK_ORDER is 'backwards'; it must be forward, reverse, or an "
              "integer");
}

// Blocks that take their number from a counter do the same work in every order.
__global__ void by_ticket_kernel(unsigned* tickets, int* out) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1u);
  __syncthreads();
  const unsigned i = ticket * blockDim.x + threadIdx.x;
  out[i] = 3 * static_cast<int>(i);
}

void check_tickets(const char* order) {
  setenv("CUDA_SIMULATOR_BLOCK_ORDER", order, 1);
  DeviceBuffer<unsigned> d_tickets(std::vector<unsigned>{0});
  DeviceBuffer<int> d_out(50 * 32);
  by_ticket_kernel<<<50, 32>>>(d_tickets.data(), d_out.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> out = d_out.to_host();
  for (int i = 0; i < 50 * 32; ++i) {
    if (out[static_cast<std::size_t>(i)] != 3 * i) std::exit(3);
  }
  std::exit(0);
}

TEST_F(BlockOrderDeathTest, TicketsWorkInEveryOrder) {
  for (const char* order : {"forward", "reverse", "1", "2"}) {
    EXPECT_EXIT(check_tickets(order), testing::ExitedWithCode(0), "") << order;
  }
}

}  // namespace
