#include "tests/simulator/rows_of_values.h"

#include <climits>

// The integer intrinsics. Every result is exact; the expected values follow from the CUDA Math
// API's descriptions and, for the funnel shifts, from the PTX ISA's shf.

namespace {

__global__ void bits_kernel(Row* out) {
  Rows row(out);
  row(__popc(given(0u)), 0);
  row(__popc(given(0xffffffffu)), 32);
  row(__popc(given(0x80000001u)), 2);
  row(__popcll(given(0ull)), 0);
  row(__popcll(given(~0ull)), 64);
  row(__popcll(given(0x8000000100000000ull)), 2);

  row(__clz(given(0)), 32);
  row(__clz(given(1)), 31);
  row(__clz(given(INT_MIN)), 0);
  row(__clz(given(-1)), 0);
  row(__clzll(given(0ll)), 64);
  row(__clzll(given(1ll << 32)), 31);
  row(__clzll(given(LLONG_MIN)), 0);

  row(__ffs(given(0)), 0);
  row(__ffs(given(-1)), 1);
  row(__ffs(given(12)), 3);
  row(__ffs(given(INT_MIN)), 32);
  row(__ffsll(given(0ll)), 0);
  row(__ffsll(given(1ll << 32)), 33);
  row(__ffsll(given(LLONG_MIN)), 64);

  row(__brev(given(0u)), 0u);
  row(__brev(given(1u)), 0x80000000u);
  row(__brev(given(0x12345678u)), 0x1e6a2c48u);
  row(__brev(given(0xffffffffu)), 0xffffffffu);
  row(__brevll(given(1ull)), 0x8000000000000000ull);
  row(__brevll(given(0x1234567800000001ull)), 0x800000001e6a2c48ull);

  const unsigned x = given(0x33221100u), y = given(0x77665544u);  // each byte is twice its number
  row(__byte_perm(x, y, given(0x3210u)), 0x33221100u);
  row(__byte_perm(x, y, given(0x7654u)), 0x77665544u);
  row(__byte_perm(x, y, given(0x0123u)), 0x00112233u);
  row(__byte_perm(x, y, given(0x5140u)), 0x55114400u);
  row(__byte_perm(x, y, given(0xabcd7777u)), 0x77777777u);  // the upper 16 bits are not used
  row(__byte_perm(x, y, given(0xfedcu)), 0x77665544u);      // nor the top bit of each nibble
}

__global__ void funnel_shifts_kernel(Row* out) {
  Rows row(out);
  const unsigned lo = given(0x89abcdefu), hi = given(0x01234567u);
  const struct {
    unsigned shift, left, left_clamped, right, right_clamped;
  } shifts[] = {{0, hi, hi, lo, lo},
                {4, 0x12345678u, 0x12345678u, 0x789abcdeu, 0x789abcdeu},
                {31, 0xc4d5e6f7u, 0xc4d5e6f7u, 0x02468acfu, 0x02468acfu},
                {32, hi, lo, lo, hi},
                {33, 0x02468acfu, lo, 0xc4d5e6f7u, hi},
                {0xffffffffu, 0xc4d5e6f7u, lo, 0x02468acfu, hi}};
  for (const auto& each : shifts) {
    row(__funnelshift_l(lo, hi, each.shift), each.left);
    row(__funnelshift_lc(lo, hi, each.shift), each.left_clamped);
    row(__funnelshift_r(lo, hi, each.shift), each.right);
    row(__funnelshift_rc(lo, hi, each.shift), each.right_clamped);
  }
}

__global__ void arithmetic_kernel(Row* out) {
  Rows row(out);
  row(__mulhi(given(-1), given(1)), -1);
  row(__mulhi(given(INT_MIN), given(INT_MIN)), 0x40000000);
  row(__mulhi(given(INT_MIN), given(INT_MAX)), -0x40000000);
  row(__umulhi(given(0xffffffffu), given(0xffffffffu)), 0xfffffffeu);
  row(__umulhi(given(0x10000u), given(0x10000u)), 1u);
  row(__mul64hi(given(-1ll), given(1ll)), -1ll);
  row(__mul64hi(given(LLONG_MIN), given(LLONG_MIN)), 1ll << 62);
  row(__umul64hi(given(~0ull), given(~0ull)), ~0ull - 1);

  row(__mul24(given(-3), given(5)), -15);
  row(__mul24(given(0x7f000002), given(3)), 6);           // the upper byte is not used
  row(__mul24(given(0x00800000), given(2)), -(1 << 24));  // bit 23 is the sign
  row(__mul24(given(0x007fffff), given(0x007fffff)), static_cast<int>(0xff000001u));
  row(__umul24(given(0xff000002u), given(3u)), 6u);
  row(__umul24(given(0x00ffffffu), given(0x00ffffffu)), 0xfe000001u);

  row(__sad(given(-3), given(4), given(10u)), 17u);
  row(__sad(given(4), given(-3), given(10u)), 17u);
  row(__sad(given(INT_MIN), given(INT_MAX), given(0u)), 0xffffffffu);
  row(__usad(given(0u), given(0xffffffffu), given(0u)), 0xffffffffu);
  row(__usad(given(7u), given(4u), given(0xffffffffu)), 2u);

  // Averages do not overflow.
  row(__hadd(given(-3), given(-4)), -4);
  row(__rhadd(given(-3), given(-4)), -3);
  row(__hadd(given(INT_MAX), given(INT_MAX - 1)), INT_MAX - 1);
  row(__rhadd(given(INT_MAX), given(INT_MAX - 1)), INT_MAX);
  row(__hadd(given(INT_MIN), given(INT_MIN)), INT_MIN);
  row(__rhadd(given(INT_MIN), given(INT_MIN)), INT_MIN);
  row(__uhadd(given(0xffffffffu), given(0xfffffffeu)), 0xfffffffeu);
  row(__urhadd(given(0xffffffffu), given(0xfffffffeu)), 0xffffffffu);
}

__global__ void dot_products_kernel(Row* out) {
  Rows row(out);
  row(__dp4a(given(0x04030201), given(0x08070605), given(100)), 100 + 5 + 12 + 21 + 32);
  row(__dp4a(given(-1), given(0x01010101), given(0)), -4);                         // bytes of -1
  row(__dp4a(given(0xffffffffu), given(0x01010101u), given(0u)), 4u * 255u);       // or of 255
  row(__dp4a(given(0x01010101), given(0x01010101), given(INT_MAX)), INT_MIN + 3);  // wraps around
  const signed char s = given<signed char>(-128);
  row(__dp4a(make_char4(s, 1, 2, 3), make_char4(s, 1, 1, 1), given(0)), 16384 + 6);
  const unsigned char u = given<unsigned char>(255);
  row(__dp4a(make_uchar4(u, 1, 2, 3), make_uchar4(u, 1, 1, 1), given(0u)), 65025u + 6u);

  row(__dp2a_lo(given(0x00020001), given(0x40302010), given(0)), 0x10 + 2 * 0x20);
  row(__dp2a_hi(given(0x00020001), given(0x40302010), given(0)), 0x30 + 2 * 0x40);
  row(__dp2a_lo(given(-1), given(0x0000ff01), given(7)), 7);  // -1 * 1 + -1 * -1
  row(__dp2a_lo(given(0xffffffffu), given(0x0000ff01u), given(0u)), 65535u * 256u);
  const short h = given<short>(-3);
  row(__dp2a_hi(make_short2(h, 4), make_char4(9, 9, 5, -6), given(1)), -38);
  row(__dp2a_hi(make_ushort2(given<unsigned short>(3), 4), make_uchar4(9, 9, 5, 6), 1u), 40u);
}

TEST(DeviceIntrinsics, Bits) {
  expect_rows(__FILE__, [](Row* out) { bits_kernel<<<1, 1>>>(out); });
}
TEST(DeviceIntrinsics, FunnelShiftsWrapOrClamp) {
  expect_rows(__FILE__, [](Row* out) { funnel_shifts_kernel<<<1, 1>>>(out); });
}
TEST(DeviceIntrinsics, Arithmetic) {
  expect_rows(__FILE__, [](Row* out) { arithmetic_kernel<<<1, 1>>>(out); });
}
TEST(DeviceIntrinsics, DotProducts) {
  expect_rows(__FILE__, [](Row* out) { dot_products_kernel<<<1, 1>>>(out); });
}

}  // namespace
