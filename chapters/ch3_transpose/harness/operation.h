#pragma once

#include <cuda_runtime.h>

#include <vector>

// What a program does with a rows x cols matrix, and what it must make of it.
struct Operation {
  void (*run)(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream);
  std::vector<float> (*reference)(const std::vector<float>& in, int rows, int cols);
  float max_error = 0;  // of an element; 0: the same bits
};
