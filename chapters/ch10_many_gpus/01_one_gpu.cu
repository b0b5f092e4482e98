// Stage 01: one GPU
//
// The program that chapter 5 ends with, on the first GPU: all of both vectors is in its memory.
// What is there twice is idle.
//
// cudaSetDevice says which GPU the thread's next launches, allocations and events belong to. It is
// the first one where nobody says anything, which is why no chapter before this one had to.
//
// Cost: 16 bytes an element cross one memory. Next: 02_split.cu.

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
