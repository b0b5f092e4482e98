#pragma once

#include "simulator/keywords.h"

// CUDA's built-in vector types, with the sizes and alignments of the CUDA Toolkit's vector_types.h.
// They are plain aggregates without constructors or copy functions, because the simulator must see
// the copy of a float4 as one 16-byte access, as on a GPU. This needs -fno-tree-sra; otherwise g++
// splits a float4 into its members.

#define CUDA_SIMULATOR_VECTORS(name, T)                                          \
  struct name##1 {                                                               \
    T x;                                                                         \
  };                                                                             \
  struct alignas(2 * sizeof(T)) name##2 {                                        \
    T x, y;                                                                      \
  };                                                                             \
  struct name##3 {                                                               \
    T x, y, z;                                                                   \
  };                                                                             \
  __host__ __device__ inline name##1 make_##name##1(T x) { return {x}; }         \
  __host__ __device__ inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  __host__ __device__ inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }
#define CUDA_SIMULATOR_VECTOR_OF_4(name, T, ...) \
  struct __VA_ARGS__ name {                      \
    T x, y, z, w;                                \
  };                                             \
  __host__ __device__ inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }
// Elements of up to 4 bytes; and of 8 bytes, where four are aligned to 16 or to 32 bytes. The old
// names of these are deprecated since CUDA 13, but their functions cause no warning.
#define CUDA_SIMULATOR_SMALL_VECTORS(name, T) \
  CUDA_SIMULATOR_VECTORS(name, T)             \
  CUDA_SIMULATOR_VECTOR_OF_4(name##4, T, alignas(4 * sizeof(T)))
#define CUDA_SIMULATOR_LARGE_VECTORS(name, T)             \
  CUDA_SIMULATOR_VECTORS(name, T)                         \
  CUDA_SIMULATOR_VECTOR_OF_4(name##4_16a, T, alignas(16)) \
  CUDA_SIMULATOR_VECTOR_OF_4(name##4_32a, T, alignas(32)) \
  CUDA_SIMULATOR_VECTOR_OF_4(name##4, T,                  \
                             [[deprecated("use " #name "4_16a or " #name "4_32a")]] alignas(16))

CUDA_SIMULATOR_SMALL_VECTORS(char, signed char)
CUDA_SIMULATOR_SMALL_VECTORS(uchar, unsigned char)
CUDA_SIMULATOR_SMALL_VECTORS(short, short)
CUDA_SIMULATOR_SMALL_VECTORS(ushort, unsigned short)
CUDA_SIMULATOR_SMALL_VECTORS(int, int)
CUDA_SIMULATOR_SMALL_VECTORS(uint, unsigned int)
CUDA_SIMULATOR_SMALL_VECTORS(float, float)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CUDA_SIMULATOR_LARGE_VECTORS(long, long)
CUDA_SIMULATOR_LARGE_VECTORS(ulong, unsigned long)
CUDA_SIMULATOR_LARGE_VECTORS(longlong, long long)
CUDA_SIMULATOR_LARGE_VECTORS(ulonglong, unsigned long long)
CUDA_SIMULATOR_LARGE_VECTORS(double, double)
#pragma GCC diagnostic pop
#undef CUDA_SIMULATOR_VECTORS
#undef CUDA_SIMULATOR_VECTOR_OF_4
#undef CUDA_SIMULATOR_SMALL_VECTORS
#undef CUDA_SIMULATOR_LARGE_VECTORS

// Sizes of grids and blocks; omitted sizes are 1.
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
