// Stage 02: split: one share per GPU, summed on the host
//
// Each GPU has a share of both vectors in its own memory, and adds the products of its share. The
// host queues the work of all GPUs before it waits for any GPU. A launch returns at once, so the
// GPUs work at the same time although a single host thread serves them. Then the host fetches a sum
// from each GPU, adds the sums, and sends the result to the first GPU.
//
// Cost: each of G GPUs reads 1/G of stage 01's bytes. Then the host waits for each GPU. 8 bytes
// cross PCI Express from each GPU, and 8 bytes to the first GPU. Next: 03_peer_copy.cu.

#include "many_gpus.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <numeric>
#include <vector>

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  std::vector<double> sums(gpus.size());
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const Share& share = shares[g];
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    queue_share_dot(share.d_a, share.d_b, share.size, share_sum(share), share.d_workspace,
                    gpus[g].stream);
  }
  for (std::size_t g = 0; g < gpus.size(); ++g) {  // second loop: all GPUs are working
    CUDA_CHECK(cudaMemcpyAsync(&sums[g], share_sum(shares[g]), sizeof(double),
                               cudaMemcpyDeviceToHost, gpus[g].stream));
    CUDA_CHECK(cudaStreamSynchronize(gpus[g].stream));  // the host reads the sum of this GPU
  }
  const double dot = std::accumulate(sums.begin(), sums.end(), 0.0);
  CUDA_CHECK(cudaMemcpyAsync(d_dot, &dot, sizeof(double), cudaMemcpyHostToDevice, gpus[0].stream));
}

int most_gpus() { return kMostGpus; }
