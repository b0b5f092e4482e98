#pragma once

#include "distances.h"

#include <cstddef>

// A stage: the functions that distances.h declares.
struct Operation {
  void (*run)(const Points& points, float* distances, void* workspace, cudaStream_t stream);
  std::size_t (*workspace_bytes)(int count, int dimensions);
  ErrorBound (*error_bound)(int dimensions);
};

// The main() of every stage: checks its distances against the reference, then times it, on a GPU,
// beside issue_rate(). Returns the exit code: 0, 1 for a wrong result or a CUDA error, 2 for wrong
// options or a file that cannot be read.
int run_program(const Operation& operation, int argc, const char* const* argv);
