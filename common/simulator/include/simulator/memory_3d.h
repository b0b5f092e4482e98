#pragma once

#include "simulator/arrays.h"
#include "simulator/runtime_api.h"

#include <cstddef>

// Three-dimensional memory: rows of `pitch` bytes, slices of `ysize` rows. Positions and widths of
// a copy are in bytes; positions in an array, and widths of a copy with an array, are in its
// elements.

struct cudaExtent {
  std::size_t width, height, depth;  // bytes (or elements), rows, slices
};
struct cudaPos {
  std::size_t x, y, z;  // bytes, rows, slices
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch;         // bytes from one row to the next
  std::size_t xsize, ysize;  // used bytes of a row; rows of a slice
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;  // or srcPtr
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;  // or dstPtr
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t xsize,
                                          std::size_t ysize) {
  return {pointer, pitch, xsize, ysize};
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream = nullptr);
