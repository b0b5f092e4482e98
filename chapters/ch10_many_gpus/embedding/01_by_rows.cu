// Embedding, step 01: divided by rows, with two waits for all GPUs per iteration
//
// An iteration of chapter 9's descent needs all points for the push on each point, and then moves
// each point. Most of the work is in the pairs, so the rows of the pairs are divided: a GPU
// computes the forces of all points on its own points.
//
// The GPUs exchange data twice per iteration. The gradient contains Z, a sum over all pairs: each
// GPU sends its part of Z to all other GPUs, and all GPUs add the parts in the order of the GPU
// numbers. So Z is bitwise identical on all GPUs, in every run. Then each GPU moves its own points,
// and sends them to all other GPUs: an all-gather. After each exchange the GPUs synchronise.
//
// Cost per iteration: each GPU sends 8 bytes per own point and 4 bytes for Z to each of G - 1 other
// GPUs, computes count^2 / G pairs, and waits twice.

#include "embedding/divided_embedding.h"
#include "embedding/row_forces.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

__global__ void step_of_rows_kernel(Map map, PointRange own, const float4* __restrict__ forces,
                                    const float* __restrict__ parts_of_z, int gpus,
                                    float exaggeration, float momentum, float learning_rate) {
  const int i = blockIdx.x * kStepThreads + threadIdx.x;
  if (i >= own.size) return;
  float z = 0;
  for (int g = 0; g < gpus; ++g) z += parts_of_z[g];
  const float4 force = forces[i];
  take_step(
      map, own.begin + i,
      {4 * (exaggeration * force.x - force.z / z), 4 * (exaggeration * force.y - force.w / z)},
      momentum, learning_rate);
}

// Queues copies of the data at `d_own` of GPU g to all other GPUs: to at[p] on GPU p.
template <typename T>
static void send_to_all(const std::vector<Gpu>& gpus, std::size_t g, const std::vector<T*>& at,
                        std::size_t size) {
  // Starts with the next GPU, so no two GPUs send to the same GPU at the same time.
  for (std::size_t to = (g + 1) % gpus.size(); to != g; to = (to + 1) % gpus.size()) {
    CUDA_CHECK(cudaMemcpyPeerAsync(at[to], gpus[to].device, at[g], gpus[g].device, size * sizeof(T),
                                   gpus[g].stream));
  }
}

void divided_embedding(const std::vector<Gpu>& gpus, const std::vector<PointShare>& shares,
                       int count, int first, int last, const Schedule& schedule) {
  std::vector<RowForces> forces;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const PointRange own = points_of(count, gpus.size(), g);
    forces.push_back(row_forces_at(shares[g].d_workspace, own.size, count));
  }
  wait_for_each_other(gpus);  // no GPU still uses the points or the parts of Z
  for (int iteration = first; iteration < last; ++iteration) {
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      const PointRange own = points_of(count, gpus.size(), g);
      std::vector<float*> d_part_of_z;
      for (const RowForces& to : forces) d_part_of_z.push_back(to.d_parts_of_z + g);
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      queue_row_forces(shares[g], own, count, forces[g], d_part_of_z[g], gpus[g].stream);
      send_to_all(gpus, g, d_part_of_z, 1);
    }
    wait_for_each_other(gpus);  // all parts of Z have arrived, and no GPU needs the old points

    for (std::size_t g = 0; g < gpus.size(); ++g) {
      const PointRange own = points_of(count, gpus.size(), g);
      if (own.size == 0) continue;
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      const auto blocks = static_cast<unsigned>(ceil_div(own.size, kStepThreads));
      step_of_rows_kernel<<<blocks, kStepThreads, 0, gpus[g].stream>>>(
          shares[g].map, own, forces[g].d_forces, forces[g].d_parts_of_z,
          static_cast<int>(gpus.size()), exaggeration_at(schedule, iteration),
          momentum_at(schedule, iteration), schedule.learning_rate);
      CUDA_CHECK(cudaGetLastError());
      std::vector<float2*> d_own_points;
      for (const PointShare& share : shares) d_own_points.push_back(share.map.points + own.begin);
      send_to_all(gpus, g, d_own_points, static_cast<unsigned>(own.size));
    }
    wait_for_each_other(gpus);  // all points have arrived
  }
}

std::size_t divided_embedding_workspace_bytes(int count, std::size_t gpus) {
  return row_forces_bytes(ceil_div(count, static_cast<int>(gpus)), count);
}
