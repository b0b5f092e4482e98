#pragma once

#include "gpu.h"

#include "chapters/ch9_embedding/embedding.h"

#include <cstddef>
#include <vector>

// What one GPU has of chapter 9's descent, in its own memory, aligned as cudaMalloc aligns.
struct PointShare {
  Affinities affinities;  // the lists of its own points; those of all others are empty
  Map map;                // arrays of all points; of steps, gains and gradient it uses its own
  void* d_workspace;      // divided_embedding_workspace_bytes(), of any content
};

// Chapter 9's embed(), over several GPUs: iterations first to last - 1 of the descent of `count`
// points. Gradient and step of point i are made by the GPU whose share it is in: those from
// share_begin(count, gpus.size(), g) on to that of g + 1 by gpus[g], whose memory shares[g] is in.
// Before, the points are the same on all GPUs; after, too, to the last bit. Results have the same
// bits in each run on as many GPUs.
//
// There are 1 to kMostGpus GPUs, each another one; count is from 2 to kMaxPoints, and a GPU may
// have no point. The work begins once what stands in the GPUs' streams is done; what is queued in
// gpus[g].stream afterwards finds the points there. Returns once the work is queued; throws
// CudaError if it cannot be queued.
void divided_embedding(const std::vector<Gpu>& gpus, const std::vector<PointShare>& shares,
                       int count, int first, int last, const Schedule& schedule);

// Of each of `gpus` GPUs.
std::size_t divided_embedding_workspace_bytes(int count, std::size_t gpus);

// Some neighbouring points: those of share g.
struct PointRange {
  int begin, size;
};
inline PointRange points_of(int count, std::size_t gpus, std::size_t g) {
  const auto points = static_cast<std::size_t>(count);
  const auto begin = static_cast<int>(share_begin(points, gpus, g));
  return {begin, static_cast<int>(share_begin(points, gpus, g + 1)) - begin};
}
