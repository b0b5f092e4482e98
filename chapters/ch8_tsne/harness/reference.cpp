#include "harness/reference.h"

#include <cstddef>
#include <numeric>

namespace {

// The vectors in double, row-major, minus their mean, which is rounded to floats as the stages do.
std::vector<double> centred(const HostPoints& points, const std::vector<int>& chosen) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  std::vector<double> vectors(chosen.size() * dimensions);
  for (int k = 0; k < points.dimensions; ++k) {
    double sum = 0;
    for (int i = 0; i < points.count; ++i) sum += points.at(i, k);
    const double mean = points.count > 0 ? static_cast<float>(sum / points.count) : 0;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      vectors[c * dimensions + static_cast<std::size_t>(k)] = points.at(chosen[c], k) - mean;
    }
  }
  return vectors;
}

std::vector<double> squared_norms(const std::vector<double>& vectors, std::size_t dimensions,
                                  std::size_t count) {
  std::vector<double> norms;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const vector = vectors.data() + i * dimensions;
    norms.push_back(std::inner_product(vector, vector + dimensions, vector, 0.0));
  }
  return norms;
}

}  // namespace

const std::vector<double>& scales(const Expected& expected, Scale scale) {
  switch (scale) {
    case Scale::kDistance:
      return expected.distances;
    case Scale::kCentredNorms:
      return expected.centred_norms;
    case Scale::kNorms:
      break;
  }
  return expected.norms;
}

Expected distances_reference(const HostPoints& points, const std::vector<int>& chosen) {
  const auto dimensions = static_cast<std::size_t>(points.dimensions);
  std::vector<double> vectors;  // row-major: a distance reads two contiguous vectors
  for (const int i : chosen) {
    for (int k = 0; k < points.dimensions; ++k) vectors.push_back(points.at(i, k));
  }
  const std::vector<double> norms = squared_norms(vectors, dimensions, chosen.size());
  const std::vector<double> centred_norms =
      squared_norms(centred(points, chosen), dimensions, chosen.size());

  Expected expected;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      const double *const x = vectors.data() + i * dimensions, *const y =
                                                                   vectors.data() + j * dimensions;
      double sum = 0;
      for (std::size_t k = 0; k < dimensions; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
      expected.distances.push_back(sum);
      expected.centred_norms.push_back(centred_norms[i] + centred_norms[j]);
      expected.norms.push_back(norms[i] + norms[j]);
    }
  }
  return expected;
}

Expected distances_reference(const HostPoints& points) {
  std::vector<int> all(static_cast<std::size_t>(points.count));
  std::iota(all.begin(), all.end(), 0);
  return distances_reference(points, all);
}

RelativeErrors distance_errors(const std::vector<float>& actual, const Expected& expected,
                               Scale scale) {
  return relative_errors(actual.data(), expected.distances, scales(expected, scale));
}
