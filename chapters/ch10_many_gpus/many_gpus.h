#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// One GPU's share of two vectors: `size` doubles of each vector, in the GPU's own memory, aligned
// as by cudaMalloc; no elements if size is 0.
struct Share {
  const double *d_a, *d_b;
  std::size_t size;
  void* d_workspace;  // kWorkspaceBytes bytes in the same memory
};

// Computes *d_dot = the sum of a[i] * b[i] over all elements of all shares; 0 if there are none.
//
// shares[g] is in the memory of gpus[g], d_dot in that of gpus[0]; there are 1 to kMostGpus
// different GPUs. The workspaces are zeroed before their first use, and always used together. The
// work starts when all earlier work in the GPUs' streams has completed. Work that is queued in
// gpus[0].stream afterwards finds the result. Returns when the work is queued, or when it has
// completed; throws CudaError if it cannot be queued.
//
// Each product goes through at most longest_chain() additions. Every stage of this chapter defines
// dot_product() and most_gpus(); each program links exactly one stage.
void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot);

// The number of GPUs that a stage can use: 1 or kMostGpus. Other GPUs get no share.
int most_gpus();

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 2.2 TB per vector
constexpr std::size_t kWorkspaceBytes = 64 * 1024;
constexpr std::size_t longest_chain(std::size_t size) { return size / (1 << 20) + 100; }
