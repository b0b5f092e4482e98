#pragma once

#include <cstddef>

// The same as vector_map() in vector_map.h, but h_x and h_y are in the host's memory: the copies
// there and back are part of the work. d_x and d_y are device memory of n floats each, for use on
// the way. Returns when h_y is complete; throws CudaError.
//
// Every host_*.cu and host/03_pinned_streams.cu defines the two functions here. They call vector_map(),
// which 03_vectorized.cu defines in their programs.
void host_map(const float* h_x, float* h_y, float* d_x, float* d_y, std::size_t n);

// Whether h_x and h_y should be from cudaMallocHost. The system never moves such *pinned* memory to
// disk, so the GPU can fetch it by itself; memory from malloc or new the driver first copies.
bool wants_pinned_memory();
