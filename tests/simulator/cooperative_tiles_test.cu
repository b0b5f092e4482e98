#include "tests/simulator/each_thread.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// Tiles of a block: their ranks and sizes, the threads for which they wait, and their exchanges.

namespace cg = cooperative_groups;

namespace {

class Tile : public DeviceTest {};
class TileExchange : public DeviceTest {};

// The value of operation(rank in the block) for each thread of one block.
template <typename T, typename Operation>
std::vector<T> of_each_thread(int threads, Operation operation) {
  return output_of<T>(static_cast<std::size_t>(threads),
                      [=](T* out) { of_each_thread_kernel<<<1, threads>>>(out, operation); });
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

// ---- Exchanges between the members of a tile ----

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

// Votes of 8 members of a tile: those of rank 2 and more, none, all.
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

}  // namespace
