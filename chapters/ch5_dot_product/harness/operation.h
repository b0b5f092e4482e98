#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

// The correct value of a number, and its tolerance.
struct Expected {
  double value, tolerance;

  // Throws std::runtime_error if `actual` is wrong, or NaN. `what` names the input in the message.
  void check(double actual, const std::string& what) const;
};

// An operation of a program on two vectors, whose result is one double.
struct Operation {
  // The same contract as dot_product() in dot_product.h.
  void (*run)(const double* d_a, const double* d_b, double* d_out, std::size_t size,
              void* d_workspace, cudaStream_t stream);
  Expected (*expected)(const double* a, const double* b, std::size_t size);
};
