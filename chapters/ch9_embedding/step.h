#pragma once

#include "embedding.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// The step of an iteration, from its gradient: the same in all stages.

// A gain grows while the new step keeps the direction of the last one, and shrinks when it changes.
// A step goes against the gradient, so equal signs of gradient and step mean a change of direction.
__host__ __device__ inline float next_gain(float gain, float gradient, float step) {
  const float next = gradient * step < 0 ? gain + 0.2f : gain * 0.8f;
  return next < 0.01f ? 0.01f : next;  // NaN stays in the gradient, and shows
}

// Moves point i and stores its gradient.
__device__ inline void take_step(const Map& map, int i, float2 gradient, float momentum,
                                 float learning_rate) {
  const float2 step = map.steps[i], gain = map.gains[i], point = map.points[i];
  const float2 new_gain{next_gain(gain.x, gradient.x, step.x),
                        next_gain(gain.y, gradient.y, step.y)};
  const float2 new_step{momentum * step.x - learning_rate * new_gain.x * gradient.x,
                        momentum * step.y - learning_rate * new_gain.y * gradient.y};
  const float2 new_point{point.x + new_step.x, point.y + new_step.y};
  map.gains[i] = new_gain;
  map.steps[i] = new_step;
  map.points[i] = new_point;
  map.gradient[i] = gradient;
}

constexpr int kStepThreads = 256;

// The step of the stages that have pulls, pushes and z separately.
[[maybe_unused]] static __global__ void step_kernel(Map map, const float2* __restrict__ pulls,
                                                    const float2* __restrict__ pushes, int count,
                                                    float exaggeration, float z, float momentum,
                                                    float learning_rate) {
  const int i = blockIdx.x * kStepThreads + threadIdx.x;
  if (i >= count) return;
  const float2 pull = pulls[i], push = pushes[i];
  take_step(map, i,
            {4 * (exaggeration * pull.x - push.x / z), 4 * (exaggeration * pull.y - push.y / z)},
            momentum, learning_rate);
}

// Queues step_kernel for one iteration.
inline void queue_step(const Map& map, const float2* d_pulls, const float2* d_pushes, int count,
                       const Schedule& schedule, int iteration, double z, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(count, kStepThreads));
  step_kernel<<<blocks, kStepThreads, 0, stream>>>(
      map, d_pulls, d_pushes, count, exaggeration_at(schedule, iteration), static_cast<float>(z),
      momentum_at(schedule, iteration), schedule.learning_rate);
  CUDA_CHECK(cudaGetLastError());
}
