#pragma once

#include "simulator/runtime_api.h"

#include <cstddef>
#include <type_traits>

// CUDA's arrays: memory for textures, whose elements (texels) only the runtime's copies and texture
// functions can access. Widths in these functions' offsets and copies are in bytes.

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits of each channel
  cudaChannelFormatKind f;
};
struct cudaExtent;
typedef struct cudaArray* cudaArray_t;
typedef const struct cudaArray* cudaArray_const_t;
constexpr unsigned cudaArrayDefault = 0, cudaArrayLayered = 1;

namespace cuda_simulator {

// The channels of a texel's type: a number, or a vector of 1, 2 or 4 numbers.
template <typename T, typename = void>
struct Channels {
  using Type = T;
  static constexpr int count = 1;
};
template <typename T>
struct Channels<T, std::void_t<decltype(T::x)>> {
  using Type = decltype(T::x);
  static constexpr int count = sizeof(T) / sizeof(Type);
};

}  // namespace cuda_simulator

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <typename T>
constexpr cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Type = typename cuda_simulator::Channels<T>::Type;
  constexpr int kCount = cuda_simulator::Channels<T>::count, kBits = 8 * sizeof(Type);
  static_assert(std::is_arithmetic_v<Type> && kBits <= 32 && kCount != 3,
                "a texture has 1, 2 or 4 channels of 8, 16 or 32 bits; the simulator has none of "
                "half precision");
  return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0,
          std::is_floating_point_v<Type> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Type>       ? cudaChannelFormatKindSigned
                                         : cudaChannelFormatKindUnsigned};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream = nullptr);
// One range of bytes, which goes on in the next row.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind);
