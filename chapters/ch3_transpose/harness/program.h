#pragma once

#include <cuda_runtime.h>

#include <vector>

// What a program of this chapter does: move a rows x cols matrix, turned or not.
struct MatrixOperation {
  void (*run)(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream);
  std::vector<float> (*reference)(const std::vector<float>& in, int rows, int cols);
};

// The main() of every stage: checks the operation against its reference, then times it, on a GPU.
// Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong options.
int run_program(const MatrixOperation& operation, int argc, const char* const* argv);
