#pragma once

#include <cuda_runtime.h>

#include <vector>

// The operation of a program on a rows x cols matrix, and its reference.
struct Operation {
  void (*run)(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream);
  std::vector<float> (*reference)(const std::vector<float>& in, int rows, int cols);
  float max_error = 0;  // per element; 0 means bitwise equal
};
