#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

// What a program of this chapter does: make some doubles from `size` doubles, in device memory.
struct Operation {
  // d_workspace as in reduction.h; an operation may do without it.
  void (*run)(const double* d_in, double* d_out, std::size_t size, void* d_workspace,
              cudaStream_t stream);
  std::vector<double> (*reference)(const std::vector<double>& in);  // all of what `run` writes
  // How far from the reference an output may be, relative to it.
  double (*tolerance)(std::size_t size);
};

// The main() of every stage: checks the operation against its reference, then times it, on a GPU,
// beside the read probe. Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for
// wrong options.
int run_program(const Operation& operation, int argc, const char* const* argv);
