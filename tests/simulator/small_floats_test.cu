#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// Half precision and bfloat16. Expected values are from IEEE 754's definition of the formats.

namespace {

class HalfPrecision : public DeviceTest {};
class BFloat16 : public DeviceTest {};

constexpr int kValues = 12;

__global__ void half_bits_kernel(unsigned* out) {
  const float x[kValues] = {1.0f,     -2.0f,      65504.0f, 65519.0f, 65520.0f, 0x1p-24f,
                            0x1p-25f, 0x1.8p-24f, 0x1p-14f, 2049.0f,  2051.0f,  NAN};
  for (int i = 0; i < kValues; ++i) out[i] = __half_as_ushort(__float2half(x[i]));
}

TEST_F(HalfPrecision, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(output_of<unsigned>(kValues, [](unsigned* out) { half_bits_kernel<<<1, 1>>>(out); }),
            (std::vector<unsigned>{0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x0002,
                                   0x0400, 0x6800, 0x6802, 0x7fff}));
}

__global__ void half_way_back_kernel(unsigned* different) {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  const unsigned back = __half_as_ushort(__float2half(value));
  if (back != bits && value == value) atomicAdd(different, 1u);
}

TEST_F(HalfPrecision, EachValueIsAFloatAndComesBack) {
  DeviceBuffer<unsigned> d_different(1);
  d_different.fill_bytes(0);
  half_way_back_kernel<<<64, 1024>>>(d_different.data());
  EXPECT_EQ(d_different.to_host(), std::vector<unsigned>{0});
}

__global__ void half_arithmetic_kernel(float* out) {
  const half a = __float2half(1.5f), b = __float2half(-0.25f), c = __float2half(2048.0f);
  half sum = a;
  sum += b;
  const float values[] = {
      __half2float(a + b), __half2float(__hsub(a, b)), __half2float(a * b), __half2float(a / b),
      __half2float(__hfma(a, b, c)), __half2float(c + __float2half(1.0f)), __half2float(sum),
      __half2float(__hmax(a, b)), __half2float(hsqrt(__float2half(2.0f))),
      // The square of 1 + 2^-10, less 1, is 2^-9 + 2^-20: a tie, which goes to the even 2^-9.
      __half2float(
          __hfma(__ushort_as_half(0x3c01), __ushort_as_half(0x3c01), __float2half(-1.0f)))};
  for (int i = 0; i < 10; ++i) out[i] = values[i];
}

TEST_F(HalfPrecision, Computes) {
  EXPECT_EQ(output_of<float>(10, [](float* out) { half_arithmetic_kernel<<<1, 1>>>(out); }),
            (std::vector<float>{1.25f, 1.75f, -0.375f, -6, 2048, 2048, 1.25f, 1.5f, 1.4140625f,
                                0x1p-9f}));
}

__global__ void fused_tie_kernel(float* out) {
  out[0] = __half2float(__hfma(__float2half(2048.0f), __float2half(1.0f), __float2half(1.0f)));
  out[1] = __half2float(__hfma(__float2half(683.0f), __float2half(3.0f), __ushort_as_half(1)));
}

TEST_F(HalfPrecision, FusedSumsAreRoundedOnce) {
  // 2049 is a tie, and goes to the even 2048; 2049 and 2^-24 is beyond it.
  EXPECT_EQ(output_of<float>(2, [](float* out) { fused_tie_kernel<<<1, 1>>>(out); }),
            (std::vector<float>{2048, 2050}));
}

__global__ void half2_kernel(float2* out, const half2* in) {
  const half2 x = in[threadIdx.x];
  out[threadIdx.x] = __half22float2(__hfma2(x, __float2half2_rn(2.0f), __floats2half2_rn(1, -1)));
}

TEST_F(HalfPrecision, InPairs) {
  DeviceBuffer<half2> d_in(
      std::vector<half2>{__floats2half2_rn(1, 2), __floats2half2_rn(-3, 0.5f)});
  DeviceBuffer<float2> d_out(2);
  half2_kernel<<<1, 2>>>(d_out.data(), d_in.data());
  const std::vector<float2> out = d_out.to_host();
  EXPECT_EQ(out[0].x, 3);
  EXPECT_EQ(out[0].y, 3);
  EXPECT_EQ(out[1].x, -5);
  EXPECT_EQ(out[1].y, 0);
}

__global__ void bfloat16_kernel(unsigned* out) {
  const nv_bfloat16 a = __float2bfloat16(1.0f), b = __float2bfloat16(0x1p-8f);
  out[0] = __bfloat16_as_ushort(a);
  out[1] = __bfloat16_as_ushort(a + b);                                 // a tie: to the even 1
  out[2] = __bfloat16_as_ushort(a + b + b);                             // 1 again
  out[3] = __bfloat16_as_ushort(__hfma(b, __float2bfloat16(3.0f), a));  // 1 + 1.5 steps: 1 + 2
  out[4] = __bfloat16_as_ushort(__float2bfloat16(3.4e38f));             // to infinity
}

TEST_F(BFloat16, RoundsAndComputes) {
  EXPECT_EQ(output_of<unsigned>(5, [](unsigned* out) { bfloat16_kernel<<<1, 1>>>(out); }),
            (std::vector<unsigned>{0x3f80, 0x3f80, 0x3f80, 0x3f82, 0x7f80}));
}

}  // namespace
