#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// *d_cosine = the cosine of the angle between a and b: their dot product, divided by the lengths of
// both. It is 0 if a vector has length 0: no elements, or zeros only. The squares of the lengths
// are within the range of doubles.
//
// Otherwise the contract of dot_product() in dot_product.h. sum_order(), declared there, is the
// order of its additions.
void cosine_similarity(const double* d_a, const double* d_b, double* d_cosine, std::size_t size,
                       void* d_workspace, cudaStream_t stream = nullptr);
