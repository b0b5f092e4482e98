#include "harness/host_affinities.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace {

constexpr int kFewest = 5000;  // points: with fewer, a thread costs more than it saves

// An entry of a row, in column j.
struct Entry {
  int j;
  double weight;
};

// Sorts a row by column and adds the entries of the same column in the order of their weights, so
// both halves of the matrix add in the same order. Returns the number of remaining entries, in
// front.
std::size_t join_equal(Entry* row, std::size_t size) {
  std::sort(row, row + size, [](const Entry& a, const Entry& b) {
    return std::pair(a.j, a.weight) < std::pair(b.j, b.weight);
  });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < size; ++at) {
    if (kept > 0 && row[kept - 1].j == row[at].j) {
      row[kept - 1].weight += row[at].weight;
    } else {
      row[kept++] = row[at];
    }
  }
  return kept;
}

}  // namespace

std::vector<float> as_matrix(const HostAffinities& affinities) {
  const auto count = static_cast<std::size_t>(affinities.count);
  std::vector<float> matrix(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int at = affinities.starts[i]; at < affinities.starts[i + 1]; ++at) {
      const auto entry = static_cast<std::size_t>(at);
      matrix[i * count + static_cast<std::size_t>(affinities.neighbours[entry])] =
          affinities.values[entry];
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
  edges.push_back({0, 1, 1});  // in case no point has chosen another
  return symmetric_affinities(count, std::move(edges));
}

HostAffinities symmetric_affinities(int count, std::vector<Edge> edges) {
  const auto rows = static_cast<std::size_t>(count);
  double sum = 0;
  std::vector<std::size_t> starts(rows + 1);  // of each row's edges, in both directions
  for (const Edge& edge : edges) {
    sum += 2 * edge.weight;
    ++starts[static_cast<std::size_t>(edge.i) + 1];
    ++starts[static_cast<std::size_t>(edge.j) + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Entry> entries(starts.back());
  std::vector<std::size_t> ends(starts.begin(), starts.end() - 1);
  for (const Edge& edge : edges) {
    entries[ends[static_cast<std::size_t>(edge.i)]++] = {edge.j, edge.weight};
    entries[ends[static_cast<std::size_t>(edge.j)]++] = {edge.i, edge.weight};
  }
  for_each_chunk(
      rows, count < kFewest ? 1 : cpu_cores(), [&](unsigned, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          ends[i] = starts[i] + join_equal(&entries[starts[i]], starts[i + 1] - starts[i]);
        }
      });
  HostAffinities affinities{count, {0}, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t at = starts[i]; at < ends[i]; ++at) {
      affinities.neighbours.push_back(entries[at].j);
      affinities.values.push_back(static_cast<float>(entries[at].weight / sum));
    }
    affinities.starts.push_back(static_cast<int>(affinities.neighbours.size()));
  }
  return affinities;
}
