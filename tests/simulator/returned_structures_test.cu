#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "expect_findings.h"

// A structure that a call returns and the same statement stores: it is a store like any other, for
// every size of the structure and every way to call the function.

namespace {

struct Small {  // in one register
  float x, y;
};
struct Three {
  float x, y, z;
};
struct Pair {  // in two registers
  double first, second;
};
struct alignas(16) Quad {
  float x, y, z, w;
};
struct Large {  // in the caller's memory
  double values[5];
};

// Not inlined into the kernel. `of` returns the value of each member.
template <typename T>
struct Make;
template <>
struct Make<Small> {
  __attribute__((noinline)) __device__ Small operator()(int of) const {
    const float x = static_cast<float>(of);
    return {x, x};
  }
};
template <>
struct Make<Three> {
  __attribute__((noinline)) __device__ Three operator()(int of) const {
    const float x = static_cast<float>(of);
    return {x, x, x};
  }
};
template <>
struct Make<Pair> {
  __attribute__((noinline)) __device__ Pair operator()(int of) const {
    return {1.0 * of, 1.0 * of};
  }
};
template <>
struct Make<Quad> {
  __attribute__((noinline)) __device__ Quad operator()(int of) const {
    const float x = static_cast<float>(of);
    return {x, x, x, x};
  }
};
template <>
struct Make<Large> {
  __attribute__((noinline)) __device__ Large operator()(int of) const {
    const double x = of;
    return {{x, x, x, x, x}};
  }
};

constexpr int kCount = 32;

template <typename T>
__global__ void store_kernel(T* out, int shift) {
  const int i = static_cast<int>(threadIdx.x);
  out[i + shift] = Make<T>()(i);
}
constexpr int kStoreLine = __LINE__ - 2;

template <typename T>
class ReturnedStructures : public FindingsTest {};
using AllSizes = testing::Types<Small, Three, Pair, Quad, Large>;
TYPED_TEST_SUITE(ReturnedStructures, AllSizes);

TYPED_TEST(ReturnedStructures, CountAsWritten) {
  DeviceBuffer<TypeParam> d_out(kCount);
  store_kernel<<<1, kCount>>>(d_out.data(), 0);
  d_out.to_host();
  expect_nothing_found();
}

TYPED_TEST(ReturnedStructures, OutOfBounds) {
  DeviceBuffer<TypeParam> d_out(kCount);
  store_kernel<<<1, kCount>>>(d_out.data(), 1);
  expect_one_place("out_of_bounds", "an allocation of", kStoreLine, "store", {31, 0, 0});
  expect_device_lost(cudaErrorIllegalAddress);
}

template <typename T>
__global__ void race_kernel(T* out) {
  out[threadIdx.x / 2] = Make<T>()(1);
}
constexpr int kRaceLine = __LINE__ - 2;

TYPED_TEST(ReturnedStructures, Race) {
  DeviceBuffer<TypeParam> d_out(kCount);
  race_kernel<<<1, 2>>>(d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kRaceLine, "store", {0, 0, 0}, {0, 0, 0});
  expect_place(finding.places[1], kRaceLine, "store", {1, 0, 0}, {0, 0, 0});
}

template <typename T>
__global__ void shared_kernel(T* out, unsigned stored) {
  __shared__ T values[kCount];
  if (threadIdx.x < stored) values[threadIdx.x] = Make<T>()(static_cast<int>(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

TYPED_TEST(ReturnedStructures, InSharedMemory) {
  DeviceBuffer<TypeParam> d_out(kCount);
  shared_kernel<<<1, kCount>>>(d_out.data(), kCount);
  expect_nothing_found();
  shared_kernel<<<1, kCount>>>(d_out.data(), kCount - 1u);
  EXPECT_EQ(only_finding().kind, "uninitialised");
}

// ---- Other ways to store a returned structure ----

class WaysToStore : public FindingsTest {};

struct Complex {
  double re, im;
  __attribute__((noinline)) __device__ Complex operator*(const Complex& other) const {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }
  __attribute__((noinline)) __device__ Complex& operator*=(const Complex& other) {
    return *this = *this * other;
  }
};

enum class Way {
  by_operator,
  by_compound,
  by_pointer,
  by_ternary,
  by_recursion,
  of_member,
  of_base
};

__attribute__((noinline)) __device__ Complex power(Complex base, int exponent) {
  if (exponent == 0) return {1, 0};
  return base * power(base, exponent - 1);
}

struct WithComplex {
  double numbers[2];
  Complex value;
};
struct Derived : Complex {
  double numbers[2];
};

template <Way kWay>
__global__ void way_kernel(Complex* out, WithComplex* members, Derived* derived, int i) {
  const Complex two{2, 1};
  if constexpr (kWay == Way::by_operator) out[i] = two * two;
  if constexpr (kWay == Way::by_compound) out[i] *= two;
  if constexpr (kWay == Way::by_pointer) {
    Complex (*const function)(Complex, int) = power;
    out[i] = function(two, 2);
  }
  if constexpr (kWay == Way::by_ternary) out[i] = i > 100 ? power(two, 3) : two * two;
  if constexpr (kWay == Way::by_recursion) out[i] = power(two, 3);
  if constexpr (kWay == Way::of_member) members[i].value = power(two, 2);
  if constexpr (kWay == Way::of_base) static_cast<Complex&>(derived[i]) = power(two, 2);
}

template <Way kWay>
void expect_each_is_checked() {
  DeviceBuffer<Complex> d_out(4);
  DeviceBuffer<WithComplex> d_members(4);
  DeviceBuffer<Derived> d_derived(4);
  d_out.fill_bytes(0);
  way_kernel<kWay><<<1, 1>>>(d_out.data(), d_members.data(), d_derived.data(), 3);
  expect_nothing_found();
  way_kernel<kWay><<<1, 1>>>(d_out.data(), d_members.data(), d_derived.data(), 4);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

TEST_F(WaysToStore, Operator) { expect_each_is_checked<Way::by_operator>(); }
TEST_F(WaysToStore, CompoundAssignment) { expect_each_is_checked<Way::by_compound>(); }
TEST_F(WaysToStore, PointerToAFunction) { expect_each_is_checked<Way::by_pointer>(); }
TEST_F(WaysToStore, Ternary) { expect_each_is_checked<Way::by_ternary>(); }
TEST_F(WaysToStore, Recursion) { expect_each_is_checked<Way::by_recursion>(); }
TEST_F(WaysToStore, Member) { expect_each_is_checked<Way::of_member>(); }
TEST_F(WaysToStore, Base) { expect_each_is_checked<Way::of_base>(); }

}  // namespace
