// All-reduce, step 05: NCCL, the library
//
// NCCL chooses between a ring, trees and other algorithms, depending on the size and the links.
//
// Cost: for a large array, the cost of the ring.
//
// Requires: NCCL

#include "all_reduce/all_reduce.h"
#include "nccl_communicators.h"

#include <cstddef>
#include <vector>

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size, const std::vector<void*>&) {
  const std::vector<ncclComm_t>& communicators = nccl_communicators(gpus);
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    check_nccl(ncclAllReduce(d_in[g], d_out[g], size, ncclFloat, ncclSum, communicators[g],
                             gpus[g].stream),
               "ncclAllReduce");
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}
