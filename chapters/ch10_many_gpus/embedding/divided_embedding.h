#pragma once

#include "gpu.h"

#include "chapters/ch9_embedding/embedding.h"

#include <cstddef>
#include <vector>

// One GPU's share of chapter 9's descent, in its own memory, aligned as by cudaMalloc.
struct PointShare {
  Affinities affinities;  // the lists of its own points; the lists of all other points are empty
  Map map;                // all points; uses steps, gains and gradients of its own points only
  void* d_workspace;      // divided_embedding_workspace_bytes() bytes, with any content
};

// Chapter 9's embed(), on several GPUs: iterations first to last - 1 of the descent of `count`
// points. gpus[g] computes the gradients and steps of the points from share_begin(count,
// gpus.size(), g) up to the beginning of share g + 1; shares[g] is in its memory. All GPUs have
// the same points before the call, and bitwise identical points after it. Results are bitwise
// reproducible on the same number of GPUs.
//
// There are 1 to kMostGpus different GPUs; count is from 2 to kMaxPoints, and a share can have no
// points. The work starts when all earlier work in the GPUs' streams has completed. Work that is
// queued in gpus[g].stream afterwards finds the points. Returns when the work is queued; throws
// CudaError if it cannot be queued.
void divided_embedding(const std::vector<Gpu>& gpus, const std::vector<PointShare>& shares,
                       int count, int first, int last, const Schedule& schedule);

// The size of the workspace of each of `gpus` GPUs.
std::size_t divided_embedding_workspace_bytes(int count, std::size_t gpus);

// A contiguous range of points: share g.
struct PointRange {
  int begin, size;
};
inline PointRange points_of(int count, std::size_t gpus, std::size_t g) {
  const auto points = static_cast<std::size_t>(count);
  const auto begin = static_cast<int>(share_begin(points, gpus, g));
  return {begin, static_cast<int>(share_begin(points, gpus, g + 1)) - begin};
}
