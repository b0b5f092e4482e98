// Stage 03: peer copy: sums copied from GPU to GPU
//
// A peer of a GPU is another GPU in the same computer. cudaMemcpyPeerAsync copies from the memory
// of one GPU to the memory of a peer: over NVLink if this link connects the two GPUs, otherwise
// over PCI Express. So the sums go directly to the first GPU, which adds them, and the host does
// not wait.
//
// A stream keeps the order of one GPU's work. Work of two GPUs is ordered only by events: the first
// GPU's stream waits for the event that each other GPU records after its copy. The other GPUs also
// wait for the first GPU, because their next call must not overwrite a sum that the first GPU has
// not read yet.
//
// Cost: a copy of 8 bytes and two waits per GPU, and one more launch. Next: 04_peer_store.cu.

#include "many_gpus.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

struct PeerCopyWorkspace {
  ShareWorkspace share;
  double gathered[kMostGpus];  // on the first GPU: the sums of all GPUs
};
static_assert(sizeof(PeerCopyWorkspace) <= kWorkspaceBytes);

// Adds the sums in the order of the GPU numbers, so the result is bitwise reproducible.
__global__ void add_gathered_kernel(const double* gathered, std::size_t count, double* dot) {
  double sum = 0.0;
  for (std::size_t g = 0; g < count; ++g) sum += gathered[g];
  *dot = sum;
}

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  double* const d_gathered = static_cast<PeerCopyWorkspace*>(shares[0].d_workspace)->gathered;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const Share& share = shares[g];
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    queue_share_dot(share.d_a, share.d_b, share.size, share_sum(share), share.d_workspace,
                    gpus[g].stream);
    CUDA_CHECK(cudaMemcpyPeerAsync(d_gathered + g, gpus[0].device, share_sum(share), gpus[g].device,
                                   sizeof(double), gpus[g].stream));
  }
  // The first GPU waits for the copies of the other GPUs. Its own copy is already in its stream.
  for (std::size_t g = 1; g < gpus.size(); ++g) {
    const GpuEvent arrived(gpus[g]);
    CUDA_CHECK(cudaEventRecord(arrived.get(), gpus[g].stream));
    CUDA_CHECK(cudaStreamWaitEvent(gpus[0].stream, arrived.get()));
  }

  const GpuEvent added(gpus[0]);
  add_gathered_kernel<<<1, 1, 0, gpus[0].stream>>>(d_gathered, gpus.size(), d_dot);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(added.get(), gpus[0].stream));
  for (std::size_t g = 1; g < gpus.size(); ++g) {
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, added.get()));
  }
}

int most_gpus() { return kMostGpus; }
