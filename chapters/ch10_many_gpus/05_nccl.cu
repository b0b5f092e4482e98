// Stage 05: NCCL all-reduce
//
// NCCL is NVIDIA's collective communication library. Every member of a group calls a collective,
// and no member can finish before all members have called. This stage uses ncclAllReduce: it
// combines one array per member, element by element, and gives the result to all members. NCCL
// detects how the GPUs are linked, and chooses how to send over these links.
//
// One host thread makes the calls for all GPUs, one at a time. Without a group the first call would
// wait for the second call, which is never made. Between ncclGroupStart and ncclGroupEnd the calls
// are only recorded; ncclGroupEnd starts them.
//
// Cost: one launch of NCCL's kernel per GPU. Next: 06_overlapped.cu.
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
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    double* const d_sum = share_sum(shares[g]);
    check_nccl(ncclAllReduce(d_sum, g == 0 ? d_dot : d_sum, 1, ncclDouble, ncclSum,
                             communicators[g], gpus[g].stream),
               "ncclAllReduce");
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

int most_gpus() { return kMostGpus; }
