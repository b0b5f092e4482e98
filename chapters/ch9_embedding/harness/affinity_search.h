#pragma once

#include "harness/host_affinities.h"
#include "harness/input.h"

#include <cstddef>
#include <vector>

// Affinities in plain C++, in double precision: the definition.
//
// Point i has as many neighbours as three times the perplexity, rounded up: its nearest ones. With
// a precision b, p(j|i) is exp(-b d(i, j)^2), divided by the sum over these neighbours; b is such
// that their entropy, the sum of -p log p, is the logarithm of the perplexity.

// The number of neighbours of each point.
int neighbours_of(double perplexity);

// The shares of a point's neighbours.
struct Row {
  std::vector<double> shares;  // p(j|i), in the order of the distances
  double precision;            // b; infinite if no finite one has such a low entropy
  double entropy;              // of the shares
};
// Computes the shares from the squared distances to the neighbours, in any order. If the precision
// is infinite, the shares are equal among the neighbours at the smallest distance.
Row row_of(const std::vector<double>& squared_distances, double perplexity);

// Throws UsageError unless the perplexity is from 1 to (count - 1) / 3.
void require_perplexity(double perplexity, int count);

// Throws UsageError: vector i (from 0) has `ties` nearest neighbours at the same distance, which is
// above the perplexity.
[[noreturn]] void refuse_ties(std::size_t i, std::size_t ties, int count, double perplexity);

// (p(j|i) + p(i|j)) / (2 count), for all i and j. Throws UsageError if the perplexity is not from 1
// to (count - 1) / 3, or if a point has more neighbours at its smallest distance than the
// perplexity, because no precision distinguishes these.
HostAffinities affinities_of(const LabelledVectors& vectors, double perplexity);
