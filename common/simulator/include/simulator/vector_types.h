#pragma once

#include "simulator/keywords.h"

// CUDA's built-in vector types, with the sizes and alignments of the CUDA Toolkit's vector_types.h.
// They are plain aggregates without constructors or copy functions, because the simulator must see
// the copy of a float4 as one 16-byte access, as on a GPU. This needs -fno-tree-sra; otherwise g++
// splits a float4 into its members. The types are not rows of a macro, unlike their functions: g++
// would then give the copy of one in a template the line of the function instead of its own.

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

#define CUDA_SIMULATOR_MAKE_1_TO_3(name, T)                                      \
  __host__ __device__ inline name##1 make_##name##1(T x) { return {x}; }         \
  __host__ __device__ inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  __host__ __device__ inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }
#define CUDA_SIMULATOR_MAKE_4(name, T) \
  __host__ __device__ inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }
#define CUDA_SIMULATOR_MAKE_SMALL(name, T) \
  CUDA_SIMULATOR_MAKE_1_TO_3(name, T)      \
  CUDA_SIMULATOR_MAKE_4(name##4, T)
#define CUDA_SIMULATOR_MAKE_LARGE(name, T) \
  CUDA_SIMULATOR_MAKE_1_TO_3(name, T)      \
  CUDA_SIMULATOR_MAKE_4(name##4_16a, T)    \
  CUDA_SIMULATOR_MAKE_4(name##4_32a, T)    \
  CUDA_SIMULATOR_MAKE_4(name##4, T)

CUDA_SIMULATOR_MAKE_SMALL(char, signed char)
CUDA_SIMULATOR_MAKE_SMALL(uchar, unsigned char)
CUDA_SIMULATOR_MAKE_SMALL(short, short)
CUDA_SIMULATOR_MAKE_SMALL(ushort, unsigned short)
CUDA_SIMULATOR_MAKE_SMALL(int, int)
CUDA_SIMULATOR_MAKE_SMALL(uint, unsigned int)
CUDA_SIMULATOR_MAKE_SMALL(float, float)
// The functions of the deprecated types must not cause a warning in every program.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CUDA_SIMULATOR_MAKE_LARGE(long, long)
CUDA_SIMULATOR_MAKE_LARGE(ulong, unsigned long)
CUDA_SIMULATOR_MAKE_LARGE(longlong, long long)
CUDA_SIMULATOR_MAKE_LARGE(ulonglong, unsigned long long)
CUDA_SIMULATOR_MAKE_LARGE(double, double)
#pragma GCC diagnostic pop
#undef CUDA_SIMULATOR_MAKE_1_TO_3
#undef CUDA_SIMULATOR_MAKE_4
#undef CUDA_SIMULATOR_MAKE_SMALL
#undef CUDA_SIMULATOR_MAKE_LARGE
