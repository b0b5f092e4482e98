// Interpolation, step 01: pushes from a grid, by Fourier transforms
//
// The push that all points exert on a point changes little from one position to a nearby one. So it
// is computed at the nodes of a grid. The push on a point between nodes is the value of polynomials
// through the four nodes around it, in each direction. In the opposite direction, a point counts as
// if parts of it were at these nodes. From nodes to nodes, q and q^2 (y_i - y_j) depend only on the
// offset: the sum over all nodes is a convolution, which is a product of Fourier transforms.
//
// Each thread adds the parts of its point to the nodes with atomicAdd, in an order that is not
// defined. The sums are integers, so they are deterministic.
//
// Needs a GPU: cuFFT. Cost: seven transforms of 1024 x 1024 numbers for any number of points, and
// 16 atomic functions and 48 loads per point, instead of count^2 pairs.
//
// Requires: cuFFT

#include "interpolated/convolution.h"
#include "graph.h"
#include "interpolated/interpolated.h"
#include "interpolated/interpolation.h"
#include "pull.h"
#include "step.h"
#include "totals.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

// Finds the largest coordinate, in absolute value. The bits of floats that are not negative,
// compared as integers, have the order of the floats, and NaN is above all.
__global__ void extent_kernel(const float2* __restrict__ points, unsigned* extent, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float2 own = i < count ? points[i] : float2{0, 0};
  const unsigned largest = __reduce_max_sync(
      0xffffffff, max(__float_as_uint(fabsf(own.x)), __float_as_uint(fabsf(own.y))));
  if (threadIdx.x % 32 == 0) atomicMax(extent, max(largest, __float_as_uint(1e-30f)));
}

__global__ void add_to_nodes_kernel(const float2* __restrict__ points,
                                    const float* __restrict__ extent, Whole* nodes, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const Stencil x = stencil_of(points[i].x, *extent), y = stencil_of(points[i].y, *extent);
  for (int b = 0; b < kStencil; ++b) {
    for (int a = 0; a < kStencil; ++a) {
      const auto part = static_cast<long long>(x.weights[a] * y.weights[b] * kWhole);
      atomicAdd(&nodes[(y.first + b) * kNodes + x.first + a], static_cast<Whole>(part));
    }
  }
}

// Stores the push on each point, and the sum of q over the points of each block.
__global__ void pushes_kernel(const float2* __restrict__ points, const float* __restrict__ extent,
                              const float* __restrict__ planes, float2* pushes, float* block_sums,
                              int count) {
  __shared__ float sums[kWarps];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
  if (i < count) {
    const Stencil x = stencil_of(points[i].x, *extent), y = stencil_of(points[i].y, *extent);
    float2 push{0, 0};
    sum = -own_similarity(x, y, spacing_of(*extent));
    for (int b = 0; b < kStencil; ++b) {
      for (int a = 0; a < kStencil; ++a) {
        const float* const at = planes + (y.first + b) * kPeriod + x.first + a;
        const float weight = x.weights[a] * y.weights[b];
        sum += weight * at[kPlane];
        push.x += weight * at[2 * kPlane];
        push.y += weight * at[3 * kPlane];
      }
    }
    pushes[i] = push;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < kWarps; ++warp) sum += sums[warp];
  block_sums[blockIdx.x] = sum;
}

__global__ void step_interpolated_kernel(Map map, const float2* __restrict__ pulls,
                                         const float2* __restrict__ pushes,
                                         const float* __restrict__ block_sums, int blocks,
                                         int count, float exaggeration, float momentum,
                                         float learning_rate) {
  const float z = total_of<kStepThreads>(block_sums, blocks);
  const int i = blockIdx.x * kStepThreads + threadIdx.x;
  if (i >= count) return;
  const float2 pull = pulls[i], push = pushes[i];
  take_step(map, i,
            {4 * (exaggeration * pull.x - push.x / z), 4 * (exaggeration * pull.y - push.y / z)},
            momentum, learning_rate);
}

void embed_interpolated(const Affinities& affinities, const Map& map, int count, int first,
                        int last, const Schedule& schedule, void* d_workspace,
                        cudaStream_t stream) {
  const int blocks = ceil_div(count, kThreads), step_blocks = ceil_div(count, kStepThreads);
  const int pull_blocks = ceil_div(count, kPullWarps);
  float* const d_planes = static_cast<float*>(d_workspace);
  float2* const d_transforms = reinterpret_cast<float2*>(d_planes + kPlanes * kPlane);
  Whole* const d_nodes = reinterpret_cast<Whole*>(d_transforms + kPlanes * kHalfPlane);
  float2* const d_pulls = reinterpret_cast<float2*>(d_nodes + kNodes * kNodes);
  float2* const d_pushes = d_pulls + count;
  float* const d_block_sums = reinterpret_cast<float*>(d_pushes + count);
  float* const d_extent = d_block_sums + blocks;
  const Convolution convolution{};
  const auto queue = [&](int iteration, cudaStream_t on) {
    CUDA_CHECK(cudaMemsetAsync(d_extent, 0, sizeof(float), on));
    CUDA_CHECK(cudaMemsetAsync(d_nodes, 0, kNodes * kNodes * sizeof(Whole), on));
    extent_kernel<<<blocks, kThreads, 0, on>>>(map.points, reinterpret_cast<unsigned*>(d_extent),
                                               count);
    CUDA_CHECK(cudaGetLastError());
    add_to_nodes_kernel<<<blocks, kThreads, 0, on>>>(map.points, d_extent, d_nodes, count);
    CUDA_CHECK(cudaGetLastError());
    convolution.queue(d_nodes, d_extent, d_planes, d_transforms, on);
    pushes_kernel<<<blocks, kThreads, 0, on>>>(map.points, d_extent, d_planes, d_pushes,
                                               d_block_sums, count);
    CUDA_CHECK(cudaGetLastError());
    pull_kernel<<<pull_blocks, kPullThreads, 0, on>>>(affinities, map.points, d_pulls, count);
    CUDA_CHECK(cudaGetLastError());
    step_interpolated_kernel<<<step_blocks, kStepThreads, 0, on>>>(
        map, d_pulls, d_pushes, d_block_sums, blocks, count, exaggeration_at(schedule, iteration),
        momentum_at(schedule, iteration), schedule.learning_rate);
    CUDA_CHECK(cudaGetLastError());
  };
  queue_in_graphs(first, last, schedule, queue, stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));  // the plans free their memory
}

std::size_t interpolated_workspace_bytes(int count) {
  const std::size_t grid = kPlanes * (kPlane * sizeof(float) + kHalfPlane * sizeof(float2)) +
                           kNodes * kNodes * sizeof(Whole);
  return grid + 2 * count * sizeof(float2) + (ceil_div(count, kThreads) + 1) * sizeof(float);
}
