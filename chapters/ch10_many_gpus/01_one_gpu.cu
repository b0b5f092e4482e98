// Stage 01: one GPU
//
// The last program of chapter 5, on the first GPU: both vectors are in the memory of this GPU. The
// other GPUs are idle.
//
// cudaSetDevice selects the GPU of the thread's next launches, allocations and events. The default
// is the first GPU, so no earlier chapter needed the call.
//
// Cost: one memory delivers 16 bytes per element. Next: 02_split.cu.

#include "many_gpus.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <vector>

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  const Share& share = shares[0];
  CUDA_CHECK(cudaSetDevice(gpus[0].device));
  queue_share_dot(share.d_a, share.d_b, share.size, d_dot, share.d_workspace, gpus[0].stream);
}

int most_gpus() { return 1; }
