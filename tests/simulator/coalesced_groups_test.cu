#include "tests/simulator/each_thread.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// Groups of lanes that reach a line together, and parts of groups.

namespace cg = cooperative_groups;

namespace {

class CoalescedGroup : public DeviceTest {};
class Partition : public DeviceTest {};

// The value of operation(rank in the block) for each thread of one block.
template <typename T, typename Operation>
std::vector<T> of_each_thread(int threads, Operation operation) {
  return output_of<T>(static_cast<std::size_t>(threads),
                      [=](T* out) { of_each_thread_kernel<<<1, threads>>>(out, operation); });
}

// ---- Lanes that reach a line together ----

// Lanes 1, 4, 7, ... 31 of each warp: 11 of them.
struct OfEveryThirdLane {
  __device__ Five operator()(unsigned thread) const {
    if (thread % 32 % 3 != 1) return five(0, 0, 0, 0, 0);
    const cg::coalesced_group group = cg::coalesced_threads();
    return five(group.thread_rank(), group.size(), group.shfl(thread, 2), group.shfl_up(thread, 4),
                group.shfl_down(thread, 4));
  }
};

TEST_F(CoalescedGroup, RanksAndShuffles) {
  const auto values = of_each_thread<Five>(64, OfEveryThirdLane{});
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned warp = i & ~31u, rank = i % 32 / 3;
    if (i % 32 % 3 != 1) continue;
    EXPECT_TRUE(values[i] ==
                (Five{{rank, 11, warp + 7, rank < 4 ? i : i - 12, rank < 7 ? i + 12 : i}}))
        << i;
  }
}

struct VotesOfEveryThirdLane {
  __device__ Five operator()(unsigned thread) const {
    if (thread % 3 != 1) return five(0, 0, 0, 0, 0);
    const cg::coalesced_group group = cg::coalesced_threads();
    int all_same = -1;
    const unsigned same = group.match_all(5.0f, all_same);
    return five(group.ballot(group.thread_rank() >= 9), group.any(thread == 31),
                group.all(thread > 1), group.match_any(group.thread_rank() / 4),
                all_same == 0 ? 0 : same);
  }
};

TEST_F(CoalescedGroup, Votes) {
  const auto values = of_each_thread<Five>(32, VotesOfEveryThirdLane{});
  for (unsigned i = 1; i < 32; i += 3) {
    const unsigned rank = i / 3, quad = rank / 4;
    EXPECT_TRUE(values[i] == (Five{{0x600, 1, 0, (quad == 2 ? 0x7u : 0xfu) << 4 * quad, 0x7ff}}))
        << i;
  }
}

// One atomic function for all lanes that have something to add.
__global__ void keep_positive_kernel(const int* in, int size, int* kept, int* count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size && in[i] > 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
    kept[group.shfl(first, 0) + static_cast<int>(group.thread_rank())] = in[i];
  }
}

TEST_F(CoalescedGroup, CountsTogether) {
  const int size = 1000;
  const DeviceBuffer<int> d_in(generated<int>(size, [](int i) { return i * 37 % 101 - 50; }));
  DeviceBuffer<int> d_kept(size), d_count(std::vector<int>{0});
  keep_positive_kernel<<<8, 128>>>(d_in.data(), size, d_kept.data(), d_count.data());

  std::vector<int> expected;
  for (const int value : d_in.to_host()) {
    if (value > 0) expected.push_back(value);
  }
  const int count = d_count.to_host().front();
  ASSERT_EQ(count, static_cast<int>(expected.size()));
  std::vector<int> kept(static_cast<std::size_t>(count));
  CUDA_CHECK(
      cudaMemcpy(kept.data(), d_kept.data(), kept.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(kept.begin(), kept.end());  // warps run in any order
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(kept, expected);
}

struct SizeOfFullWarp {
  __device__ Five operator()(unsigned thread) const {
    const cg::coalesced_group group = cg::coalesced_threads();
    return five(group.thread_rank(), group.size(), group.shfl_down(thread, 1),
                group.ballot(thread % 2 != 0), group.meta_group_size());
  }
};

TEST_F(CoalescedGroup, OfAFullWarp) {
  const auto values = of_each_thread<Five>(64, SizeOfFullWarp{});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_TRUE(values[i] == (Five{{i % 32, 32, i % 32 < 31 ? i + 1 : i, 0xaaaaaaaau, 1}})) << i;
  }
}

// ---- Parts of groups ----

struct PartsOfABlock {
  unsigned size;
  __device__ Five operator()(unsigned) const {
    const cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), size);
    part.sync();
    const cg::thread_group pair = cg::tiled_partition(part, 2);
    pair.sync();
    return five(static_cast<unsigned>(part.thread_rank()), static_cast<unsigned>(part.size()),
                static_cast<unsigned>(pair.thread_rank()), static_cast<unsigned>(pair.size()),
                part.thread_rank() < part.size());
  }
};

TEST_F(Partition, OfABlockAtRunTime) {  // 44 threads: the last part has 12, or 4
  for (const unsigned size : {4u, 8u, 16u, 32u}) {
    const auto numbers = of_each_thread<Five>(44, PartsOfABlock{size});
    for (unsigned i = 0; i < 44; ++i) {
      const unsigned members = std::min(size, 44 - i / size * size);
      EXPECT_TRUE(numbers[i] == (Five{{i % size, members, i % 2, 2, 1}}))
          << size << ", thread " << i;
    }
  }
}

struct PartsOfCoalescedLanes {
  __device__ Five operator()(unsigned thread) const {
    if (thread % 3 != 1) return five(0, 0, 0, 0, 0);
    const cg::coalesced_group group = cg::coalesced_threads();
    const cg::coalesced_group quad = cg::tiled_partition(group, 4);
    return five(quad.thread_rank(), quad.size(), quad.shfl(thread, 0), quad.meta_group_rank(),
                quad.meta_group_size());
  }
};

TEST_F(Partition, OfCoalescedLanes) {  // 11 lanes: 4, 4 and 3
  const auto numbers = of_each_thread<Five>(32, PartsOfCoalescedLanes{});
  for (unsigned i = 1; i < 32; i += 3) {
    const unsigned rank = i / 3, quad = rank / 4;
    EXPECT_TRUE(numbers[i] == (Five{{rank % 4, quad == 2 ? 3u : 4u, 1 + 12 * quad, quad, 3}})) << i;
  }
}

struct PartsByPredicate {
  unsigned limit;
  __device__ Five operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const auto part = cg::binary_partition(tile, tile.thread_rank() >= limit);
    return five(part.thread_rank(), part.size(), part.shfl(thread, 0), part.meta_group_rank(),
                part.meta_group_size());
  }
};

TEST_F(Partition, ByAPredicate) {
  const auto numbers = of_each_thread<Five>(32, PartsByPredicate{5});
  for (unsigned i = 0; i < 32; ++i) {
    const bool late = i % 16 >= 5;
    EXPECT_TRUE(numbers[i] == (Five{{late ? i % 16 - 5 : i % 16, late ? 11u : 5u,
                                     i / 16 * 16 + (late ? 5 : 0), late, 2}}))
        << i;
  }
  for (const Five& whole : of_each_thread<Five>(32, PartsByPredicate{16})) {
    EXPECT_EQ(whole.v[1], 16u);
    EXPECT_EQ(whole.v[4], 1u);
  }
}

struct PartsByLabel {
  __device__ Five operator()(unsigned thread) const {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto part = cg::labeled_partition(warp, static_cast<int>(thread % 32 / 3 % 5));
    return five(part.thread_rank(), part.size(), part.shfl(thread, 0), part.meta_group_rank(),
                part.meta_group_size());
  }
};

// Lanes 0-2 and 15-17 and 30-31 have label 0; 3-5, 18-20 have 1, and so on.
TEST_F(Partition, ByALabel) {
  const auto numbers = of_each_thread<Five>(64, PartsByLabel{});
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned lane = i % 32, label = lane / 3 % 5;
    EXPECT_TRUE(numbers[i] == (Five{{lane / 15 * 3 + lane % 3, label == 0 ? 8u : 6u,
                                     i - lane + 3 * label, label, 5}}))
        << i;
  }
}

}  // namespace
