#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Affinities of `count` points, in device memory: symmetric, 0 of a point with itself, and all
// together 1. They are there twice: as a matrix, and as lists without its zeros.
struct Affinities {
  const float* matrix;  // count x count, row after row; null unless needs_matrix()
  const int*
      starts;  // count + 1: the list of point i begins at starts[i], ends before starts[i + 1]
  const int* neighbours;  // starts[count]: the points j of the list, in rising order
  const float* values;    // starts[count]: p(i, j)
};

// A map of `count` points, in device memory, on its way. Each array has a float2 a point.
struct Map {
  float2* points;
  float2* steps;     // what each point moved by in the iteration before; 0 at the start
  float2* gains;     // what each component's step is multiplied by; 1 at the start
  float2* gradient;  // set by each iteration: of the points as they were before it moved them
};

// How the descent goes: in its first iterations attraction is exaggerated, and momentum is low.
struct Schedule {
  int early_iterations;
  float exaggeration;    // of the early iterations; then 1
  float early_momentum;  // what remains of a step in the next one
  float late_momentum;
  float learning_rate;
};

// What the schedule says for one iteration.
inline float exaggeration_at(const Schedule& schedule, int iteration) {
  return iteration < schedule.early_iterations ? schedule.exaggeration : 1.0f;
}
inline float momentum_at(const Schedule& schedule, int iteration) {
  return iteration < schedule.early_iterations ? schedule.early_momentum : schedule.late_momentum;
}

// Iterations first, first + 1, ... last - 1 of the descent. For each of them, with
// q(i, j) = 1 / (1 + |y_i - y_j|^2) and Z the sum of all q(i, j) but q(i, i), and e the
// exaggeration,
//
//   gradient_i = 4 sum over j of (e p(i, j) - q(i, j) / Z) q(i, j) (y_i - y_j)
//
// and take_step() of step.h moves the points. Results have the same bits in each run.
//
// count is from 2 to kMaxPoints. d_workspace has embed_workspace_bytes(count), of any content. All
// is in device memory, aligned as cudaMalloc aligns. May return before the work on `stream` is
// done; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines the four functions below; each program links one stage.
void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream = nullptr);

std::size_t embed_workspace_bytes(int count);

// Whether embed() reads Affinities::matrix; else it reads the lists.
bool needs_matrix();

// Whether embed() computes q(i, j) once for both points of a pair: which arithmetic its time is
// compared with.
bool computes_pairs_once();

constexpr int kMaxPoints = 1 << 20;
