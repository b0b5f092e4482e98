#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// What one GPU has of an array: `size` neighbouring values, at least 1, in its own memory, with
// room for one more before them and one behind, its halo: copies of its neighbours' outermost
// values.
struct Field {
  float* d_values;  // size + 2 floats; the GPU's own are 1 to size
  float* d_next;    // size + 2 floats
  std::size_t size;
};

// One step makes of each value a quarter of its left neighbour, half of itself and a quarter of its
// right neighbour; what would be outside of the whole array is 0. All values of a step are made of
// those before it. Does `steps` of them.
//
// fields[g] is in the memory of gpus[g], and its first own value comes behind the last one of
// fields[g - 1]. The halos at the two ends of the whole array are 0, and stay so. After an even
// number of steps the values are in d_values, after an odd number in d_next; the other one, and the
// halos within the array, may hold anything. Begins once what stands in the GPUs' streams is done,
// returns once the work is queued; throws CudaError if it cannot be queued.
void stencil(const std::vector<Gpu>& gpus, const std::vector<Field>& fields, int steps);
