#pragma once

#include "simulator/memory_3d.h"
#include "simulator/textures.h"

#include <cstddef>

namespace cuda_simulator {

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
  TextureShape shape;
  cudaChannelFormatDesc format;
  const unsigned char* memory;
  long extent[3];  // texels, in each direction in which coordinates go
  std::size_t texel_bytes, row_bytes, slice_bytes;
  int layers;
  bool is_converted;  // integers are read as floats from 0 or -1 to 1
};

// Null if no texture object has this handle. Kernels may call it at any time.
const Texture* find_texture(cudaTextureObject_t handle);

}  // namespace cuda_simulator
