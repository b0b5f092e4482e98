#pragma once

#include "gpu.h"

#include <cstddef>
#include <vector>

// One GPU's share of an array: `size` contiguous values, at least 1, in the GPU's own memory. The
// halo is one more element before these values and one after them: copies of the outermost values
// of the adjacent shares.
struct Field {
  float* d_values;  // size + 2 floats; the GPU's own are 1 to size
  float* d_next;    // size + 2 floats
  std::size_t size;
};

// Executes `steps` steps. One step replaces each value by the sum of 1/4 of its left neighbour, 1/2
// of itself and 1/4 of its right neighbour. Values outside of the whole array are 0. A step reads
// only values of the previous step.
//
// fields[g] is in the memory of gpus[g], and its first own value follows the last one of
// fields[g - 1]. The halos at the two ends of the whole array are 0 and do not change. After an
// even number of steps the values are in d_values, after an odd number in d_next; the other array,
// and the inner halos, can hold anything. The work starts when all earlier work in the GPUs'
// streams has completed. Returns when the work is queued; throws CudaError if it cannot be queued.
void stencil(const std::vector<Gpu>& gpus, const std::vector<Field>& fields, int steps);
