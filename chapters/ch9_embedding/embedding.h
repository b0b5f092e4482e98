#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Affinities of `count` points, in device memory. They are symmetric, 0 for a point with itself,
// and their sum is 1. They are stored twice: as a matrix, and as lists without its zeros.
struct Affinities {
  const float* matrix;  // count x count, row by row; null unless needs_matrix()
  const int*
      starts;  // count + 1: the list of point i begins at starts[i], ends before starts[i + 1]
  const int* neighbours;  // starts[count]: the points j of the list, in ascending order
  const float* values;    // starts[count]: p(i, j)
};

// The state of a descent of `count` points, in device memory. Each array has one float2 per point.
struct Map {
  float2* points;
  float2* steps;     // the last step of each point; 0 at the start
  float2* gains;     // the factor of each component's step; 1 at the start
  float2* gradient;  // set by each iteration: at the points before it moved them
};

// The settings of a descent. In its early iterations attraction is exaggerated and momentum is low.
struct Schedule {
  int early_iterations;
  float exaggeration;    // of the early iterations; later it is 1
  float early_momentum;  // the part of a step that is added to the next one
  float late_momentum;
  float learning_rate;
};

// The exaggeration and the momentum of one iteration.
inline float exaggeration_at(const Schedule& schedule, int iteration) {
  return iteration < schedule.early_iterations ? schedule.exaggeration : 1.0f;
}
inline float momentum_at(const Schedule& schedule, int iteration) {
  return iteration < schedule.early_iterations ? schedule.early_momentum : schedule.late_momentum;
}

// Executes iterations first, first + 1, ... last - 1 of the descent. Each computes, with q(i, j) =
// 1 / (1 + |y_i - y_j|^2), Z the sum of all q(i, j) except the q(i, i), and e the
// exaggeration,
//
//   gradient_i = 4 sum over j of (e p(i, j) - q(i, j) / Z) q(i, j) (y_i - y_j)
//
// and take_step() of step.h moves the points. Results are bitwise reproducible.
//
// count is from 2 to kMaxPoints. d_workspace has embed_workspace_bytes(count) bytes, with any
// content. All arrays are in device memory, aligned as by cudaMalloc. Can return before the work on
// `stream` has completed; throws CudaError if it cannot be launched.
//
// Every stage of this chapter defines the four functions below; each program links one stage.
void embed(const Affinities& affinities, const Map& map, int count, int first, int last,
           const Schedule& schedule, void* d_workspace, cudaStream_t stream = nullptr);

std::size_t embed_workspace_bytes(int count);

// Whether embed() reads Affinities::matrix; otherwise it reads the lists.
bool needs_matrix();

// Whether embed() computes q(i, j) once for both points of a pair: this determines the ceiling with
// which its time is compared.
bool computes_pairs_once();

constexpr int kMaxPoints = 1 << 20;
