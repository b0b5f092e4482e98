// Exercise 5: the nearest other vector (40 minutes)
//
// A new problem, from a blank file: for each vector, find the number of the other vector with the
// smallest squared distance. Among equal distances, choose the smallest number; -1 if there is no
// other vector. nearest.h has the details. Write the kernel and its launch.
//
// Goal: correct for every count and every number of dimensions. At most 1/16 of the load requests
// of a kernel with one thread per vector, 4 sectors each, and no bank conflicts.
// Check:   ./workbook check ch8_ex5
// Look:    ./workbook inspect ch8_ex5
//
// Begin on paper: which vectors i belong to a block, and how does it loop over all vectors j? Which
// values does a thread keep from one tile to the next? In the end several threads have a candidate
// for the same i: how do they find the best candidate?
//
// Predict first: what is the result for a single vector? Which vector is nearest to vector 0, and
// to vector 1, if all vectors are equal?

#include "nearest.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// TODO: the kernel. (about 40 lines)

void nearest_vectors(const float* d_vectors, int* d_nearest, std::size_t count,
                     std::size_t dimensions, cudaStream_t stream) {
  // TODO: the launch, unless there are no vectors. (about 4 lines)
}
