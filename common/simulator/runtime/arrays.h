#pragma once

#include "simulator/arrays.h"
#include "simulator/memory_3d.h"

#include <cstddef>

// The memory of an array: row by row without gaps, then slice by slice. A GPU has an order of its
// own, which no program can see.
struct cudaArray {
  unsigned char* memory;
  cudaChannelFormatDesc format;
  cudaExtent extent;  // texels; a dimension that the array does not have is 0
  unsigned flags;
  std::size_t texel_bytes;

  std::size_t row_bytes() const { return extent.width * texel_bytes; }
  std::size_t rows() const { return extent.height > 0 ? extent.height : 1; }
  std::size_t slices() const { return extent.depth > 0 ? extent.depth : 1; }
};

namespace cuda_simulator {

bool is_live(const cudaArray* array);

int channels_of(const cudaChannelFormatDesc& format);

// The bytes of a texel; 0 if no texture has this format.
std::size_t texel_bytes_of(const cudaChannelFormatDesc& format);

}  // namespace cuda_simulator
