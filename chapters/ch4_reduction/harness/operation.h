#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// The operation of a program on `size` doubles in device memory, and its reference.
struct Operation {
  // d_workspace is as in reduction.h; an operation does not have to use it.
  void (*run)(const double* d_in, double* d_out, std::size_t size, void* d_workspace,
              cudaStream_t stream);
  std::vector<double> (*reference)(const std::vector<double>& in);  // all of what `run` writes
  // The largest relative error of an output.
  double (*tolerance)(std::size_t size);
};

// The tolerance of an operation without rounding.
inline double exact(std::size_t) { return 0; }
