#pragma once

#include "simulator/keywords.h"

// CUDA's built-in vector types, with the sizes and alignments of the CUDA Toolkit's vector_types.h.
// They are plain aggregates without constructors or copy functions, because the simulator must see
// the copy of a float4 as one 16-byte access, as on a GPU. This needs -fno-tree-sra; otherwise g++
// splits a float4 into its members. They are not rows of a macro: g++ would then give the copy of one
// in a template the line of the function instead of its own.

struct char1 {
  signed char x;
};
struct alignas(2) char2 {
  signed char x, y;
};
struct char3 {
  signed char x, y, z;
};
struct alignas(4) char4 {
  signed char x, y, z, w;
};

struct uchar1 {
  unsigned char x;
};
struct alignas(2) uchar2 {
  unsigned char x, y;
};
struct uchar3 {
  unsigned char x, y, z;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};

struct short1 {
  short x;
};
struct alignas(4) short2 {
  short x, y;
};
struct short3 {
  short x, y, z;
};
struct alignas(8) short4 {
  short x, y, z, w;
};

struct ushort1 {
  unsigned short x;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct ushort3 {
  unsigned short x, y, z;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};

struct int1 {
  int x;
};
struct alignas(8) int2 {
  int x, y;
};
struct int3 {
  int x, y, z;
};
struct alignas(16) int4 {
  int x, y, z, w;
};

struct uint1 {
  unsigned int x;
};
struct alignas(8) uint2 {
  unsigned int x, y;
};
struct uint3 {
  unsigned int x, y, z;
};
struct alignas(16) uint4 {
  unsigned int x, y, z, w;
};

struct long1 {
  long x;
};
struct alignas(16) long2 {
  long x, y;
};
struct long3 {
  long x, y, z;
};

struct ulong1 {
  unsigned long x;
};
struct alignas(16) ulong2 {
  unsigned long x, y;
};
struct ulong3 {
  unsigned long x, y, z;
};

struct longlong1 {
  long long x;
};
struct alignas(16) longlong2 {
  long long x, y;
};
struct longlong3 {
  long long x, y, z;
};

struct ulonglong1 {
  unsigned long long x;
};
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};
struct ulonglong3 {
  unsigned long long x, y, z;
};

struct float1 {
  float x;
};
struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

struct double1 {
  double x;
};
struct alignas(16) double2 {
  double x, y;
};
struct double3 {
  double x, y, z;
};

// Four 8-byte elements, aligned to 16 or to 32 bytes.
struct alignas(16) long4_16a {
  long x, y, z, w;
};
struct alignas(32) long4_32a {
  long x, y, z, w;
};
struct alignas(16) ulong4_16a {
  unsigned long x, y, z, w;
};
struct alignas(32) ulong4_32a {
  unsigned long x, y, z, w;
};
struct alignas(16) longlong4_16a {
  long long x, y, z, w;
};
struct alignas(32) longlong4_32a {
  long long x, y, z, w;
};
struct alignas(16) ulonglong4_16a {
  unsigned long long x, y, z, w;
};
struct alignas(32) ulonglong4_32a {
  unsigned long long x, y, z, w;
};
struct alignas(16) double4_16a {
  double x, y, z, w;
};
struct alignas(32) double4_32a {
  double x, y, z, w;
};

// The old names, deprecated since CUDA 13.
struct [[deprecated("use long4_16a or long4_32a")]] alignas(16) long4 {
  long x, y, z, w;
};
struct [[deprecated("use ulong4_16a or ulong4_32a")]] alignas(16) ulong4 {
  unsigned long x, y, z, w;
};
struct [[deprecated("use longlong4_16a or longlong4_32a")]] alignas(16) longlong4 {
  long long x, y, z, w;
};
struct [[deprecated("use ulonglong4_16a or ulonglong4_32a")]] alignas(16) ulonglong4 {
  unsigned long long x, y, z, w;
};
struct [[deprecated("use double4_16a or double4_32a")]] alignas(16) double4 {
  double x, y, z, w;
};

// Sizes of grids and blocks; omitted sizes are 1.
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

__host__ __device__ inline char1 make_char1(signed char x) { return {x}; }
__host__ __device__ inline char2 make_char2(signed char x, signed char y) { return {x, y}; }
__host__ __device__ inline char3 make_char3(signed char x, signed char y, signed char z) {
  return {x, y, z};
}
__host__ __device__ inline char4 make_char4(signed char x, signed char y, signed char z,
                                            signed char w) {
  return {x, y, z, w};
}

__host__ __device__ inline uchar1 make_uchar1(unsigned char x) { return {x}; }
__host__ __device__ inline uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
__host__ __device__ inline uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) {
  return {x, y, z};
}
__host__ __device__ inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z,
                                              unsigned char w) {
  return {x, y, z, w};
}

__host__ __device__ inline short1 make_short1(short x) { return {x}; }
__host__ __device__ inline short2 make_short2(short x, short y) { return {x, y}; }
__host__ __device__ inline short3 make_short3(short x, short y, short z) { return {x, y, z}; }
__host__ __device__ inline short4 make_short4(short x, short y, short z, short w) {
  return {x, y, z, w};
}

__host__ __device__ inline ushort1 make_ushort1(unsigned short x) { return {x}; }
__host__ __device__ inline ushort2 make_ushort2(unsigned short x, unsigned short y) {
  return {x, y};
}
__host__ __device__ inline ushort3 make_ushort3(unsigned short x, unsigned short y,
                                                unsigned short z) {
  return {x, y, z};
}
__host__ __device__ inline ushort4 make_ushort4(unsigned short x, unsigned short y,
                                                unsigned short z, unsigned short w) {
  return {x, y, z, w};
}

__host__ __device__ inline int1 make_int1(int x) { return {x}; }
__host__ __device__ inline int2 make_int2(int x, int y) { return {x, y}; }
__host__ __device__ inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
__host__ __device__ inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

__host__ __device__ inline uint1 make_uint1(unsigned int x) { return {x}; }
__host__ __device__ inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
__host__ __device__ inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) {
  return {x, y, z};
}
__host__ __device__ inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z,
                                            unsigned int w) {
  return {x, y, z, w};
}

__host__ __device__ inline long1 make_long1(long x) { return {x}; }
__host__ __device__ inline long2 make_long2(long x, long y) { return {x, y}; }
__host__ __device__ inline long3 make_long3(long x, long y, long z) { return {x, y, z}; }
__host__ __device__ inline long4_16a make_long4_16a(long x, long y, long z, long w) {
  return {x, y, z, w};
}
__host__ __device__ inline long4_32a make_long4_32a(long x, long y, long z, long w) {
  return {x, y, z, w};
}

__host__ __device__ inline ulong1 make_ulong1(unsigned long x) { return {x}; }
__host__ __device__ inline ulong2 make_ulong2(unsigned long x, unsigned long y) { return {x, y}; }
__host__ __device__ inline ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) {
  return {x, y, z};
}
__host__ __device__ inline ulong4_16a make_ulong4_16a(unsigned long x, unsigned long y,
                                                      unsigned long z, unsigned long w) {
  return {x, y, z, w};
}
__host__ __device__ inline ulong4_32a make_ulong4_32a(unsigned long x, unsigned long y,
                                                      unsigned long z, unsigned long w) {
  return {x, y, z, w};
}

__host__ __device__ inline longlong1 make_longlong1(long long x) { return {x}; }
__host__ __device__ inline longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
__host__ __device__ inline longlong3 make_longlong3(long long x, long long y, long long z) {
  return {x, y, z};
}
__host__ __device__ inline longlong4_16a make_longlong4_16a(long long x, long long y, long long z,
                                                            long long w) {
  return {x, y, z, w};
}
__host__ __device__ inline longlong4_32a make_longlong4_32a(long long x, long long y, long long z,
                                                            long long w) {
  return {x, y, z, w};
}

__host__ __device__ inline ulonglong1 make_ulonglong1(unsigned long long x) { return {x}; }
__host__ __device__ inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) {
  return {x, y};
}
__host__ __device__ inline ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y,
                                                      unsigned long long z) {
  return {x, y, z};
}
__host__ __device__ inline ulonglong4_16a make_ulonglong4_16a(unsigned long long x,
                                                              unsigned long long y,
                                                              unsigned long long z,
                                                              unsigned long long w) {
  return {x, y, z, w};
}
__host__ __device__ inline ulonglong4_32a make_ulonglong4_32a(unsigned long long x,
                                                              unsigned long long y,
                                                              unsigned long long z,
                                                              unsigned long long w) {
  return {x, y, z, w};
}

__host__ __device__ inline float1 make_float1(float x) { return {x}; }
__host__ __device__ inline float2 make_float2(float x, float y) { return {x, y}; }
__host__ __device__ inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
__host__ __device__ inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

__host__ __device__ inline double1 make_double1(double x) { return {x}; }
__host__ __device__ inline double2 make_double2(double x, double y) { return {x, y}; }
__host__ __device__ inline double3 make_double3(double x, double y, double z) { return {x, y, z}; }
__host__ __device__ inline double4_16a make_double4_16a(double x, double y, double z, double w) {
  return {x, y, z, w};
}
__host__ __device__ inline double4_32a make_double4_32a(double x, double y, double z, double w) {
  return {x, y, z, w};
}

// These five use deprecated types; they must not cause a warning in every program.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
__host__ __device__ inline long4 make_long4(long x, long y, long z, long w) { return {x, y, z, w}; }
__host__ __device__ inline ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z,
                                              unsigned long w) {
  return {x, y, z, w};
}
__host__ __device__ inline longlong4 make_longlong4(long long x, long long y, long long z,
                                                    long long w) {
  return {x, y, z, w};
}
__host__ __device__ inline ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y,
                                                      unsigned long long z, unsigned long long w) {
  return {x, y, z, w};
}
__host__ __device__ inline double4 make_double4(double x, double y, double z, double w) {
  return {x, y, z, w};
}
#pragma GCC diagnostic pop
