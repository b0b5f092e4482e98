// Stage 05: NCCL, the library's all-reduce
//
// NCCL, NVIDIA's collective communication library. A collective is a call that every member of a
// group makes, and that none can finish before the others have come: here ncclAllReduce, which
// combines one array of each member, element by element, and gives all of them the result. It finds
// out how the GPUs are linked, and how to send over that.
//
// One thread makes the calls of all GPUs here, one after the other. The first would wait for the
// second, which is never made, unless the thread says that they belong together: between
// ncclGroupStart and ncclGroupEnd they are noted, and begin at the end.
//
// Cost: one launch a GPU, of NCCL's kernel. Next: 06_overlapped.cu.
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
