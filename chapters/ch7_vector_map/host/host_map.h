#pragma once

#include <cstddef>

// The same as vector_map() in vector_map.h, but h_x and h_y are in host memory: the copies to the
// GPU and back are part of the work, through d_x and d_y, device memory of n floats each. Returns
// when h_y is complete; throws CudaError.
//
// Every file of host/ defines the two functions here. They call vector_map(), which
// 03_vectorized.cu defines in their programs.
void host_map(const float* h_x, float* h_y, float* d_x, float* d_y, std::size_t n);

// Whether h_x and h_y should be from cudaMallocHost. The system never moves such *pinned* memory,
// so the GPU can access it directly. Memory from malloc or new is first copied by the driver.
bool needs_pinned_memory();
