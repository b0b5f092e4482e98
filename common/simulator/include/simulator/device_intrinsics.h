#pragma once

#include "simulator/conversions.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

// Integer intrinsics, as the CUDA Math API and the PTX ISA define them. Conversions are in
// conversions.h.

__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// The C++ compiler's built-in for leading zeros is undefined at 0.
__device__ inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
__device__ inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

// The position of the lowest set bit, counted from 1; 0 if there is none.
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }

__device__ inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
  const unsigned long long high = __brev(static_cast<unsigned>(x));
  return high << 32 | __brev(static_cast<unsigned>(x >> 32));
}

// Each of the four nibbles of `selector` picks a byte: 0 to 3 from x, 4 to 7 from y. Unlike PTX's
// prmt, a nibble's top bit is ignored: nvcc clears it.
__device__ inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned source = selector >> 4 * i & 7;
    result |= static_cast<unsigned>(bytes >> 8 * source & 0xff) << 8 * i;
  }
  return result;
}

// PTX ISA, shf: the 64 bits hi:lo are shifted, and the left shift returns the upper half, the right
// shift the lower. The plain forms take the shift modulo 32, the _lc and _rc forms clamp it to 32.
__device__ inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
__device__ inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned>(both >> (shift & 31));
}
__device__ inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
__device__ inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

// The upper half of the product.
__device__ inline int __mulhi(int x, int y) { return static_cast<int>(1ll * x * y >> 32); }
__device__ inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(1ull * x * y >> 32);
}
__device__ inline long long __mul64hi(long long x, long long y) {
  __extension__ typedef __int128 Wide;
  return static_cast<long long>(static_cast<Wide>(x) * y >> 64);
}
__device__ inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}

// The lower 32 bits of the product of the lower 24 bits.
__device__ inline unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
__device__ inline int __mul24(int x, int y) {
  const long long left = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
  const long long right = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
  return static_cast<int>(left * right);
}

// |x - y| + z.
__device__ inline unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}
__device__ inline unsigned __sad(int x, int y, unsigned z) {
  const unsigned left = static_cast<unsigned>(x), right = static_cast<unsigned>(y);
  return (x > y ? left - right : right - left) + z;
}

// The average, rounded down (__hadd) or up (__rhadd), without overflow in between.
__device__ inline int __hadd(int x, int y) { return static_cast<int>((0ll + x + y) >> 1); }
__device__ inline int __rhadd(int x, int y) { return static_cast<int>((1ll + x + y) >> 1); }
__device__ inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((0ull + x + y) >> 1);
}
__device__ inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((1ull + x + y) >> 1);
}

// The same bits as another type.
__device__ inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__device__ inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__device__ inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__device__ inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__device__ inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
__device__ inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__device__ inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__device__ inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__device__ inline double __hiloint2double(int hi, int lo) {
  const unsigned long long high = static_cast<unsigned>(hi);
  return __builtin_bit_cast(double, high << 32 | static_cast<unsigned>(lo));
}

namespace cuda_simulator {

// Element i of four bytes.
template <typename Element>
Element packed(unsigned word, int i) {
  return static_cast<Element>(word >> 8 * sizeof(Element) * static_cast<unsigned>(i));
}

// The elements of `a`, each with the element of `b` at the same place after `first_of_b`. Sums wrap
// around, as they do on a GPU.
template <typename A, typename B, typename Word, typename ManyA, typename ManyB>
Word dot_product(ManyA a, ManyB b, Word sum, int first_of_b) {
  const auto left = __builtin_bit_cast(unsigned, a), right = __builtin_bit_cast(unsigned, b);
  unsigned total = static_cast<unsigned>(sum);
  for (int i = 0; i < 4 / static_cast<int>(sizeof(A)); ++i)
    total += static_cast<unsigned>(packed<A>(left, i) * packed<B>(right, first_of_b + i));
  return static_cast<Word>(total);
}

}  // namespace cuda_simulator

#define CUDA_SIMULATOR_DOT_PRODUCTS(Word, Halves, Half, Bytes, Byte)        \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp4a, Word, Word, Word, Byte, Byte, 0)       \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp4a, Word, Bytes, Bytes, Byte, Byte, 0)     \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp2a_lo, Word, Word, Word, Half, Byte, 0)    \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp2a_lo, Word, Halves, Bytes, Half, Byte, 0) \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp2a_hi, Word, Word, Word, Half, Byte, 2)    \
  CUDA_SIMULATOR_DOT_PRODUCT(__dp2a_hi, Word, Halves, Bytes, Half, Byte, 2)
#define CUDA_SIMULATOR_DOT_PRODUCT(name, Word, ManyA, ManyB, A, B, first_of_b) \
  __device__ inline Word name(ManyA a, ManyB b, Word c) {                      \
    return cuda_simulator::dot_product<A, B>(a, b, c, first_of_b);             \
  }
CUDA_SIMULATOR_DOT_PRODUCTS(int, short2, short, char4, signed char)
CUDA_SIMULATOR_DOT_PRODUCTS(unsigned, ushort2, unsigned short, uchar4, unsigned char)
#undef CUDA_SIMULATOR_DOT_PRODUCTS
#undef CUDA_SIMULATOR_DOT_PRODUCT
