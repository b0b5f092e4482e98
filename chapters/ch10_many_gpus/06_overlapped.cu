// Stage 06: overlapped: transfer one sum while computing the next
//
// Each GPU computes its share in four parts. As soon as the sum of a part is complete, a second
// stream sends the sum to the first GPU. During this transfer the GPU computes the next part. Only
// the transfer of the last part is not hidden.
//
// A dot product has almost no communication to hide: a transfer of four sums of 8 bytes takes as
// long as a transfer of one sum, and the last transfer takes as long as in stage 03. Overlapping
// is worthwhile if each part has a large result: see transpose/04_overlapped.cu.
//
// Cost per GPU: four launches, four copies and six waits; stage 03 has one, one and two.

#include "many_gpus.h"
#include "share_dot.h"

#include "common/cuda_check.h"

#include <cstddef>
#include <vector>

constexpr std::size_t kParts = 4;

struct OverlappedWorkspace {
  ShareWorkspace share;
  double sums[kParts];
  double gathered[kMostGpus][kParts];  // on the first GPU: the sums of all GPUs
};
static_assert(sizeof(OverlappedWorkspace) <= kWorkspaceBytes);

// Adds the sums in the order of the GPU numbers, so the result is bitwise reproducible.
__global__ void add_gathered_kernel(const double* gathered, std::size_t count, double* dot) {
  double sum = 0.0;
  for (std::size_t g = 0; g < count; ++g) sum += gathered[g];
  *dot = sum;
}

// The number is even, so every part is aligned for double2.
static std::size_t part_begin(std::size_t size, std::size_t part) {
  return part == kParts ? size : share_begin(size / 2, kParts, part) * 2;
}

void dot_product(const std::vector<Gpu>& gpus, const std::vector<Share>& shares, double* d_dot) {
  auto& d_gathered = static_cast<OverlappedWorkspace*>(shares[0].d_workspace)->gathered;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const Share& share = shares[g];
    double* const d_sums = static_cast<OverlappedWorkspace*>(share.d_workspace)->sums;
    const GpuEvent computed(gpus[g]), arrived(gpus[g]);
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t begin = part_begin(share.size, part);
      queue_share_dot(share.d_a + begin, share.d_b + begin,
                      part_begin(share.size, part + 1) - begin, d_sums + part, share.d_workspace,
                      gpus[g].stream);
      CUDA_CHECK(cudaEventRecord(computed.get(), gpus[g].stream));
      CUDA_CHECK(cudaStreamWaitEvent(gpus[g].copies, computed.get()));
      CUDA_CHECK(cudaMemcpyPeerAsync(&d_gathered[g][part], gpus[0].device, d_sums + part,
                                     gpus[g].device, sizeof(double), gpus[g].copies));
    }
    CUDA_CHECK(cudaEventRecord(arrived.get(), gpus[g].copies));
    CUDA_CHECK(cudaStreamWaitEvent(gpus[0].stream, arrived.get()));
  }

  const GpuEvent added(gpus[0]);
  add_gathered_kernel<<<1, 1, 0, gpus[0].stream>>>(d_gathered[0], gpus.size() * kParts, d_dot);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(added.get(), gpus[0].stream));
  for (std::size_t g = 1; g < gpus.size(); ++g) {
    CUDA_CHECK(cudaStreamWaitEvent(gpus[g].stream, added.get()));
  }
}

int most_gpus() { return kMostGpus; }
