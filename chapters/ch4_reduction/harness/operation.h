#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// What a program does with `size` doubles in device memory, and what it must make of them.
struct Operation {
  // d_workspace as in reduction.h; an operation may do without it.
  void (*run)(const double* d_in, double* d_out, std::size_t size, void* d_workspace,
              cudaStream_t stream);
  std::vector<double> (*reference)(const std::vector<double>& in);  // all of what `run` writes
  // How far from the reference an output may be, relative to it.
  double (*tolerance)(std::size_t size);
};

// The tolerance of one that rounds nothing.
inline double exact(std::size_t) { return 0; }
