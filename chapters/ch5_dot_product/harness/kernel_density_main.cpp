#include "kernel_density.h"
#include "harness/kernel_density_reference.h"
#include "harness/program.h"

#include "common/harness/compare.h"
#include "common/cuda_check.h"
#include "common/harness/random.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kPoints = 33;
constexpr double kBandwidth = 0.125;
constexpr double kLargestZ = 2 / kBandwidth;  // samples and points are from -1 to 1
constexpr std::size_t kMostSamples = 10'000'000;

struct Lengths {
  std::size_t samples = 20'011, chunk = 1024;
};

Lengths parse(Options& options) {
  Lengths lengths;
  const auto read = [&](const char* option, std::size_t& length) {
    const auto given = options.integer(option, 1, static_cast<long long>(kMostSamples));
    if (given) length = static_cast<std::size_t>(*given);
  };
  read("--size", lengths.samples);
  read("--chunk", lengths.chunk);
  return lengths;
}

// The mean of two random numbers: most are near 0, so that there is something to see.
std::vector<double> triangular_samples(std::size_t count) {
  std::vector<double> samples = random_doubles(count, /*seed=*/1);
  const std::vector<double> others = random_doubles(count, /*seed=*/2);
  for (std::size_t i = 0; i < count; ++i) samples[i] = (samples[i] + others[i]) / 2;
  return samples;
}

void print_curve(const std::vector<double>& points, const std::vector<double>& density) {
  for (std::size_t j = 0; j < points.size(); j += 2) {
    const int width = static_cast<int>(50 * std::clamp(density[j], 0.0, 1.2));
    std::printf("  %6.3f  %6.4f  %s\n", points[j], density[j],
                std::string(static_cast<std::size_t>(width), '#').c_str());
  }
}

void run(const Program& program, const Lengths& lengths) {
  const std::vector<double> h_samples = triangular_samples(lengths.samples);
  std::vector<double> h_points;
  for (std::size_t j = 0; j < kPoints; ++j) {
    h_points.push_back(-1 + 2 * static_cast<double>(j) / (kPoints - 1));
  }
  const DeviceBuffer<double> d_samples(h_samples), d_points(h_points);
  DeviceBuffer<double> d_density(kPoints);
  d_density.fill_bytes(0xff);

  kernel_density(d_samples.data(), h_samples.size(), d_points.data(), d_density.data(), kPoints,
                 kBandwidth, lengths.chunk);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here

  const std::vector<double> density = d_density.to_host();
  const std::vector<double> expected = kernel_density_reference(h_samples, h_points, kBandwidth);
  const double tolerance = density_tolerance(h_samples.size(), kLargestZ);
  if (const auto mismatch = find_mismatch(density, expected, tolerance)) {
    throw std::runtime_error(
        format("WRONG for %zu samples in chunks of %zu: %s", lengths.samples, lengths.chunk,
               mismatch_text(*mismatch, "density", density, expected).c_str()));
  }
  std::printf("%s: %zu samples in chunks of %zu, all right\n", program.name.c_str(),
              lengths.samples, lengths.chunk);
  print_curve(h_points, density);
}

}  // namespace

int main(int argc, char** argv) {
  return program_main(
      argc, argv,
      {{"--size N", "how many samples"}, {"--chunk N", "samples in shared memory at a time"}},
      parse, run);
}
