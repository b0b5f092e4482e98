#pragma once

#include <cuda_runtime.h>

// One step of k-means for n points of the plane and k centres.
//
// d_nearest[i] = the number of the centre with the smallest squared distance to point i; among
// equal distances the smallest number. The points with d_nearest[i] = c are cluster c.
// d_sizes[c] = the number of points in cluster c.
// d_means: the means of the clusters. An empty cluster keeps its old centre.
//
// d_points holds the x of all points, then the y of all points: point i is at (d_points[i],
// d_points[n + i]). In the same way d_centres and d_means hold k values of x, then k of y.
// All arrays are in device memory and do not overlap. The old values of d_nearest, d_sizes and
// d_means do not matter.
//
// n is from 0 to kMaxPoints, and k from 1 to kMaxClusters. The x and y of the points are integers
// from -100 to 100, so sums of 100,000 of them are exact in floats, in any order. A mean is the
// sum divided by the size, in float. Returns once the work is queued on `stream`; throws CudaError
// if it cannot be launched.
//
// The project defines this one function.
void k_means_step(const float* d_points, const float* d_centres, int* d_nearest, int* d_sizes,
                  float* d_means, int n, int k, cudaStream_t stream = nullptr);

constexpr int kMaxPoints = 100'000;
constexpr int kMaxClusters = 256;
