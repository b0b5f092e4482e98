#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

// cg::reduce over tiles and over coalesced lanes.

namespace cg = cooperative_groups;

namespace {

class TileReduce : public DeviceTest {};
class CoalescedReduce : public DeviceTest {};

constexpr int kThreads = 64;

template <unsigned kSize, typename T, typename Operation>
__global__ void reduce_tiles_kernel(const T* in, T* out, Operation operation) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], operation);
}

// Reduces over the lanes of each warp whose bit is set in `lanes`; the others keep their value.
template <typename T, typename Operation>
__global__ void reduce_lanes_kernel(const T* in, T* out, unsigned lanes, Operation operation) {
  out[threadIdx.x] = in[threadIdx.x];
  if (lanes >> threadIdx.x % 32 & 1) {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[threadIdx.x] = cg::reduce(group, in[threadIdx.x], operation);
  }
}

// The order in which CUDA combines a tile's values: pairs across the halves.
template <typename T, typename Operation>
T reduced_tile(std::vector<T> values, Operation operation) {
  for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
    std::vector<T> next(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      next[i] = operation(values[i], values[i ^ half]);
    }
    values = next;
  }
  return values.front();
}

// The order for lanes that are not a tile: a scan, with distances 1, 2, 4 and so on.
template <typename T, typename Operation>
T reduced_lanes(std::vector<T> values, Operation operation) {
  for (std::size_t distance = 1; distance < values.size(); distance *= 2) {
    std::vector<T> next = values;
    for (std::size_t i = distance; i < values.size(); ++i) {
      next[i] = operation(values[i], values[i - distance]);
    }
    values = next;
  }
  return values.back();
}

// Numbers of both signs and, if they are floating-point, of very different sizes, so that the order
// changes a sum.
template <typename T>
std::vector<T> irregular() {
  std::vector<T> values;
  for (int i = 0; i < kThreads; ++i) {
    const int number = i * 29 % 31 - 15;
    if (std::is_integral_v<T>) {
      values.push_back(static_cast<T>(1000 * number + i));
    } else {
      values.push_back(static_cast<T>((i % 5 == 0 ? 1e7 : 0.37) * number + i));
    }
  }
  return values;
}

template <unsigned kSize, typename T, typename DeviceOperation, typename Operation>
void expect_tiles_reduced(DeviceOperation device_operation, Operation operation) {
  const std::vector<T> in = irregular<T>();
  const DeviceBuffer<T> d_in(in);
  const auto out = output_of<T>(kThreads, [&](T* d_out) {
    reduce_tiles_kernel<kSize><<<1, kThreads>>>(d_in.data(), d_out, device_operation);
  });
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / kSize * kSize);
    EXPECT_EQ(out[i], reduced_tile(std::vector<T>(first, first + kSize), operation))
        << "tiles of " << kSize << ", thread " << i;
  }
}

template <typename T, typename DeviceOperation, typename Operation>
void expect_reduced(DeviceOperation device_operation, Operation operation) {
  expect_tiles_reduced<1, T>(device_operation, operation);
  expect_tiles_reduced<2, T>(device_operation, operation);
  expect_tiles_reduced<8, T>(device_operation, operation);
  expect_tiles_reduced<32, T>(device_operation, operation);

  const std::vector<T> in = irregular<T>();
  const DeviceBuffer<T> d_in(in);
  for (const unsigned lanes : {0x1u, 0x80000001u, 0x5a5a1234u, 0x7fffffffu, 0xffffffffu}) {
    const auto out = output_of<T>(kThreads, [&](T* d_out) {
      reduce_lanes_kernel<<<1, kThreads>>>(d_in.data(), d_out, lanes, device_operation);
    });
    for (std::size_t warp = 0; warp < kThreads / 32; ++warp) {
      std::vector<T> members;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        if (lanes >> lane & 1) members.push_back(in[32 * warp + lane]);
      }
      const T expected = members.size() == 32 ? reduced_tile(members, operation)
                                              : reduced_lanes(members, operation);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t i = 32 * warp + lane;
        EXPECT_EQ(out[i], lanes >> lane & 1 ? expected : in[i])
            << "lanes " << std::hex << lanes << ", thread " << std::dec << i;
      }
    }
  }
}

template <typename T>
void expect_sum_and_extremes() {
  expect_reduced<T>(cg::plus<T>(), [](T a, T b) { return static_cast<T>(a + b); });
  expect_reduced<T>(cg::less<T>(), [](T a, T b) { return std::min(a, b); });
  expect_reduced<T>(cg::greater<T>(), [](T a, T b) { return std::max(a, b); });
}

template <typename T>
void expect_bits() {
  expect_reduced<T>(cg::bit_and<T>(), [](T a, T b) { return static_cast<T>(a & b); });
  expect_reduced<T>(cg::bit_or<T>(), [](T a, T b) { return static_cast<T>(a | b); });
  expect_reduced<T>(cg::bit_xor<T>(), [](T a, T b) { return static_cast<T>(a ^ b); });
}

TEST_F(TileReduce, SumsAndExtremesOfInt) { expect_sum_and_extremes<int>(); }
TEST_F(TileReduce, SumsAndExtremesOfUnsigned) { expect_sum_and_extremes<unsigned>(); }
TEST_F(TileReduce, SumsAndExtremesOfLongLong) { expect_sum_and_extremes<long long>(); }
TEST_F(TileReduce, SumsAndExtremesOfUnsignedLongLong) {
  expect_sum_and_extremes<unsigned long long>();
}
TEST_F(TileReduce, SumsAndExtremesOfFloat) { expect_sum_and_extremes<float>(); }
TEST_F(TileReduce, SumsAndExtremesOfDouble) { expect_sum_and_extremes<double>(); }
TEST_F(TileReduce, BitsOfInt) { expect_bits<int>(); }
TEST_F(TileReduce, BitsOfUnsigned) { expect_bits<unsigned>(); }
TEST_F(TileReduce, BitsOfLongLong) { expect_bits<long long>(); }
TEST_F(TileReduce, BitsOfUnsignedLongLong) { expect_bits<unsigned long long>(); }

struct Extremes {
  float least, greatest;
  int count;
};

struct JoinExtremes {
  __device__ Extremes operator()(const Extremes& a, const Extremes& b) const {
    return {fminf(a.least, b.least), fmaxf(a.greatest, b.greatest), a.count + b.count};
  }
};

__global__ void extremes_kernel(const float* in, Extremes* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const Extremes own{in[threadIdx.x], in[threadIdx.x], 1};
  out[threadIdx.x] = cg::reduce(warp, own, JoinExtremes{});
}

TEST_F(TileReduce, OfAStructureWithACustomOperation) {
  const std::vector<float> in = irregular<float>();
  const DeviceBuffer<float> d_in(in);
  const auto out = output_of<Extremes>(
      kThreads, [&](Extremes* d_out) { extremes_kernel<<<1, kThreads>>>(d_in.data(), d_out); });
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    EXPECT_EQ(out[i].least, *std::min_element(first, first + 32));
    EXPECT_EQ(out[i].greatest, *std::max_element(first, first + 32));
    EXPECT_EQ(out[i].count, 32);
  }
}

__global__ void store_sums_kernel(int* sums) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::reduce_store_async(tile, &sums[tile.meta_group_rank()], static_cast<int>(threadIdx.x),
                         cg::plus<int>());
}

TEST_F(TileReduce, IsStoredByOneMember) {  // 16 t ... 16 t + 15: 256 t + 120
  EXPECT_EQ(output_of<int>(4, [](int* out) { store_sums_kernel<<<1, 64>>>(out); }),
            generated<int>(4, [](int i) { return 256 * i + 120; }));
}

}  // namespace
