#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// What one GPU has of two vectors: `size` doubles of each, in its own memory, aligned as cudaMalloc
// aligns; none if size is 0.
struct Share {
  const double *d_a, *d_b;
  std::size_t size;
  void* d_workspace;  // kWorkspaceBytes in the same memory
};

// *d_dot = the sum of a[i] * b[i] over all elements of all shares; the sum of none is 0.
//
// shares[g] is in the memory of gpus[g], d_dot in that of gpus[0]; there are 1 to kMostGpus, each
// another one. The workspaces are zeroed before they are used for the first time, and always used
// together. The work begins once what stands in the GPUs' streams is done; what is queued in
// gpus[0].stream afterwards finds the result. Returns once the work is queued, or once it is done;
// throws CudaError if it cannot be queued.
//
// A product passes through at most longest_chain() additions on its way. Every stage of this
// chapter defines this function and the next; each program links exactly one stage.
void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot);

// How many GPUs a stage can use: 1 or kMostGpus. Where there are fewer than asked, the others have
// no share.
int most_gpus();

constexpr std::size_t kMaxSize = std::size_t{1} << 38;  // 2.2 TB a vector
constexpr std::size_t kWorkspaceBytes = 64 * 1024;
constexpr std::size_t longest_chain(std::size_t size) { return size / (1 << 20) + 100; }
