// Embedding, step 02: exchange with NCCL, with an all-gather instead of copies and waits
//
// ncclAllGather gives every GPU the parts of all GPUs. Each iteration calls it twice: for the parts
// of Z, and for the points. No GPU can finish it before all GPUs have called it, so step 01's waits
// are not needed. And a GPU continues as soon as its own data has arrived.
//
// All parts of an ncclAllGather have the same size. If the GPUs have different numbers of points, a
// group of broadcasts, one from each GPU, replaces it.
//
// Cost: the bytes of step 01. For each GPU, an iteration has two calls for the exchanges, and step
// 01 has copies to each other GPU, two events, and waits for the events of each other GPU.
//
// Requires: NCCL

#include "embedding/divided_embedding.h"
#include "embedding/row_forces.h"
#include "nccl_communicators.h"

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

// Queues an all-gather: GPU g has an array at arrays[g], and its part of it. Afterwards all GPUs
// have all parts. Part g begins at element begins[g], and the last part ends at begins.back().
static void all_gather(const std::vector<Gpu>& gpus, const std::vector<float*>& arrays,
                       const std::vector<std::size_t>& begins) {
  const std::vector<ncclComm_t>& communicators = nccl_communicators(gpus);
  const std::size_t size = begins[1], count = gpus.size();
  const bool are_equal = begins.back() == size * count;
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t g = 0; g < count; ++g) {
    if (are_equal) {
      check_nccl(ncclAllGather(arrays[g] + begins[g], arrays[g], size, ncclFloat, communicators[g],
                               gpus[g].stream),
                 "ncclAllGather");
      continue;
    }
    for (std::size_t from = 0; from < count; ++from) {
      float* const d_part = arrays[g] + begins[from];
      check_nccl(ncclBroadcast(d_part, d_part, begins[from + 1] - begins[from], ncclFloat,
                               static_cast<int>(from), communicators[g], gpus[g].stream),
                 "ncclBroadcast");
    }
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

void divided_embedding(const std::vector<Gpu>& gpus, const std::vector<PointShare>& shares,
                       int count, int first, int last, const Schedule& schedule) {
  std::vector<RowForces> forces;
  std::vector<float*> d_parts_of_z, d_points;
  std::vector<std::size_t> z_begins{0}, point_begins{0};  // in floats
  for (const PointShare& share : shares) {
    const PointRange own = points_of(count, gpus.size(), forces.size());
    forces.push_back(row_forces_at(share.d_workspace, own.size, count));
    d_parts_of_z.push_back(forces.back().d_parts_of_z);
    d_points.push_back(reinterpret_cast<float*>(share.map.points));
    z_begins.push_back(forces.size());
    point_begins.push_back(2 * static_cast<std::size_t>(own.begin + own.size));
  }
  for (int iteration = first; iteration < last; ++iteration) {
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      queue_row_forces(shares[g], points_of(count, gpus.size(), g), count, forces[g],
                       d_parts_of_z[g] + g, gpus[g].stream);
    }
    all_gather(gpus, d_parts_of_z, z_begins);
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      const PointRange own = points_of(count, gpus.size(), g);
      if (own.size == 0) continue;
      CUDA_CHECK(cudaSetDevice(gpus[g].device));
      const auto blocks = static_cast<unsigned>(ceil_div(own.size, kStepThreads));
      step_of_rows_kernel<<<blocks, kStepThreads, 0, gpus[g].stream>>>(
          shares[g].map, own, forces[g].d_forces, d_parts_of_z[g], static_cast<int>(gpus.size()),
          exaggeration_at(schedule, iteration), momentum_at(schedule, iteration),
          schedule.learning_rate);
      CUDA_CHECK(cudaGetLastError());
    }
    all_gather(gpus, d_points, point_begins);
  }
}

std::size_t divided_embedding_workspace_bytes(int count, std::size_t gpus) {
  return row_forces_bytes(ceil_div(count, static_cast<int>(gpus)), count);
}
