#include "harness/host_affinities.h"

#include "common/harness/random.h"

#include <algorithm>
#include <tuple>

std::vector<float> as_matrix(const HostAffinities& affinities) {
  const auto count = static_cast<std::size_t>(affinities.count);
  std::vector<float> matrix(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int at = affinities.starts[i]; at < affinities.starts[i + 1]; ++at) {
      const auto place = static_cast<std::size_t>(at);
      matrix[i * count + static_cast<std::size_t>(affinities.neighbours[place])] =
          affinities.values[place];
    }
  }
  return matrix;
}

HostAffinities random_affinities(int count, int neighbours, int groups, std::uint64_t seed) {
  std::vector<Edge> edges;
  RandomBits bits(seed);
  for (int i = 0; i < count; ++i) {
    const int group = i % groups;
    const auto members = static_cast<std::uint64_t>((count - group + groups - 1) / groups);
    for (int k = 0; k < neighbours; ++k) {
      const int j = group + groups * static_cast<int>(bits() % members);
      const double weight = static_cast<double>(bits() >> 40) + 1;
      if (j != i) edges.push_back({i, j, weight});
    }
  }
  edges.push_back({0, 1, 1});  // if chance has left all alone
  return symmetric_affinities(count, std::move(edges));
}

HostAffinities symmetric_affinities(int count, std::vector<Edge> edges) {
  const std::size_t given = edges.size();
  double sum = 0;
  edges.reserve(2 * given);
  for (std::size_t at = 0; at < given; ++at) {
    const auto [i, j, weight] = edges[at];
    edges.push_back({j, i, weight});
    sum += 2 * weight;
  }
  // In the order of the lists; equal pairs by weight, so that both halves add up in one order.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.i, a.j, a.weight) < std::tie(b.i, b.j, b.weight);
  });
  HostAffinities affinities{count, std::vector<int>(static_cast<std::size_t>(count) + 1), {}, {}};
  for (std::size_t at = 0; at < edges.size();) {
    const int i = edges[at].i, j = edges[at].j;
    double weight = 0;
    for (; at < edges.size() && edges[at].i == i && edges[at].j == j; ++at) {
      weight += edges[at].weight;
    }
    affinities.neighbours.push_back(j);
    affinities.values.push_back(static_cast<float>(weight / sum));
    ++affinities.starts[static_cast<std::size_t>(i) + 1];
  }
  for (std::size_t i = 1; i < affinities.starts.size(); ++i) {
    affinities.starts[i] += affinities.starts[i - 1];
  }
  return affinities;
}
