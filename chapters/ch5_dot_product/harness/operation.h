#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

// What a number must be, and how far off it may be.
struct Expected {
  double value, tolerance;

  // Throws std::runtime_error, with `what` it is the result of, if `actual` is wrong; NaN is.
  void check(double actual, const std::string& what) const;
};

// What a program does with two vectors, and what it must make of them: one double.
struct Operation {
  // As dot_product() in dot_product.h.
  void (*run)(const double* d_a, const double* d_b, double* d_out, std::size_t size,
              void* d_workspace, cudaStream_t stream);
  Expected (*expected)(const double* a, const double* b, std::size_t size);
};
