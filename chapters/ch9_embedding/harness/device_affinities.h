#pragma once

#include "harness/host_affinities.h"
#include "harness/input.h"

// Like affinities_of() (affinity_search.h), but for any number of vectors: the device finds
// neighbours and shares, in floats. Vectors multiplied by a power of two have the same affinities.
// Throws UsageError like affinities_of(), and for a perplexity above kMaxNeighbours / 3; CudaError
// if a CUDA call fails, for example because the device has too little memory.
HostAffinities device_affinities_of(const LabelledVectors& vectors, double perplexity);
