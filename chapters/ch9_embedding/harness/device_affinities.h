#pragma once

#include "harness/host_affinities.h"
#include "harness/input.h"

// As affinities_of() (affinity_search.h), of any number of vectors: the device finds neighbours
// and shares, in floats. Vectors that differ in nothing but a power of two have the same
// affinities. Throws UsageError as affinities_of() does, and for a perplexity above kMaxNeighbours
// / 3; CudaError if a CUDA call fails, as where the device has too little memory.
HostAffinities device_affinities_of(const LabelledVectors& vectors, double perplexity);
