#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// As the lists of Affinities (embedding.h), in the host's memory.
struct HostAffinities {
  int count;
  std::vector<int> starts, neighbours;
  std::vector<float> values;
};

// The matrix, count x count, with its zeros.
std::vector<float> as_matrix(const HostAffinities& affinities);

// Made-up affinities: point i is in group i % groups, and each point has chosen up to `neighbours`
// others of its group and is as near to each of them as chance would have it. Needs no vectors, and
// takes no longer than the lists are. Symmetric, and together 1. count is at least 2, groups from 1
// to count / 2.
HostAffinities random_affinities(int count, int neighbours, int groups, std::uint64_t seed);

// The affinities of pairs: symmetric ones of (i, j, p) that may lack their other half and may stand
// there several times; what is given for (i, j) and for (j, i) is added up, and all is divided by
// the whole sum, which is not 0.
struct Edge {
  int i, j;
  double weight;
};
HostAffinities symmetric_affinities(int count, std::vector<Edge> edges);
