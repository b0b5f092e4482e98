#pragma once

#include "harness/host_affinities.h"
#include "harness/input.h"

#include <cstddef>
#include <vector>

// Affinities in plain C++, in double: the definition.
//
// Point i looks at its nearest neighbours, three times as many as the perplexity, rounded up. With
// a precision b, p(j|i) is exp(-b d(i, j)^2) over the sum of that for these neighbours; b is such
// that their entropy, the sum of -p log p, is the logarithm of the perplexity.

// How many neighbours a point looks at.
int neighbours_of(double perplexity);

// What a point makes of the squared distances to its neighbours, in any order.
struct Row {
  std::vector<double> shares;  // p(j|i), in the order of the distances
  double precision;            // b; infinite if no finite one has so low an entropy
  double entropy;              // of the shares
};
// Then the shares are equal among those at the smallest distance: more of them than the perplexity.
Row row_of(const std::vector<double>& squared_distances, double perplexity);

// Throws UsageError unless the perplexity is from 1 to (count - 1) / 3.
void require_perplexity(double perplexity, int count);

// Throws UsageError: vector i, from 0, has `ties` nearest neighbours at the same distance, more
// than the perplexity.
[[noreturn]] void refuse_ties(std::size_t i, std::size_t ties, int count, double perplexity);

// (p(j|i) + p(i|j)) / (2 count), for all i and j. Throws UsageError, in words, if the perplexity is
// not from 1 to (count - 1) / 3, or if a point has more neighbours at its smallest distance than
// the perplexity: no precision tells these apart.
HostAffinities affinities_of(const LabelledVectors& vectors, double perplexity);
