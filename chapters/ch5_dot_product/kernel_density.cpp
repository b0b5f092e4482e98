#include "kernel_density.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cmath>

namespace {

constexpr double kBandwidth = 0.125;

// The density at one point, and the largest distance from it that a kernel's result can have.
struct Density {
  double value, tolerance;
};

// The sum in the header, and its rounding error.
//
// u = 2^-53 is the largest relative rounding error of one operation. z is rounded twice and its
// square twice more, so the relative error of the exponent z^2 / 2 is at most 6 u (the errors of z
// count double). The relative error of the exponential is the absolute error of the exponent, 3 z^2
// u, plus its own: in CUDA and in the C library at most 1 ulp, 2 u. All terms are positive, so each
// of the additions adds at most u of the sum; 4 u are for the final factor. The kernel and this sum
// can each have this error.
Density density_at(double point, const std::vector<double>& samples) {
  const auto count = static_cast<double>(samples.size());
  const double normal = count * kBandwidth * std::sqrt(2 * M_PI);
  double sum = 0, sum_of_squares = 0;  // of z, each with the weight of its term
  for (const double sample : samples) {
    const double z = (point - sample) / kBandwidth;
    const double term = std::exp(-z * z / 2);
    sum += term;
    sum_of_squares += z * z * term;
  }
  const double errors = 2 * ((count + 2 + 4) * sum + 3 * sum_of_squares) * 0x1p-53;
  return {sum / normal, errors / normal};
}

// The mean of two random numbers: most are near 0, so the curve has a peak.
std::vector<double> triangular_samples(std::size_t count, std::uint64_t seed) {
  std::vector<double> samples = random_doubles(count, seed);
  const std::vector<double> others = random_doubles(count, seed + 1);
  for (std::size_t i = 0; i < count; ++i) samples[i] = (samples[i] + others[i]) / 2;
  return samples;
}

// From -1 to 1.
std::vector<double> evenly_spread_points(std::size_t count) {
  std::vector<double> points;
  for (std::size_t j = 0; j < count; ++j) {
    const auto last = static_cast<double>(std::max<std::size_t>(count - 1, 1));
    points.push_back(-1 + 2 * static_cast<double>(j) / last);
  }
  return points;
}

struct KernelDensity final : Computation {
  explicit KernelDensity(const Shape& shape)
      : sample_count(shape[0]), point_count(shape[1]), chunk(shape[2]) {}

  void fill(std::uint64_t seed) override {
    samples.host = triangular_samples(sample_count, seed);
    points.host = evenly_spread_points(point_count);
  }
  void run(cudaStream_t stream) override {
    kernel_density(samples, sample_count, points, density, point_count, kBandwidth, chunk, stream);
  }
  void expect() override {
    std::vector<double> right, bounds;
    for (const double point : points.host) {
      const auto [value, tolerance] = density_at(point, samples.host);
      right.push_back(value);
      bounds.push_back(tolerance);
    }
    density.expect(right, bounds);
  }

  std::string text() const override {
    return format("%zu samples in chunks of %zu", sample_count, chunk);
  }
  // The curve has one line for every second point.
  std::string report() const override {
    std::string lines = text() + ", all right";
    for (std::size_t j = 0; j < point_count; j += 2) {
      const auto width = static_cast<std::size_t>(50 * std::clamp(density.result[j], 0.0, 1.2));
      lines += format("\n  %6.3f  %6.4f  %s", points.host[j], density.result[j],
                      std::string(width, '#').c_str());
    }
    return lines;
  }

  std::size_t sample_count, point_count, chunk;
  Input<double> samples{this, "samples", sample_count};
  Input<double> points{this, "points", point_count};
  Output<double> density{this, "density", point_count};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<KernelDensity>;
  constexpr std::size_t kMost = 10'000'000;
  operation.extents = {{"--size N", "number of samples", kMost, 20'011, 20'011},
                       {"--points P", "points of the curve", kMost, 33, 33},
                       {"--chunk N", "samples in shared memory at a time", kMost, 1024, 1024}};
  // One of each; chunks of one, of a block's threads and the sizes around it; a last chunk that is
  // not full; more room than samples; several blocks; no points.
  operation.shapes = {{1, 1, 1},      {1, 3, 100},    {7, 5, 1},
                      {255, 31, 256}, {257, 33, 256}, {600, 255, 257},
                      {513, 257, 64}, {100, 600, 33}, {5, 0, 3}};
  return operation;
}
