#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/on_device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <climits>

// The integer intrinsics. Every result is exact; the expected values follow from the CUDA Math
// API's descriptions and, for the funnel shifts, from the PTX ISA's shf.

namespace {

template <typename Operation, typename... Arguments>
auto on_device(Arguments... arguments) {
  DeviceBuffer<decltype(Operation{}(arguments...))> result(1);
  call_kernel<Operation><<<1, 1>>>(result.data(), arguments...);
  CUDA_CHECK(cudaGetLastError());
  return result.to_host().front();
}

struct CountOnes {
  __device__ int operator()(unsigned int x) const { return __popc(x); }
};
struct CountOnes64 {
  __device__ int operator()(unsigned long long x) const { return __popcll(x); }
};
struct LeadingZeros {
  __device__ int operator()(int x) const { return __clz(x); }
};
struct LeadingZeros64 {
  __device__ int operator()(long long x) const { return __clzll(x); }
};
struct FindFirstSet {
  __device__ int operator()(int x) const { return __ffs(x); }
};
struct FindFirstSet64 {
  __device__ int operator()(long long x) const { return __ffsll(x); }
};
struct Reverse {
  __device__ unsigned int operator()(unsigned int x) const { return __brev(x); }
};
struct Reverse64 {
  __device__ unsigned long long operator()(unsigned long long x) const { return __brevll(x); }
};

TEST(BitIntrinsics, PopcCountsOnes) {
  EXPECT_EQ(on_device<CountOnes>(0u), 0);
  EXPECT_EQ(on_device<CountOnes>(0xffffffffu), 32);
  EXPECT_EQ(on_device<CountOnes>(0x80000001u), 2);
  EXPECT_EQ(on_device<CountOnes64>(0ull), 0);
  EXPECT_EQ(on_device<CountOnes64>(~0ull), 64);
  EXPECT_EQ(on_device<CountOnes64>(0x8000000100000000ull), 2);
}

TEST(BitIntrinsics, ClzOfZeroIsTheWidth) {
  EXPECT_EQ(on_device<LeadingZeros>(0), 32);
  EXPECT_EQ(on_device<LeadingZeros>(1), 31);
  EXPECT_EQ(on_device<LeadingZeros>(INT_MIN), 0);
  EXPECT_EQ(on_device<LeadingZeros>(-1), 0);
  EXPECT_EQ(on_device<LeadingZeros64>(0ll), 64);
  EXPECT_EQ(on_device<LeadingZeros64>(1ll << 32), 31);
  EXPECT_EQ(on_device<LeadingZeros64>(LLONG_MIN), 0);
}

TEST(BitIntrinsics, FfsCountsFromOne) {
  EXPECT_EQ(on_device<FindFirstSet>(0), 0);
  EXPECT_EQ(on_device<FindFirstSet>(-1), 1);
  EXPECT_EQ(on_device<FindFirstSet>(12), 3);
  EXPECT_EQ(on_device<FindFirstSet>(INT_MIN), 32);
  EXPECT_EQ(on_device<FindFirstSet64>(0ll), 0);
  EXPECT_EQ(on_device<FindFirstSet64>(1ll << 32), 33);
  EXPECT_EQ(on_device<FindFirstSet64>(LLONG_MIN), 64);
}

TEST(BitIntrinsics, BrevReverses) {
  EXPECT_EQ(on_device<Reverse>(0u), 0u);
  EXPECT_EQ(on_device<Reverse>(1u), 0x80000000u);
  EXPECT_EQ(on_device<Reverse>(0x12345678u), 0x1e6a2c48u);
  EXPECT_EQ(on_device<Reverse>(0xffffffffu), 0xffffffffu);
  EXPECT_EQ(on_device<Reverse64>(1ull), 0x8000000000000000ull);
  EXPECT_EQ(on_device<Reverse64>(0x1234567800000001ull), 0x800000001e6a2c48ull);
}

struct BytePermute {
  __device__ unsigned int operator()(unsigned int x, unsigned int y, unsigned int s) const {
    return __byte_perm(x, y, s);
  }
};

TEST(BitIntrinsics, BytePermPicksBytes) {
  const unsigned int x = 0x33221100u, y = 0x77665544u;  // each byte is twice its number
  EXPECT_EQ(on_device<BytePermute>(x, y, 0x3210u), x);
  EXPECT_EQ(on_device<BytePermute>(x, y, 0x7654u), y);
  EXPECT_EQ(on_device<BytePermute>(x, y, 0x0123u), 0x00112233u);
  EXPECT_EQ(on_device<BytePermute>(x, y, 0x5140u), 0x55114400u);
  EXPECT_EQ(on_device<BytePermute>(x, y, 0xabcd7777u),
            0x77777777u);                               // the upper 16 bits are not used
  EXPECT_EQ(on_device<BytePermute>(x, y, 0xfedcu), y);  // nor the top bit of each nibble
}

// All four funnel shifts of hi:lo, in the order l, lc, r, rc.
struct FunnelShifts {
  __device__ uint4 operator()(unsigned int lo, unsigned int hi, unsigned int shift) const {
    return {__funnelshift_l(lo, hi, shift), __funnelshift_lc(lo, hi, shift),
            __funnelshift_r(lo, hi, shift), __funnelshift_rc(lo, hi, shift)};
  }
};

void expect_funnel_shifts(unsigned int shift, uint4 expected) {
  const uint4 actual = on_device<FunnelShifts>(0x89abcdefu, 0x01234567u, shift);
  EXPECT_EQ(actual.x, expected.x) << "__funnelshift_l by " << shift;
  EXPECT_EQ(actual.y, expected.y) << "__funnelshift_lc by " << shift;
  EXPECT_EQ(actual.z, expected.z) << "__funnelshift_r by " << shift;
  EXPECT_EQ(actual.w, expected.w) << "__funnelshift_rc by " << shift;
}

TEST(BitIntrinsics, FunnelShiftsWrapOrClamp) {
  const unsigned int lo = 0x89abcdefu, hi = 0x01234567u;
  expect_funnel_shifts(0, {hi, hi, lo, lo});
  expect_funnel_shifts(4, {0x12345678u, 0x12345678u, 0x789abcdeu, 0x789abcdeu});
  expect_funnel_shifts(31, {0xc4d5e6f7u, 0xc4d5e6f7u, 0x02468acfu, 0x02468acfu});
  expect_funnel_shifts(32, {hi, lo, lo, hi});
  expect_funnel_shifts(33, {0x02468acfu, lo, 0xc4d5e6f7u, hi});
  expect_funnel_shifts(0xffffffffu, {0xc4d5e6f7u, lo, 0x02468acfu, hi});
}

struct MultiplyHigh {
  __device__ int operator()(int x, int y) const { return __mulhi(x, y); }
};
struct MultiplyHighUnsigned {
  __device__ unsigned int operator()(unsigned int x, unsigned int y) const {
    return __umulhi(x, y);
  }
};
struct MultiplyHigh64 {
  __device__ long long operator()(long long x, long long y) const { return __mul64hi(x, y); }
};
struct MultiplyHighUnsigned64 {
  __device__ unsigned long long operator()(unsigned long long x, unsigned long long y) const {
    return __umul64hi(x, y);
  }
};
struct Multiply24 {
  __device__ int operator()(int x, int y) const { return __mul24(x, y); }
};
struct Multiply24Unsigned {
  __device__ unsigned int operator()(unsigned int x, unsigned int y) const {
    return __umul24(x, y);
  }
};

TEST(IntegerArithmetic, UpperHalfOfTheProduct) {
  EXPECT_EQ(on_device<MultiplyHigh>(-1, 1), -1);
  EXPECT_EQ(on_device<MultiplyHigh>(INT_MIN, INT_MIN), 0x40000000);
  EXPECT_EQ(on_device<MultiplyHigh>(INT_MIN, INT_MAX), -0x40000000);
  EXPECT_EQ(on_device<MultiplyHighUnsigned>(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(on_device<MultiplyHighUnsigned>(0x10000u, 0x10000u), 1u);
  EXPECT_EQ(on_device<MultiplyHigh64>(-1ll, 1ll), -1ll);
  EXPECT_EQ(on_device<MultiplyHigh64>(LLONG_MIN, LLONG_MIN), 1ll << 62);
  EXPECT_EQ(on_device<MultiplyHighUnsigned64>(~0ull, ~0ull), ~0ull - 1);
}

TEST(IntegerArithmetic, Mul24TakesTheLower24Bits) {
  EXPECT_EQ(on_device<Multiply24>(-3, 5), -15);
  EXPECT_EQ(on_device<Multiply24>(0x7f000002, 3), 6);           // the upper byte is not used
  EXPECT_EQ(on_device<Multiply24>(0x00800000, 2), -(1 << 24));  // bit 23 is the sign
  EXPECT_EQ(on_device<Multiply24>(0x007fffff, 0x007fffff), static_cast<int>(0xff000001u));
  EXPECT_EQ(on_device<Multiply24Unsigned>(0xff000002u, 3u), 6u);
  EXPECT_EQ(on_device<Multiply24Unsigned>(0x00ffffffu, 0x00ffffffu), 0xfe000001u);
}

struct DifferencePlus {
  __device__ unsigned int operator()(int x, int y, unsigned int z) const { return __sad(x, y, z); }
};
struct DifferencePlusUnsigned {
  __device__ unsigned int operator()(unsigned int x, unsigned int y, unsigned int z) const {
    return __usad(x, y, z);
  }
};

TEST(IntegerArithmetic, SumOfAbsoluteDifference) {
  EXPECT_EQ(on_device<DifferencePlus>(-3, 4, 10u), 17u);
  EXPECT_EQ(on_device<DifferencePlus>(4, -3, 10u), 17u);
  EXPECT_EQ(on_device<DifferencePlus>(INT_MIN, INT_MAX, 0u), 0xffffffffu);
  EXPECT_EQ(on_device<DifferencePlusUnsigned>(0u, 0xffffffffu, 0u), 0xffffffffu);
  EXPECT_EQ(on_device<DifferencePlusUnsigned>(7u, 4u, 0xffffffffu), 2u);
}

// The average rounded down in x, rounded up in y.
struct Averages {
  __device__ int2 operator()(int x, int y) const { return {__hadd(x, y), __rhadd(x, y)}; }
};
struct AveragesUnsigned {
  __device__ uint2 operator()(unsigned int x, unsigned int y) const {
    return {__uhadd(x, y), __urhadd(x, y)};
  }
};

TEST(IntegerArithmetic, AveragesDoNotOverflow) {
  const int2 negative = on_device<Averages>(-3, -4);
  EXPECT_EQ(negative.x, -4);
  EXPECT_EQ(negative.y, -3);
  const int2 largest = on_device<Averages>(INT_MAX, INT_MAX - 1);
  EXPECT_EQ(largest.x, INT_MAX - 1);
  EXPECT_EQ(largest.y, INT_MAX);
  const int2 smallest = on_device<Averages>(INT_MIN, INT_MIN);
  EXPECT_EQ(smallest.x, INT_MIN);
  EXPECT_EQ(smallest.y, INT_MIN);
  const uint2 unsigned_largest = on_device<AveragesUnsigned>(0xffffffffu, 0xfffffffeu);
  EXPECT_EQ(unsigned_largest.x, 0xfffffffeu);
  EXPECT_EQ(unsigned_largest.y, 0xffffffffu);
}

struct Dot4 {
  template <typename Packed, typename Sum>
  __device__ Sum operator()(Packed a, Packed b, Sum c) const {
    return __dp4a(a, b, c);
  }
};
struct Dot2Low {
  template <typename Halves, typename Bytes, typename Sum>
  __device__ Sum operator()(Halves a, Bytes b, Sum c) const {
    return __dp2a_lo(a, b, c);
  }
};
struct Dot2High {
  template <typename Halves, typename Bytes, typename Sum>
  __device__ Sum operator()(Halves a, Bytes b, Sum c) const {
    return __dp2a_hi(a, b, c);
  }
};

TEST(DotProducts, FourBytes) {
  EXPECT_EQ(on_device<Dot4>(0x04030201, 0x08070605, 100), 100 + 5 + 12 + 21 + 32);
  EXPECT_EQ(on_device<Dot4>(-1, 0x01010101, 0), -4);                         // bytes of -1 are -1
  EXPECT_EQ(on_device<Dot4>(0xffffffffu, 0x01010101u, 0u), 4u * 255u);       // or 255
  EXPECT_EQ(on_device<Dot4>(0x01010101, 0x01010101, INT_MAX), INT_MIN + 3);  // the sum wraps around
  EXPECT_EQ(on_device<Dot4>(make_char4(-128, 1, 2, 3), make_char4(-128, 1, 1, 1), 0), 16384 + 6);
  EXPECT_EQ(on_device<Dot4>(make_uchar4(255, 1, 2, 3), make_uchar4(255, 1, 1, 1), 0u), 65025u + 6u);
}

TEST(DotProducts, TwoHalves) {
  EXPECT_EQ(on_device<Dot2Low>(0x00020001, 0x40302010, 0), 0x10 + 2 * 0x20);
  EXPECT_EQ(on_device<Dot2High>(0x00020001, 0x40302010, 0), 0x30 + 2 * 0x40);
  EXPECT_EQ(on_device<Dot2Low>(-1, 0x0000ff01, 7), 7);  // -1 * 1 + -1 * -1
  EXPECT_EQ(on_device<Dot2Low>(0xffffffffu, 0x0000ff01u, 0u), 65535u * 256u);
  EXPECT_EQ(on_device<Dot2High>(make_short2(-3, 4), make_char4(9, 9, 5, -6), 1), -38);
  EXPECT_EQ(on_device<Dot2High>(make_ushort2(3, 4), make_uchar4(9, 9, 5, 6), 1u), 40u);
}

}  // namespace
