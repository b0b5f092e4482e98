#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

// CUDA's sizes and alignments of the built-in vector types. With the CUDA Toolkit's headers this
// file checks the table, with the simulator's it checks the simulator.

namespace {

template <typename T>
constexpr bool has_layout(std::size_t size, std::size_t alignment) {
  return sizeof(T) == size && alignof(T) == alignment && std::is_aggregate_v<T> &&
         std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>;
}

// The layouts of one, two, three and four elements; `bytes`: of an element.
template <typename T1, typename T2, typename T3, typename T4>
constexpr bool have_layouts(std::size_t bytes, std::size_t size_of_4, std::size_t alignment_of_4) {
  return has_layout<T1>(bytes, bytes) && has_layout<T2>(2 * bytes, 2 * bytes) &&
         has_layout<T3>(3 * bytes, bytes) && has_layout<T4>(size_of_4, alignment_of_4);
}

static_assert(have_layouts<char1, char2, char3, char4>(1, 4, 4));
static_assert(have_layouts<uchar1, uchar2, uchar3, uchar4>(1, 4, 4));
static_assert(have_layouts<short1, short2, short3, short4>(2, 8, 8));
static_assert(have_layouts<ushort1, ushort2, ushort3, ushort4>(2, 8, 8));
static_assert(have_layouts<int1, int2, int3, int4>(4, 16, 16));
static_assert(have_layouts<uint1, uint2, uint3, uint4>(4, 16, 16));
static_assert(have_layouts<float1, float2, float3, float4>(4, 16, 16));
static_assert(have_layouts<long1, long2, long3, long4_16a>(8, 32, 16));
static_assert(have_layouts<ulong1, ulong2, ulong3, ulong4_16a>(8, 32, 16));
static_assert(have_layouts<longlong1, longlong2, longlong3, longlong4_16a>(8, 32, 16));
static_assert(have_layouts<ulonglong1, ulonglong2, ulonglong3, ulonglong4_16a>(8, 32, 16));
static_assert(have_layouts<double1, double2, double3, double4_16a>(8, 32, 16));
static_assert(has_layout<long4_32a>(32, 32));
static_assert(has_layout<ulong4_32a>(32, 32));
static_assert(has_layout<longlong4_32a>(32, 32));
static_assert(has_layout<ulonglong4_32a>(32, 32));
static_assert(has_layout<double4_32a>(32, 32));

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static_assert(has_layout<long4>(32, 16) && has_layout<ulong4>(32, 16) &&
              has_layout<longlong4>(32, 16) && has_layout<ulonglong4>(32, 16) &&
              has_layout<double4>(32, 16));
#pragma GCC diagnostic pop

// Plain char is neither of these two types.
static_assert(std::is_same_v<decltype(char4::x), signed char> &&
              std::is_same_v<decltype(uchar4::x), unsigned char>);

static_assert(sizeof(dim3) == 12 && alignof(dim3) == 4 && std::is_trivially_copyable_v<dim3>);

TEST(VectorTypes, AreAggregates) {
  float4 list = {1, 2, 3, 4};
  EXPECT_EQ(list.w, 4.0f);
  EXPECT_EQ(float4{}.x, 0.0f);
  EXPECT_EQ((int2{5, 6}.y), 6);
  const float4 copy = list;
  list.x = 9;
  EXPECT_EQ(copy.x, 1.0f);
}

TEST(VectorTypes, MakeFunctionsKeepTheOrder) {
  const float4 f = make_float4(1, 2, 3, 4);
  EXPECT_TRUE(f.x == 1 && f.y == 2 && f.z == 3 && f.w == 4);
  const uchar4 c = make_uchar4(255, 2, 3, 4);
  EXPECT_TRUE(c.x == 255 && c.y == 2 && c.z == 3 && c.w == 4);
  const ulonglong3 u = make_ulonglong3(~0ull, 2, 3);
  EXPECT_TRUE(u.x == ~0ull && u.y == 2 && u.z == 3);
  const double4_32a d = make_double4_32a(1, 2, 3, 4);
  EXPECT_TRUE(d.x == 1 && d.y == 2 && d.z == 3 && d.w == 4);
  EXPECT_EQ(make_short1(-7).x, -7);
  EXPECT_EQ(make_int3(1, 2, 3).z, 3);
}

TEST(Dim3, FillsWithOnesAndConvertsToUint3AndBack) {
  const dim3 line(7);
  EXPECT_TRUE(line.x == 7 && line.y == 1 && line.z == 1);
  const dim3 plane = {7, 8};
  EXPECT_TRUE(plane.x == 7 && plane.y == 8 && plane.z == 1);
  const dim3 from_number = 32;
  EXPECT_EQ(from_number.x, 32u);
  const uint3 converted = dim3(1, 2, 3);
  EXPECT_TRUE(converted.x == 1 && converted.y == 2 && converted.z == 3);
  const dim3 back = converted;
  EXPECT_TRUE(back.x == 1 && back.y == 2 && back.z == 3);
  constexpr dim3 kConstant(4, 4);
  static_assert(kConstant.x * kConstant.y * kConstant.z == 16);
}

}  // namespace
