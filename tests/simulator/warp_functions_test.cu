#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

// Shuffles, votes, matches and reductions among the lanes of a warp. A lane's value is 100 + its
// number, unless a test uses other values.

namespace {

class Shuffle : public DeviceTest {};
class Vote : public DeviceTest {};
class Match : public DeviceTest {};

class Warp : public DeviceTest {};

constexpr unsigned kAllLanes = 0xffffffffu;

template <typename Operation, typename T>
__global__ void of_each_lane_kernel(T* out, Operation operation) {
  out[threadIdx.x] = operation(static_cast<int>(threadIdx.x % 32));
}

template <typename T, typename Operation>
std::vector<T> of_each_lane(Operation operation, int threads = 32) {
  return output_of<T>(static_cast<std::size_t>(threads),
                      [=](T* out) { of_each_lane_kernel<<<1, threads>>>(out, operation); });
}

struct FromLane {
  int source, width;
  __device__ int operator()(int lane) const {
    return __shfl_sync(kAllLanes, 100 + lane, source, width);
  }
};
struct FromNextLane {
  int width;
  __device__ int operator()(int lane) const {
    return __shfl_sync(kAllLanes, 100 + lane, lane + 1, width);
  }
};
struct Up {
  unsigned delta;
  int width;
  __device__ int operator()(int lane) const {
    return __shfl_up_sync(kAllLanes, 100 + lane, delta, width);
  }
};
struct Down {
  unsigned delta;
  int width;
  __device__ int operator()(int lane) const {
    return __shfl_down_sync(kAllLanes, 100 + lane, delta, width);
  }
};
struct Xor {
  int lane_mask, width;
  __device__ int operator()(int lane) const {
    return __shfl_xor_sync(kAllLanes, 100 + lane, lane_mask, width);
  }
};

TEST_F(Shuffle, BroadcastsOneLane) {
  EXPECT_EQ(of_each_lane<int>(FromLane{5, 32}), std::vector<int>(32, 105));
}

TEST_F(Shuffle, BroadcastsWithinEachSegment) {
  EXPECT_EQ(of_each_lane<int>(FromLane{5, 8}),
            generated<int>(32, [](int i) { return 100 + i / 8 * 8 + 5; }));
  EXPECT_EQ(of_each_lane<int>(FromLane{5, 16}),
            generated<int>(32, [](int i) { return 100 + i / 16 * 16 + 5; }));
}

TEST_F(Shuffle, SourceLaneIsTakenModuloTheWidth) {
  EXPECT_EQ(of_each_lane<int>(FromNextLane{32}),
            generated<int>(32, [](int i) { return 100 + (i + 1) % 32; }));
  EXPECT_EQ(of_each_lane<int>(FromNextLane{8}),
            generated<int>(32, [](int i) { return 100 + i / 8 * 8 + (i + 1) % 8; }));
  EXPECT_EQ(of_each_lane<int>(FromLane{-1, 16}),
            generated<int>(32, [](int i) { return 100 + i / 16 * 16 + 15; }));
}

TEST_F(Shuffle, UpKeepsTheFirstLanesOfASegment) {
  EXPECT_EQ(of_each_lane<int>(Up{3, 32}),
            generated<int>(32, [](int i) { return 100 + (i < 3 ? i : i - 3); }));
  EXPECT_EQ(of_each_lane<int>(Up{3, 8}),
            generated<int>(32, [](int i) { return 100 + (i % 8 < 3 ? i : i - 3); }));
  EXPECT_EQ(of_each_lane<int>(Up{1, 16}),
            generated<int>(32, [](int i) { return 100 + (i % 16 < 1 ? i : i - 1); }));
}

TEST_F(Shuffle, DownKeepsTheLastLanesOfASegment) {
  EXPECT_EQ(of_each_lane<int>(Down{3, 32}),
            generated<int>(32, [](int i) { return 100 + (i < 29 ? i + 3 : i); }));
  EXPECT_EQ(of_each_lane<int>(Down{3, 8}),
            generated<int>(32, [](int i) { return 100 + (i % 8 < 5 ? i + 3 : i); }));
  EXPECT_EQ(of_each_lane<int>(Down{16, 16}), generated<int>(32, [](int i) { return 100 + i; }));
}

TEST_F(Shuffle, XorExchanges) {
  EXPECT_EQ(of_each_lane<int>(Xor{1, 32}), generated<int>(32, [](int i) { return 100 + (i ^ 1); }));
  EXPECT_EQ(of_each_lane<int>(Xor{31, 32}), generated<int>(32, [](int i) { return 131 - i; }));
  EXPECT_EQ(of_each_lane<int>(Xor{5, 8}), generated<int>(32, [](int i) { return 100 + (i ^ 5); }));
}

// A lane can read an earlier segment, not a later one (CUDA Programming Guide, __shfl_xor_sync).
TEST_F(Shuffle, XorReadsEarlierSegmentsOnly) {
  EXPECT_EQ(of_each_lane<int>(Xor{16, 16}),
            generated<int>(32, [](int i) { return i < 16 ? 100 + i : 100 + (i ^ 16); }));
  EXPECT_EQ(of_each_lane<int>(Xor{8, 8}),
            generated<int>(32, [](int i) { return 100 + (i & 8 ? i ^ 8 : i); }));
}

template <typename T>
struct ReverseLanes {
  T first, step;
  __device__ T operator()(int lane) const {
    return __shfl_sync(kAllLanes, static_cast<T>(first + step * static_cast<T>(lane)), 31 - lane);
  }
};

template <typename T>
void expect_lanes_reversed(T first, T step) {
  EXPECT_EQ(of_each_lane<T>(ReverseLanes<T>{first, step}),
            generated<T>(32, [=](int i) { return first + step * static_cast<T>(31 - i); }));
}

TEST_F(Shuffle, MovesEveryType) {
  expect_lanes_reversed<int>(-5, 3);
  expect_lanes_reversed<unsigned>(4000000000u, 1);
  expect_lanes_reversed<long>(-1, 1l << 40);
  expect_lanes_reversed<unsigned long>(~0ul - 100, 1);
  expect_lanes_reversed<long long>(-1, 1ll << 40);
  expect_lanes_reversed<unsigned long long>(~0ull - 100, 1);
  expect_lanes_reversed<float>(-0.5f, 0.25f);
  expect_lanes_reversed<double>(-0.5, 0x1p300);
}

struct OfLowAndHighLanes {
  __device__ int operator()(int lane) const {
    int value = 100 + lane;
    if (lane < 8) {
      value = __shfl_sync(0x000000ffu, value, 3);
    } else {
      value = __shfl_sync(0xffffff00u, value, 30);
    }
    return value;
  }
};

TEST_F(Shuffle, MasksKeepGroupsApart) {
  EXPECT_EQ(of_each_lane<int>(OfLowAndHighLanes{}),
            generated<int>(32, [](int i) { return i < 8 ? 103 : 130; }));
}

struct ButterflySum {
  __device__ int operator()(int lane) const {
    int sum = lane + 1;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
    return sum;
  }
};
struct InclusiveScan {
  __device__ int operator()(int lane) const {
    int sum = 1;
    for (unsigned delta = 1; delta < 32; delta *= 2) {
      const int below = __shfl_up_sync(kAllLanes, sum, delta);
      if (static_cast<unsigned>(lane) >= delta) sum += below;
    }
    return sum;
  }
};

TEST_F(Shuffle, SumAndScanOfEachWarp) {
  EXPECT_EQ(of_each_lane<int>(ButterflySum{}, 128), std::vector<int>(128, 32 * 33 / 2));
  EXPECT_EQ(of_each_lane<int>(InclusiveScan{}, 64),
            generated<int>(64, [](int i) { return i % 32 + 1; }));
}

// ---- Votes ----

struct BallotOfEven {
  __device__ unsigned operator()(int lane) const {
    return __ballot_sync(kAllLanes, lane % 2 == 0 ? 4 : 0);
  }
};
struct BallotOfLowHalf {
  __device__ unsigned operator()(int lane) const {
    return lane < 16 ? __ballot_sync(0x0000ffffu, lane > 3) : __ballot_sync(0xffff0000u, lane > 30);
  }
};
struct AllAtLeast {
  int least;
  __device__ int operator()(int lane) const { return __all_sync(kAllLanes, lane >= least) != 0; }
};
struct AnyAtLeast {
  int least;
  __device__ int operator()(int lane) const { return __any_sync(kAllLanes, lane >= least) != 0; }
};

TEST_F(Vote, BallotHasABitPerLane) {
  EXPECT_EQ(of_each_lane<unsigned>(BallotOfEven{}), std::vector<unsigned>(32, 0x55555555u));
}

TEST_F(Vote, BallotOfSubMasks) {
  EXPECT_EQ(of_each_lane<unsigned>(BallotOfLowHalf{}),
            generated<unsigned>(32, [](int i) { return i < 16 ? 0x0000fff0u : 0x80000000u; }));
}

TEST_F(Vote, AllAndAny) {
  EXPECT_EQ(of_each_lane<int>(AllAtLeast{0}), std::vector<int>(32, 1));
  EXPECT_EQ(of_each_lane<int>(AllAtLeast{1}), std::vector<int>(32, 0));
  EXPECT_EQ(of_each_lane<int>(AnyAtLeast{31}), std::vector<int>(32, 1));
  EXPECT_EQ(of_each_lane<int>(AnyAtLeast{32}), std::vector<int>(32, 0));
}

struct BallotOfPresent {
  unsigned mask;
  __device__ unsigned operator()(int) const { return __ballot_sync(mask, 1); }
};

TEST_F(Vote, PartialWarpNamesItsOwnLanes) {  // 13 lanes
  EXPECT_EQ(of_each_lane<unsigned>(BallotOfPresent{0x1fff}, 13),
            std::vector<unsigned>(13, 0x1fffu));
}

struct ActiveMask {
  __device__ unsigned operator()(int) const { return __activemask(); }
};

TEST_F(Vote, ActiveMaskOfAFullWarp) {
  EXPECT_EQ(of_each_lane<unsigned>(ActiveMask{}, 64), std::vector<unsigned>(64, kAllLanes));
}

__global__ void active_mask_of_odd_lanes_kernel(unsigned* out) {
  if (threadIdx.x % 2 == 0) return;
  const unsigned mask = __activemask();
  out[threadIdx.x] = __ballot_sync(mask, threadIdx.x < 8);
}

TEST_F(Vote, ActiveMaskAfterOtherLanesReturned) {
  const auto ballots = output_of<unsigned>(
      32, [](unsigned* out) { active_mask_of_odd_lanes_kernel<<<1, 32>>>(out); });
  EXPECT_EQ(ballots, generated<unsigned>(32, [](int i) { return i % 2 == 0 ? ~0u : 0xaau; }));
}

// ---- Matches ----

template <typename T>
struct MatchAnyModulo3 {
  T scale;
  __device__ unsigned operator()(int lane) const {
    return __match_any_sync(kAllLanes, static_cast<T>(scale * static_cast<T>(lane % 3)));
  }
};

// Bits 0, 3, 6, ... are 0x49249249; the masks of the other remainders are shifted.
template <typename T>
void expect_lanes_matched(T scale) {
  EXPECT_EQ(of_each_lane<unsigned>(MatchAnyModulo3<T>{scale}),
            generated<unsigned>(32, [](int i) { return 0x49249249u << i % 3; }));
}

TEST_F(Match, AnyFindsLanesWithTheSameValue) {
  expect_lanes_matched<int>(-7);
  expect_lanes_matched<unsigned>(7);
  expect_lanes_matched<long long>(1ll << 40);
  expect_lanes_matched<unsigned long long>(1ull << 62);
  expect_lanes_matched<float>(0.5f);
  expect_lanes_matched<double>(1e-300);
}

struct MatchAllBelow {
  int limit;
  __device__ int2 operator()(int lane) const {
    int same = -1;
    const unsigned lanes = __match_all_sync(kAllLanes, lane < limit, &same);
    return make_int2(static_cast<int>(lanes), same != 0);
  }
};

TEST_F(Match, AllIsAllOrNothing) {
  for (const int2 match : of_each_lane<int2>(MatchAllBelow{32})) {
    EXPECT_EQ(match.x, -1);
    EXPECT_EQ(match.y, 1);
  }
  for (const int2 match : of_each_lane<int2>(MatchAllBelow{31})) {
    EXPECT_EQ(match.x, 0);
    EXPECT_EQ(match.y, 0);
  }
}

// ---- Reductions ----

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WITH_REDUCTION(call) call
#else
#define WITH_REDUCTION(call) value
#endif

template <typename T>
struct Extremes {
  T sum, least, greatest;
  bool operator==(const Extremes& other) const {
    return sum == other.sum && least == other.least && greatest == other.greatest;
  }
};

template <typename T>
struct ReduceExtremes {
  T first;
  __device__ Extremes<T> operator()(int lane) const {
    const T value = static_cast<T>(first + static_cast<T>(lane));
    return {WITH_REDUCTION(__reduce_add_sync(kAllLanes, value)),
            WITH_REDUCTION(__reduce_min_sync(kAllLanes, value)),
            WITH_REDUCTION(__reduce_max_sync(kAllLanes, value))};
  }
};

struct Bits {
  unsigned all, any, odd;
  bool operator==(const Bits& other) const {
    return all == other.all && any == other.any && odd == other.odd;
  }
};

struct ReduceBits {
  __device__ Bits operator()(int lane) const {
    const unsigned value = 0x100u | (1u << lane % 5);
    return {WITH_REDUCTION(__reduce_and_sync(kAllLanes, value)),
            WITH_REDUCTION(__reduce_or_sync(kAllLanes, value)),
            WITH_REDUCTION(__reduce_xor_sync(kAllLanes, value))};
  }
};

class ReduceSync : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    int major = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8) GTEST_SKIP() << "__reduce_add_sync needs compute capability 8.0";
  }
};

TEST_F(ReduceSync, Signed) {  // -10 ... 21: 32 * 11 / 2
  EXPECT_TRUE(of_each_lane<Extremes<int>>(ReduceExtremes<int>{-10}) ==
              std::vector<Extremes<int>>(32, Extremes<int>{176, -10, 21}));
}

TEST_F(ReduceSync, UnsignedWrapsAround) {  // 2^32 - 16 ... 2^32 - 1 and 0 ... 15: their sum is -16
  EXPECT_TRUE(of_each_lane<Extremes<unsigned>>(ReduceExtremes<unsigned>{0u - 16}) ==
              std::vector<Extremes<unsigned>>(32, Extremes<unsigned>{0u - 16, 0, ~0u}));
}

// Each of bits 0 to 4 is set in 7, 7, 6, 6 and 6 lanes, bit 8 in all 32.
TEST_F(ReduceSync, Bitwise) {
  EXPECT_TRUE(of_each_lane<Bits>(ReduceBits{}) == std::vector<Bits>(32, Bits{0x100, 0x11f, 0x003}));
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
