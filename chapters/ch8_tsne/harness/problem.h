#pragma once

#include "distances.h"
#include "harness/host_points.h"
#include "harness/reference.h"

#include "common/harness/gpu_timer.h"
#include "common/harness/measurement.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <vector>

// What the programs of this chapter share.

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

// What a program does with vectors, on a GPU or not.
struct Task {
  // Throws std::runtime_error if a distance is wrong. The errors are relative to the distances.
  std::function<DistanceError(const HostPoints&)> check;
  // Checks and times.
  std::function<Measurement(const HostPoints&)> measure;
  // Device memory that it needs besides vectors and distances.
  std::function<std::size_t(int count, int dimensions)> workspace_bytes;
};

// The main() of any program. As above.
int run_task(const Task& task, int argc, const char* const* argv);

// Throws std::runtime_error if a distance is missing or wrong: all are looked at, and those of some
// vectors compared with the reference, in each tile that a stage may have; of few vectors those of
// all. Returns the errors, relative to the distances.
DistanceError require_right(const std::vector<float>& distances, const HostPoints& points,
                            const ErrorBound& bound);

// Of distances that took `own`, beside issue_rate(), which took `arithmetic` for that many
// operations.
Measurement measurement(const HostPoints& points, const Timing& own, const Timing& arithmetic,
                        double issued, const DistanceError& error);
