// Stage 04: peer store: kernels write to another GPU and signal it
//
// With peer access a kernel can use the memory of another GPU like its own GPU's memory: a pointer
// is enough. So a kernel of one thread stores its GPU's sum into the first GPU's memory, and then a
// flag. On the first GPU another kernel polls all flags until they are set. No copy or event is
// needed: two stores over the link replace stage 03's two stream waits, which take microseconds.
//
// The order of the two stores matters. __threadfence_system orders them for all GPUs: a thread that
// sees the flag also sees the sum. (__threadfence orders stores only for the threads of one GPU.)
//
// Cost: two stores over the link per GPU, and one store back. The kernels need peer access, and all
// GPUs must run at the same time. Next: 05_nccl.cu.
//
// Requires: a GPU

#include "many_gpus.h"
#include "peer_access.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

struct PeerStoreWorkspace {
  ShareWorkspace share;
  unsigned calls;               // calls that this GPU has finished
  unsigned calls_read;          // calls that the first GPU has finished; it stores this number here
  unsigned arrived[kMostGpus];  // on the first GPU: the call number of each GPU's sum
  double gathered[kMostGpus];   // on the first GPU: the sums of all GPUs
};
static_assert(sizeof(PeerStoreWorkspace) <= kWorkspaceBytes);

struct Workspaces {
  PeerStoreWorkspace* of[kMostGpus];
};

// Polls the flag until another GPU has stored it.
__device__ void wait_until(const unsigned* flag, unsigned value) {
  while (*static_cast<const volatile unsigned*>(flag) != value) {
  }
  __threadfence_system();  // data read after this is at least as new as the flag
}

__device__ void store_flag(unsigned* flag, unsigned value) {
  __threadfence_system();  // a thread that sees the flag sees all earlier stores
  *static_cast<volatile unsigned*>(flag) = value;
}

__global__ void send_sum_kernel(PeerStoreWorkspace* own, PeerStoreWorkspace* first, std::size_t g) {
  wait_until(&own->calls_read, own->calls);  // the sum of the previous call has been read
  own->calls += 1;
  first->gathered[g] = own->share.sum;
  store_flag(&first->arrived[g], own->calls);
}

__global__ void collect_sums_kernel(Workspaces workspaces, std::size_t count, double* dot) {
  PeerStoreWorkspace* const own = workspaces.of[0];
  own->calls += 1;
  double sum = own->share.sum;
  for (std::size_t g = 1; g < count; ++g) {
    wait_until(&own->arrived[g], own->calls);
    sum += static_cast<volatile double*>(own->gathered)[g];
    store_flag(&workspaces.of[g]->calls_read, own->calls);
  }
  *dot = sum;
}

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  require_peer_access(gpus, "ch10_many_gpus_peer_copy");
  Workspaces workspaces{};
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    workspaces.of[g] = static_cast<PeerStoreWorkspace*>(shares[g].d_workspace);
  }
  for (std::size_t g = gpus.size(); g-- > 0;) {  // the first GPU last: it waits for the rest
    const Share& share = shares[g];
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    queue_share_dot(share.d_a, share.d_b, share.size, share_sum(share), share.d_workspace,
                    gpus[g].stream);
    if (g > 0) {
      send_sum_kernel<<<1, 1, 0, gpus[g].stream>>>(workspaces.of[g], workspaces.of[0], g);
    } else {
      collect_sums_kernel<<<1, 1, 0, gpus[0].stream>>>(workspaces, gpus.size(), d_dot);
    }
    CUDA_CHECK(cudaGetLastError());
  }
}

int most_gpus() { return kMostGpus; }
