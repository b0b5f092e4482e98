#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The lists of Affinities (embedding.h), in host memory.
struct HostAffinities {
  int count;
  std::vector<int> starts, neighbours;
  std::vector<float> values;
};

// The matrix, count x count, with its zeros.
std::vector<float> as_matrix(const HostAffinities& affinities);

// Generates affinities: point i is in group i % groups, and each point chooses up to `neighbours`
// others of its group at random, with a random weight each. Needs no vectors, and its time is
// proportional to the length of the lists. The affinities are symmetric, and their sum is 1. count
// is at least 2, groups from 1 to count / 2.
HostAffinities random_affinities(int count, int neighbours, int groups, std::uint64_t seed);

// Computes symmetric affinities from edges (i, j, p), in any order and with repetitions. All
// weights of (i, j) and of (j, i) are added, and the results are divided by the sum of all, which
// must not be 0.
struct Edge {
  int i, j;
  double weight;
};
HostAffinities symmetric_affinities(int count, std::vector<Edge> edges);
