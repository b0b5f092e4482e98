#pragma once

#include "simulator/conversions.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

// Integer intrinsics, as the CUDA Math API and the PTX ISA define them. Conversions are in
// conversions.h.

__device__ inline int __popc(unsigned int x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// The C++ compiler's built-in for leading zeros is undefined at 0.
__device__ inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
__device__ inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

// The position of the lowest set bit, counted from 1; 0 if there is none.
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }

__device__ inline unsigned int __brev(unsigned int x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
  const unsigned long long high = __brev(static_cast<unsigned int>(x));
  return high << 32 | __brev(static_cast<unsigned int>(x >> 32));
}

// Each of the four nibbles of `selector` picks a byte: 0 to 3 from x, 4 to 7 from y. Unlike PTX's
// prmt, a nibble's top bit is ignored: nvcc clears it.
__device__ inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int source = selector >> 4 * i & 7;
    result |= static_cast<unsigned int>(bytes >> 8 * source & 0xff) << 8 * i;
  }
  return result;
}

// PTX ISA, shf: the 64 bits hi:lo are shifted, and the left shift returns the upper half, the right
// shift the lower. The plain forms take the shift modulo 32, the _lc and _rc forms clamp it to 32.
__device__ inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi,
                                               unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned int>(both << (shift & 31) >> 32);
}
__device__ inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi,
                                               unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned int>(both >> (shift & 31));
}
__device__ inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi,
                                                unsigned int shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
__device__ inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi,
                                                unsigned int shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

// The upper half of the product.
__device__ inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
__device__ inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
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
__device__ inline unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
__device__ inline int __mul24(int x, int y) {
  const long long left = static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8;
  const long long right = static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8;
  return static_cast<int>(left * right);
}

// |x - y| + z.
__device__ inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
__device__ inline unsigned int __sad(int x, int y, unsigned int z) {
  const unsigned int left = static_cast<unsigned int>(x), right = static_cast<unsigned int>(y);
  return (x > y ? left - right : right - left) + z;
}

// The average, rounded down (__hadd) or up (__rhadd), without overflow in between.
__device__ inline int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
__device__ inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
__device__ inline unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
__device__ inline unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// The same bits as another type.
__device__ inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__device__ inline unsigned int __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned int, x);
}
__device__ inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__device__ inline float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__device__ inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
__device__ inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__device__ inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__device__ inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__device__ inline double __hiloint2double(int hi, int lo) {
  const unsigned long long high = static_cast<unsigned int>(hi);
  return __builtin_bit_cast(double, high << 32 | static_cast<unsigned int>(lo));
}

namespace cuda_simulator {

// Byte `index` of a word that packs four, or half `index` of one that packs two.
template <typename Byte, typename Word>
Byte packed_byte(Word word, int index) {
  return static_cast<Byte>(static_cast<unsigned int>(word) >> 8 * index);
}
template <typename Half, typename Word>
Half packed_half(Word word, int index) {
  return static_cast<Half>(static_cast<unsigned int>(word) >> 16 * index);
}

// Sums wrap around, as they do on a GPU.
template <typename Byte, typename Word>
Word dot_of_4_bytes(Word a, Word b, Word sum) {
  unsigned int total = static_cast<unsigned int>(sum);
  for (int i = 0; i < 4; ++i)
    total += static_cast<unsigned int>(packed_byte<Byte>(a, i) * packed_byte<Byte>(b, i));
  return static_cast<Word>(total);
}

// Two halves of a with bytes first_byte and first_byte + 1 of b.
template <typename Half, typename Byte, typename Word>
Word dot_of_2_halves(Word a, Word b, Word sum, int first_byte) {
  unsigned int total = static_cast<unsigned int>(sum);
  for (int i = 0; i < 2; ++i)
    total +=
        static_cast<unsigned int>(packed_half<Half>(a, i) * packed_byte<Byte>(b, first_byte + i));
  return static_cast<Word>(total);
}

}  // namespace cuda_simulator

__device__ inline int __dp4a(int a, int b, int c) {
  return cuda_simulator::dot_of_4_bytes<signed char>(a, b, c);
}
__device__ inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return cuda_simulator::dot_of_4_bytes<unsigned char>(a, b, c);
}
__device__ inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__device__ inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
__device__ inline int __dp2a_lo(int a, int b, int c) {
  return cuda_simulator::dot_of_2_halves<short, signed char>(a, b, c, 0);
}
__device__ inline int __dp2a_hi(int a, int b, int c) {
  return cuda_simulator::dot_of_2_halves<short, signed char>(a, b, c, 2);
}
__device__ inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return cuda_simulator::dot_of_2_halves<unsigned short, unsigned char>(a, b, c, 0);
}
__device__ inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return cuda_simulator::dot_of_2_halves<unsigned short, unsigned char>(a, b, c, 2);
}
__device__ inline int __dp2a_lo(short2 a, char4 b, int c) {
  return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__device__ inline int __dp2a_hi(short2 a, char4 b, int c) {
  return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__device__ inline unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_lo(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
__device__ inline unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_hi(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
