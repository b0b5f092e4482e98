#include "tests/simulator/rows_of_values.h"
#include "tests/support/device_test.h"

#include <vector>

// Shuffles, votes, matches and reductions among the lanes of a warp. Each lane has its own rows.

namespace {

class Warp : public DeviceTest {};

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kRowsOfALane = 60;

__global__ void shuffles_kernel(Row* out) {
  Rows row(out + kRowsOfALane * threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x), mine = 100 + lane;
  row(__shfl_sync(kAllLanes, mine, given(5)), 105);
  row(__shfl_sync(kAllLanes, mine, given(5), given(8)), 100 + lane / 8 * 8 + 5);
  row(__shfl_sync(kAllLanes, mine, given(5), given(16)), 100 + lane / 16 * 16 + 5);
  // The source lane is taken modulo the width.
  row(__shfl_sync(kAllLanes, mine, lane + 1, given(32)), 100 + (lane + 1) % 32);
  row(__shfl_sync(kAllLanes, mine, lane + 1, given(8)), 100 + lane / 8 * 8 + (lane + 1) % 8);
  row(__shfl_sync(kAllLanes, mine, given(-1), given(16)), 100 + lane / 16 * 16 + 15);

  // The first lanes of a segment keep their value, then the last ones.
  row(__shfl_up_sync(kAllLanes, mine, given(3u), given(32)), lane < 3 ? mine : mine - 3);
  row(__shfl_up_sync(kAllLanes, mine, given(3u), given(8)), lane % 8 < 3 ? mine : mine - 3);
  row(__shfl_up_sync(kAllLanes, mine, given(1u), given(16)), lane % 16 < 1 ? mine : mine - 1);
  row(__shfl_down_sync(kAllLanes, mine, given(3u), given(32)), lane < 29 ? mine + 3 : mine);
  row(__shfl_down_sync(kAllLanes, mine, given(3u), given(8)), lane % 8 < 5 ? mine + 3 : mine);
  row(__shfl_down_sync(kAllLanes, mine, given(16u), given(16)), mine);

  row(__shfl_xor_sync(kAllLanes, mine, given(1), given(32)), 100 + (lane ^ 1));
  row(__shfl_xor_sync(kAllLanes, mine, given(31), given(32)), 131 - lane);
  row(__shfl_xor_sync(kAllLanes, mine, given(5), given(8)), 100 + (lane ^ 5));
  // A lane can read an earlier segment, not a later one (CUDA Programming Guide, __shfl_xor_sync).
  row(__shfl_xor_sync(kAllLanes, mine, given(16), given(16)), lane < 16 ? mine : 100 + (lane ^ 16));
  row(__shfl_xor_sync(kAllLanes, mine, given(8), given(8)),
      100 + ((lane & 8) != 0 ? lane ^ 8 : lane));

  const auto reversed = [&](auto first, auto step) {
    using T = decltype(first);
    const auto of = [=](int i) { return static_cast<T>(first + step * static_cast<T>(i)); };
    row(__shfl_sync(kAllLanes, of(lane), 31 - lane), of(31 - lane));
  };
  reversed(-5, 3);
  reversed(4000000000u, 1u);
  reversed(-1l, 1l << 40);
  reversed(~0ul - 100, 1ul);
  reversed(-1ll, 1ll << 40);
  reversed(~0ull - 100, 1ull);
  reversed(-0.5f, 0.25f);
  reversed(-0.5, 0x1p300);

  // Masks keep groups apart.
  int of_group = 0;
  if (lane < 8) {
    of_group = __shfl_sync(0x000000ffu, mine, 3);
  } else {
    of_group = __shfl_sync(0xffffff00u, mine, 30);
  }
  row(of_group, lane < 8 ? 103 : 130);
}

__global__ void sums_of_each_warp_kernel(Row* out) {
  Rows row(out + 3 * threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x % 32);
  row(__activemask(), kAllLanes);
  int sum = lane + 1;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
  row(sum, 32 * 33 / 2);
  int scan = 1;
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const int below = __shfl_up_sync(kAllLanes, scan, delta);
    if (static_cast<unsigned>(lane) >= delta) scan += below;
  }
  row(scan, lane + 1);
}

TEST_F(Warp, Shuffles) {
  expect_rows(__FILE__, [](Row* out) { shuffles_kernel<<<1, 32>>>(out); });
  expect_rows(__FILE__, [](Row* out) { sums_of_each_warp_kernel<<<1, 128>>>(out); });
}

// ---- Votes and matches ----

__global__ void votes_kernel(Row* out) {
  Rows row(out + kRowsOfALane * threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x);
  row(__ballot_sync(kAllLanes, lane % 2 == 0 ? 4 : 0), 0x55555555u);
  row(__all_sync(kAllLanes, lane >= given(0)) != 0, true);
  row(__all_sync(kAllLanes, lane >= given(1)) != 0, false);
  row(__any_sync(kAllLanes, lane >= given(31)) != 0, true);
  row(__any_sync(kAllLanes, lane >= given(32)) != 0, false);

  // Bits 0, 3, 6, ... are 0x49249249; the masks of the other remainders are shifted.
  const auto matched = [&](auto scale) {
    using T = decltype(scale);
    row(__match_any_sync(kAllLanes, static_cast<T>(scale * static_cast<T>(lane % 3))),
        0x49249249u << lane % 3);
  };
  matched(-7);
  matched(7u);
  matched(1ll << 40);
  matched(1ull << 62);
  matched(0.5f);
  matched(1e-300);
  int same = -1;
  row(__match_all_sync(kAllLanes, lane < given(32), &same), kAllLanes);
  row(same != 0, true);
  row(__match_all_sync(kAllLanes, lane < given(31), &same), 0u);
  row(same, 0);

  unsigned of_half = 0;
  if (lane < 16) {
    of_half = __ballot_sync(0x0000ffffu, lane > 3);
  } else {
    of_half = __ballot_sync(0xffff0000u, lane > 30);
  }
  row(of_half, lane < 16 ? 0x0000fff0u : 0x80000000u);
}

__global__ void partial_warp_kernel(Row* out) {
  Rows row(out + threadIdx.x);
  row(__ballot_sync(given(0x1fffu), 1), 0x1fffu);
}

TEST_F(Warp, VotesAndMatches) {
  expect_rows(__FILE__, [](Row* out) { votes_kernel<<<1, 32>>>(out); });
  expect_rows(__FILE__, [](Row* out) { partial_warp_kernel<<<1, 13>>>(out); });
}

__global__ void active_mask_of_odd_lanes_kernel(unsigned* out) {
  if (threadIdx.x % 2 == 0) return;
  const unsigned mask = __activemask();
  out[threadIdx.x] = __ballot_sync(mask, threadIdx.x < 8);
}

TEST_F(Warp, ActiveMaskAfterOtherLanesReturned) {
  const auto ballots = output_of<unsigned>(
      32, [](unsigned* out) { active_mask_of_odd_lanes_kernel<<<1, 32>>>(out); });
  EXPECT_EQ(ballots, generated<unsigned>(32, [](int i) { return i % 2 == 0 ? ~0u : 0xaau; }));
}

// ---- Reductions ----

__global__ void reductions_kernel(Row* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  Rows row(out + kRowsOfALane * threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x), number = lane - 10;  // -10 ... 21: 32 * 11 / 2
  row(__reduce_add_sync(kAllLanes, number), 176);
  row(__reduce_min_sync(kAllLanes, number), -10);
  row(__reduce_max_sync(kAllLanes, number), 21);
  // 2^32 - 16 ... 2^32 - 1 and 0 ... 15: their sum is -16.
  const unsigned wrapped = threadIdx.x - 16;
  row(__reduce_add_sync(kAllLanes, wrapped), 0u - 16);
  row(__reduce_min_sync(kAllLanes, wrapped), 0u);
  row(__reduce_max_sync(kAllLanes, wrapped), ~0u);
  // Each of bits 0 to 4 is set in 7, 7, 6, 6 and 6 lanes, bit 8 in all 32.
  const unsigned bits = 0x100u | (1u << lane % 5);
  row(__reduce_and_sync(kAllLanes, bits), 0x100u);
  row(__reduce_or_sync(kAllLanes, bits), 0x11fu);
  row(__reduce_xor_sync(kAllLanes, bits), 0x003u);
#endif
}

TEST_F(Warp, Reductions) {
  int major = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major < 8) GTEST_SKIP() << "__reduce_add_sync needs compute capability 8.0";
  expect_rows(__FILE__, [](Row* out) { reductions_kernel<<<1, 32>>>(out); });
}

// ---- Ordering within a warp ----

__global__ void exchange_through_memory_kernel(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 3];
}

TEST_F(Warp, SyncwarpOrdersSharedMemory) {
  EXPECT_EQ(output_of<int>(64, [](int* out) { exchange_through_memory_kernel<<<1, 64>>>(out); }),
            generated<int>(64, [](int i) { return i ^ 3; }));
}

__global__ void half_warp_kernel(int* out) {
  __shared__ int values[32];
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = -1;
  if (lane >= 16) {
    values[lane] = 10 * lane;
    __syncwarp(0xffff0000u);
    out[lane] = values[47 - lane];
  }
}

TEST_F(Warp, SyncwarpOfHalfAWarp) {
  EXPECT_EQ(output_of<int>(32, [](int* out) { half_warp_kernel<<<1, 32>>>(out); }),
            generated<int>(32, [](int i) { return i < 16 ? -1 : 10 * (47 - i); }));
}

}  // namespace
