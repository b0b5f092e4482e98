#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// d_out[g][i] = the sum of d_in[p][i] over all GPUs p, for i < size: the same sums on every GPU, to
// the last bit.
//
// d_in[g], d_out[g] and d_workspaces[g] are in the memory of gpus[g], aligned as cudaMalloc aligns,
// and do not overlap; there are 1 to kMostGpus GPUs, each another one. d_workspaces[g] has
// kAllReduceWorkspaceBytes, zeroed before they are used for the first time, and they are always
// used together. The work begins once what stands in the GPUs' streams is done; what is queued in
// gpus[g].stream afterwards finds d_out[g] there, and may change d_in[g]. Returns once the work is
// queued; throws CudaError if it cannot be queued.
void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size,
                const std::vector<void*>& d_workspaces);

constexpr std::size_t kAllReduceWorkspaceBytes = std::size_t{5} << 20;
