#pragma once

#include <cstddef>

// The same as host_map() in host_map.h, in double precision and with one array on the device: h_x
// is copied to d_x, n doubles of device memory, mapped in place, and copied to h_y. Returns when
// h_y is complete; throws CudaError.
//
// Every host_doubles_*.cu defines the two functions here. They call double_map_in_place(), which
// in_place_doubles.cu defines in their programs.
void host_double_map(const double* h_x, double* h_y, double* d_x, std::size_t n);

// Whether h_x and h_y should be from cudaMallocHost.
bool needs_pinned_memory();
