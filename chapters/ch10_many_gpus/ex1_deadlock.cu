// Exercise 1: an all-reduce that never ends (10 minutes)
// Bug hunt
//
// Stage 05 with lines missing. On real GPUs the program may wait forever, without a message. With
// another version of NCCL it may work by luck. The simulator reports which rank waits for which.
//
// TODO: find the reason, and fix it (2 lines).
//
// Goal: correct for any number of GPUs.
// Check:   ./workbook check ch10_ex1
//
// Predict first: on how many GPUs does the program work without a change?
//
// Requires: NCCL

#include "many_gpus.h"
#include "nccl_communicators.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  const std::vector<ncclComm_t>& communicators = nccl_communicators(gpus);
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const Share& share = shares[g];
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    queue_share_dot(share.d_a, share.d_b, share.size, share_sum(share), share.d_workspace,
                    gpus[g].stream);
  }
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    double* const d_sum = share_sum(shares[g]);
    check_nccl(ncclAllReduce(d_sum, g == 0 ? d_dot : d_sum, 1, ncclDouble, ncclSum,
                             communicators[g], gpus[g].stream),
               "ncclAllReduce");
  }
}

int most_gpus() { return kMostGpus; }
