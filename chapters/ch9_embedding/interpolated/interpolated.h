#pragma once

#include "embedding.h"

#include <cstddef>

// As embed() of embedding.h, but pushes and Z come from a grid over the map, so they are not as
// near to the exact ones as floats allow: how near depends on how far the nodes of the grid are
// apart, extent / 254 where all coordinates are from -extent to extent. The README says how much
// that is. Throws CudaError too if cuFFT cannot do its part.
//
// d_workspace has interpolated_workspace_bytes(count).
void embed_interpolated(const Affinities& affinities, const Map& map, int count, int first,
                        int last, const Schedule& schedule, void* d_workspace,
                        cudaStream_t stream = nullptr);

std::size_t interpolated_workspace_bytes(int count);
