#pragma once

#include "simulator/arrays.h"
#include "simulator/copy_bytes.h"

#include <cstddef>

// Texture objects: reads of arrays and of linear and pitched memory by coordinates. The rules for
// coordinates and filters are those of the CUDA C++ Programming Guide, "Texture Fetching".

enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];  // the bits of an integer, if the texture returns integers
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;  // texels, rows, bytes
    } pitch2D;
  } res;
};
struct cudaResourceViewDesc;  // other views of a resource are not simulated
typedef unsigned long long cudaTextureObject_t;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture);

namespace cuda_simulator {

enum class TextureShape { linear, line, plane, volume, layered_line, layered_plane };

// A call of a texture function.
struct TextureFetch {
  const char* function;
  TextureShape shape;              // that the function reads
  cudaChannelFormatDesc expected;  // that of its return type
  cudaTextureObject_t texture;
  float at[3];
  int index;  // the texel of tex1Dfetch, or the layer
};
struct Texel {
  unsigned channels[4];  // each one widened to 32 bits
};
// `caller` is an address in the learner's code.
Texel fetch_texel(const TextureFetch& fetch, const void* caller);

template <typename T>
CUDA_SIMULATOR_UNTRACED __forceinline__ T fetch_as(const TextureFetch& fetch, const void* caller) {
  const Texel texel = fetch_texel(fetch, caller);
  typename Channels<T>::Type channels[Channels<T>::count];
  for (int i = 0; i < Channels<T>::count; ++i)
    copy_bytes(&channels[i], &texel.channels[i], sizeof channels[i]);
  T value;
  copy_bytes(&value, channels, sizeof value);
  return value;
}

}  // namespace cuda_simulator

// Each function has the return address of the learner's line.
#define CUDA_SIMULATOR_TEXTURE(name, shape, parameters, ...)                               \
  template <typename T>                                                                    \
  CUDA_SIMULATOR_CALLED T name parameters {                                                \
    return cuda_simulator::fetch_as<T>({#name, cuda_simulator::TextureShape::shape,        \
                                        cudaCreateChannelDesc<T>(), texture, __VA_ARGS__}, \
                                       __builtin_return_address(0));                       \
  }
CUDA_SIMULATOR_TEXTURE(tex1Dfetch, linear, (cudaTextureObject_t texture, int x), {}, x)
CUDA_SIMULATOR_TEXTURE(tex1D, line, (cudaTextureObject_t texture, float x), {x}, 0)
CUDA_SIMULATOR_TEXTURE(tex2D, plane, (cudaTextureObject_t texture, float x, float y), {x, y}, 0)
CUDA_SIMULATOR_TEXTURE(tex3D, volume, (cudaTextureObject_t texture, float x, float y, float z),
                       {x, y, z}, 0)
CUDA_SIMULATOR_TEXTURE(tex1DLayered, layered_line,
                       (cudaTextureObject_t texture, float x, int layer), {x}, layer)
CUDA_SIMULATOR_TEXTURE(tex2DLayered, layered_plane,
                       (cudaTextureObject_t texture, float x, float y, int layer), {x, y}, layer)
#undef CUDA_SIMULATOR_TEXTURE
