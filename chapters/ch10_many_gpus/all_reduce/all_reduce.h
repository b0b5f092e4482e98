#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// Computes d_out[g][i] = the sum of d_in[p][i] over all GPUs p, for i < size. The sums are bitwise
// identical on all GPUs.
//
// d_in[g], d_out[g] and d_workspaces[g] are in the memory of gpus[g], aligned as by cudaMalloc, and
// do not overlap; there are 1 to kMostGpus different GPUs. d_workspaces[g] has
// kAllReduceWorkspaceBytes bytes. The workspaces are zeroed before their first use, and always used
// together. The work starts when all earlier work in the GPUs' streams has completed. Work that is
// queued in gpus[g].stream afterwards finds d_out[g], and can change d_in[g]. Returns when the work
// is queued; throws CudaError if it cannot be queued.
void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size,
                const std::vector<void*>& d_workspaces);

constexpr std::size_t kAllReduceWorkspaceBytes = std::size_t{5} << 20;
