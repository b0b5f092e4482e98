#pragma once

#include "embedding.h"

#include <cstddef>

// Like embed() of embedding.h, but pushes and Z come from a grid over the map, so they are less
// accurate than floats allow. Their error depends on the distance between the nodes of the grid,
// extent / 254 if all coordinates are from -extent to extent; ADVANCED.md has the bound. Also
// throws CudaError if a call to cuFFT fails.
//
// d_workspace has interpolated_workspace_bytes(count) bytes.
void embed_interpolated(const Affinities& affinities, const Map& map, int count, int first,
                        int last, const Schedule& schedule, void* d_workspace,
                        cudaStream_t stream = nullptr);

std::size_t interpolated_workspace_bytes(int count);
