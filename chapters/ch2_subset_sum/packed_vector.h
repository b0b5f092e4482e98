#pragma once

#include <cuda_runtime.h>

// Four words of a packed column, 128 sums: the lowest is bit 0 of x, the highest bit 31 of w.

constexpr int kVectorBits = 128;

// The upper four of the eight words low, high, after all of them have been moved up by `bits`, from
// 0 to 127: by two words, by one word, and by less than one word. There a funnel shift fills the
// lower bits of a word from the word below.
__device__ inline uint4 moved_up(uint4 low, uint4 high, int bits) {
  if (bits & 64) {
    high = make_uint4(low.z, low.w, high.x, high.y);
    low = make_uint4(0, 0, low.x, low.y);
  }
  if (bits & 32) {
    high = make_uint4(low.w, high.x, high.y, high.z);
    low.w = low.z;
  }
  return make_uint4(__funnelshift_l(low.w, high.x, bits), __funnelshift_l(high.x, high.y, bits),
                    __funnelshift_l(high.y, high.z, bits), __funnelshift_l(high.z, high.w, bits));
}

__device__ inline uint4 operator|(uint4 a, uint4 b) {
  return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

// The vector that contains the target, without the sums past the target.
__device__ inline uint4 without_sums_past(const uint4& vector, int target) {
  const int last = target % kVectorBits;
  const auto mask = [last](int word) {
    const int bits = last + 1 - 32 * word;  // bits of this word for sums up to the target
    return bits >= 32 ? 0xffffffff : bits <= 0 ? 0 : 0xffffffff >> (32 - bits);
  };
  return make_uint4(vector.x & mask(0), vector.y & mask(1), vector.z & mask(2), vector.w & mask(3));
}
