#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

// Groups of threads: their ranks and sizes, what their members exchange, and what they wait for.

namespace cg = cooperative_groups;

namespace {

class BlockGroup : public DeviceTest {};
class GridGroup : public DeviceTest {};
class Tile : public DeviceTest {};
class TileExchange : public DeviceTest {};
class CoalescedGroup : public DeviceTest {};
class Partition : public DeviceTest {};
class AnyGroup : public DeviceTest {};
class InvokeOne : public DeviceTest {};

template <typename Operation, typename T>
__global__ void of_each_thread_kernel(T* out, Operation operation) {
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = operation(thread);
}

// operation(rank in the block) of each thread of one block.
template <typename T, typename Operation>
std::vector<T> of_each_thread(int threads, Operation operation) {
  return output_of<T>(static_cast<std::size_t>(threads),
                      [=](T* out) { of_each_thread_kernel<<<1, threads>>>(out, operation); });
}

// Five numbers of one thread; a value that no intrinsic can move at once, too.
struct Five {
  unsigned v[5];
  bool operator==(const Five& other) const {
    return std::equal(std::begin(v), std::end(v), std::begin(other.v));
  }
};

__device__ Five five(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e) {
  return {{a, b, c, d, e}};
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

// ---- Tiles ----

template <unsigned kSize>
struct TileNumbers {
  __device__ Five operator()(unsigned) const {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    return five(tile.thread_rank(), tile.size(), tile.num_threads(), tile.meta_group_rank(),
                tile.meta_group_size());
  }
};

template <unsigned kSize>
void expect_tiles_of() {
  const auto numbers = of_each_thread<Five>(96, TileNumbers<kSize>{});
  for (unsigned i = 0; i < 96; ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i % kSize, kSize, kSize, i / kSize, 96 / kSize}}))
        << kSize << ", thread " << i;
  }
}

TEST_F(Tile, RanksOfEverySize) {
  expect_tiles_of<1>();
  expect_tiles_of<2>();
  expect_tiles_of<4>();
  expect_tiles_of<8>();
  expect_tiles_of<16>();
  expect_tiles_of<32>();
}

TEST_F(Tile, RowsOfATwoDimensionalBlock) {
  const auto numbers = output_of<Five>(
      64, [](Five* out) { of_each_thread_kernel<<<1, dim3(16, 4)>>>(out, TileNumbers<16>{}); });
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i % 16, 16, 16, i / 16, 4}})) << i;
  }
}

struct NestedTileNumbers {
  __device__ Five operator()(unsigned) const {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto quad = cg::tiled_partition<4>(warp);
    const auto pair = cg::tiled_partition<2>(quad);
    return five(quad.thread_rank(), quad.meta_group_rank(), quad.meta_group_size(),
                pair.meta_group_rank(), pair.meta_group_size());
  }
};

TEST_F(Tile, OfATile) {
  const auto numbers = of_each_thread<Five>(64, NestedTileNumbers{});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i % 4, i % 32 / 4, 8, i % 4 / 2, 2}})) << i;
  }
}

__device__ Five numbers_of_any_parent(const cg::thread_block_tile<8>& tile) {
  return five(tile.thread_rank(), tile.size(), tile.meta_group_rank(), tile.meta_group_size(),
              static_cast<unsigned>(tile.shfl(100 + static_cast<int>(threadIdx.x), 3)));
}

struct TileOfAnyParent {
  __device__ Five operator()(unsigned) const {
    return numbers_of_any_parent(cg::tiled_partition<8>(cg::this_thread_block()));
  }
};

TEST_F(Tile, ForgetsItsParent) {
  const auto numbers = of_each_thread<Five>(64, TileOfAnyParent{});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_TRUE(numbers[i] == (Five{{i % 8, 8, i / 8, 8, 100 + i / 8 * 8 + 3}})) << i;
  }
}

struct ThisThread {
  __device__ Five operator()(unsigned) const {
    const auto alone = cg::this_thread();
    alone.sync();
    return five(alone.thread_rank(), alone.size(), alone.meta_group_rank(), alone.meta_group_size(),
                static_cast<unsigned>(alone.shfl(static_cast<int>(threadIdx.x), 0)));
  }
};

TEST_F(Tile, OfOneThread) {
  const auto numbers = of_each_thread<Five>(40, ThisThread{});
  for (unsigned i = 0; i < 40; ++i) EXPECT_TRUE(numbers[i] == (Five{{0, 1, 0, 1, i}})) << i;
}

template <unsigned kSize>
__global__ void reverse_in_tile_kernel(int* out) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  int* const own = values + tile.meta_group_rank() * kSize;
  own[tile.thread_rank()] = static_cast<int>(threadIdx.x);
  tile.sync();
  out[threadIdx.x] = own[kSize - 1 - tile.thread_rank()];
}

TEST_F(Tile, SyncOrdersSharedMemory) {
  EXPECT_EQ(output_of<int>(64, [](int* out) { reverse_in_tile_kernel<4><<<1, 64>>>(out); }),
            generated<int>(64, [](int i) { return i ^ 3; }));
  EXPECT_EQ(output_of<int>(64, [](int* out) { reverse_in_tile_kernel<32><<<1, 64>>>(out); }),
            generated<int>(64, [](int i) { return i ^ 31; }));
}

// Half of the tiles work while the others have nothing to do.
__global__ void tiles_apart_kernel(int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int value = -1;
  if (tile.meta_group_rank() % 2 == 1) {
    value = static_cast<int>(threadIdx.x);
    for (int offset = 4; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    value = tile.shfl(value, 0);
  }
  out[threadIdx.x] = value;
}

TEST_F(Tile, WaitsForItsOwnMembersOnly) {  // 8 t ... 8 t + 7: 64 t + 28
  EXPECT_EQ(output_of<int>(64, [](int* out) { tiles_apart_kernel<<<1, 64>>>(out); }),
            generated<int>(64, [](int i) { return i / 8 % 2 == 1 ? 64 * (i / 8) + 28 : -1; }));
}

// ---- What the members of a tile exchange ----

struct Shuffles {
  __device__ Five operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    return five(tile.shfl(thread, 5), tile.shfl(thread, static_cast<int>(tile.thread_rank()) + 1),
                tile.shfl_up(thread, 3), tile.shfl_down(thread, 3), tile.shfl_xor(thread, 6));
  }
};

TEST_F(TileExchange, Shuffles) {
  const auto values = of_each_thread<Five>(64, Shuffles{});
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned first = i & ~7u, rank = i % 8;
    EXPECT_TRUE(values[i] == (Five{{first + 5, first + (rank + 1) % 8, rank < 3 ? i : i - 3,
                                    rank < 5 ? i + 3 : i, i ^ 6}}))
        << i;
  }
}

template <typename T>
struct FromRank1 {
  T first, step;
  __device__ T operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    return tile.shfl(static_cast<T>(first + step * static_cast<T>(thread)), 1);
  }
};

template <typename T>
void expect_number_moved(T first, T step) {
  EXPECT_EQ(of_each_thread<T>(32, FromRank1<T>{first, step}),
            generated<T>(32, [=](int i) { return first + step * static_cast<T>(i / 4 * 4 + 1); }));
}

TEST_F(TileExchange, MovesNumbersOfEverySize) {
  expect_number_moved<signed char>(-20, 3);
  expect_number_moved<short>(-300, 11);
  expect_number_moved<int>(-5, 3);
  expect_number_moved<unsigned>(4000000000u, 1);
  expect_number_moved<long long>(-1, 1ll << 40);
  expect_number_moved<unsigned long long>(~0ull - 100, 1);
  expect_number_moved<float>(-0.5f, 0.25f);
  expect_number_moved<double>(-0.5, 0x1p300);
}

struct Particle {  // 32 bytes, the most that CUDA moves
  double position[3];
  float charge;
  int number;
  bool operator==(const Particle& other) const {
    return std::equal(position, position + 3, other.position) && charge == other.charge &&
           number == other.number;
  }
};

__host__ __device__ Particle particle(int i) {
  return {{0.5 * i, -1.0 * i, 1e-300 * i}, 0.25f * static_cast<float>(i), 7 * i};
}

struct ParticleBelow {
  __device__ Particle operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    return tile.shfl_up(particle(static_cast<int>(thread)), 2);
  }
};
struct FiveAcross {
  __device__ Five operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    return tile.shfl_xor(five(thread, thread + 1, thread + 2, thread + 3, thread + 4), 31);
  }
};

TEST_F(TileExchange, MovesStructures) {
  const auto particles = of_each_thread<Particle>(32, ParticleBelow{});
  for (int i = 0; i < 32; ++i) {
    EXPECT_TRUE(particles[i] == particle(i % 16 < 2 ? i : i - 2)) << i;
  }
  const auto fives = of_each_thread<Five>(32, FiveAcross{});
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned from = 31 - i;
    EXPECT_TRUE(fives[i] == (Five{{from, from + 1, from + 2, from + 3, from + 4}})) << i;
  }
}

// Of the tile's 8 members those of rank 2 and more; nobody; everybody.
struct Votes {
  __device__ Five operator()(unsigned) const {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const bool late = tile.thread_rank() >= 2;
    return five(tile.ballot(late), tile.any(late) != 0, tile.all(late) != 0, tile.any(0) != 0,
                tile.all(1) != 0);
  }
};

TEST_F(TileExchange, Votes) {
  for (const Five& votes : of_each_thread<Five>(64, Votes{})) {
    EXPECT_TRUE(votes == (Five{{0xfc, 1, 0, 0, 1}}));
  }
}

template <typename T>
struct Matches {
  T scale;
  __device__ Five operator()(unsigned thread) const {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int all_same = -1, all_different = -1;
    const unsigned any = tile.match_any(static_cast<T>(scale * static_cast<T>(thread % 4)));
    const unsigned same = tile.match_all(scale, all_same);
    const unsigned different = tile.match_all(static_cast<T>(thread % 4), all_different);
    return five(any, same, different, all_same != 0, all_different != 0);
  }
};

template <typename T>
void expect_matches(T scale) {
  const auto matches = of_each_thread<Five>(64, Matches<T>{scale});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_TRUE(matches[i] == (Five{{0x1111u << i % 4, 0xffff, 0, 1, 0}})) << i;
  }
}

TEST_F(TileExchange, Matches) {
  expect_matches<int>(-3);
  expect_matches<unsigned long long>(1ull << 40);
  expect_matches<float>(0.5f);
  expect_matches<double>(1e-200);
}

// ---- Lanes that come to a place together ----

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
  std::sort(kept.begin(), kept.end());  // warps come in any order
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
