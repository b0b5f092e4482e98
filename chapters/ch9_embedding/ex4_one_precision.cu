// Exercise 4: one precision for all (10 minutes)
// Bug hunt
//
// One line of this kernel (one thread per row of shares) is wrong. If all points have neighbours at
// similar distances, the shares are almost correct.
//
// TODO: find the line (1 line). Which distances determine the precision of a point?
//
// Goal: the specified entropy in each row.
// Check:   ./workbook check ch9_ex4
//
// Predict first: a second group of points is four times as wide as the first. What happens to the
// shares of the second group, if both groups have the precision of the first?

#include "shares/search.h"
#include "shares/shares.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

constexpr int kThreads = 128;

// Returns the sums of a row's exponentials at precision b.
__device__ RowSums sums_at(const float* row, int neighbours, float least, float b) {
  RowSums sums{0, 0};
  for (int k = 0; k < neighbours; ++k) {
    const float exponent = b * (row[k] - least);
    const float weight = expf(-exponent);
    sums.weights += weight;
    sums.weighted += weight * exponent;
  }
  return sums;
}

__global__ void one_precision_kernel(const float* __restrict__ distances, float* shares,
                                     float* precisions, int rows, int neighbours,
                                     float perplexity) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= rows) return;
  const float* const row = distances + static_cast<std::size_t>(i) * neighbours;
  float least = INFINITY, most = -INFINITY;
  for (int k = 0; k < neighbours; ++k) {
    least = fminf(least, row[k]);
    most = fmaxf(most, row[k]);
  }
  int ties = 0;
  for (int k = 0; k < neighbours; ++k) ties += row[k] == least;

  const bool is_tied = ties > perplexity || least == most;
  PrecisionSearch search(most - least, perplexity);
  RowSums sums{static_cast<float>(ties)};
  if (!is_tied) {
    do {
      sums = sums_at(distances, neighbours, least, search.precision());
    } while (!search.is_done_with(entropy_of(sums)));
  }
  precisions[i] = is_tied ? INFINITY : search.precision();
  for (int k = 0; k < neighbours; ++k) {
    const float above = row[k] - least;
    const float weight = is_tied ? (above == 0 ? 1.0f : 0.0f) : expf(-search.precision() * above);
    shares[static_cast<std::size_t>(i) * neighbours + k] = weight / sums.weights;
  }
}

void find_shares(const float* d_distances, float* d_shares, float* d_precisions, int rows,
                 int neighbours, float perplexity, cudaStream_t stream) {
  if (rows == 0) return;  // a grid has at least one block
  const auto blocks = static_cast<unsigned>(ceil_div(rows, kThreads));
  one_precision_kernel<<<blocks, kThreads, 0, stream>>>(d_distances, d_shares, d_precisions, rows,
                                                        neighbours, perplexity);
  CUDA_CHECK(cudaGetLastError());
}
