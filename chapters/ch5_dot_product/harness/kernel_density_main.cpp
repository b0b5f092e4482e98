#include "harness/kernel_density_reference.h"
#include "kernel_density.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/driver.h"
#include "common/harness/random.h"

#include <algorithm>
#include <stdexcept>

namespace {

constexpr std::size_t kPoints = 33;
constexpr double kBandwidth = 0.125;
constexpr double kLargestZ = 2 / kBandwidth;  // samples and points are from -1 to 1
constexpr long long kMostSamples = 10'000'000;

struct Lengths {
  std::size_t samples, chunk;
};

// The mean of two random numbers: most are near 0, so the curve has a peak.
std::vector<double> triangular_samples(std::size_t count, std::uint64_t seed) {
  std::vector<double> samples = random_doubles(count, seed);
  const std::vector<double> others = random_doubles(count, seed + 1);
  for (std::size_t i = 0; i < count; ++i) samples[i] = (samples[i] + others[i]) / 2;
  return samples;
}

std::vector<double> evenly_spread_points() {
  std::vector<double> points;
  for (std::size_t j = 0; j < kPoints; ++j) {
    points.push_back(-1 + 2 * static_cast<double>(j) / (kPoints - 1));
  }
  return points;
}

class KernelDensity final : public Problem {
 public:
  static std::vector<OptionHelp> options() {
    return {{"--size N", "number of samples"}, {"--chunk N", "samples in shared memory at a time"}};
  }
  static Lengths parse(Options& options) {
    const auto samples = options.integer<std::size_t>("--size", 1, kMostSamples);
    const auto chunk = options.integer<std::size_t>("--chunk", 1, kMostSamples);
    return {samples.value_or(20'011), chunk.value_or(1024)};
  }
  static Sizes<Lengths> sizes(const Lengths& asked, bool) { return {asked, asked}; }
  static MemoryNeed memory_need(const Lengths& lengths, bool) {
    const double bytes = static_cast<double>(lengths.samples) * sizeof(double);
    return {format("%zu samples", lengths.samples), bytes, 2 * bytes,
            largest_that_fits("--size", static_cast<double>(lengths.samples))};
  }

  KernelDensity(const Lengths& lengths, std::uint64_t seed)
      : lengths_(lengths),
        h_samples_(triangular_samples(lengths.samples, seed)),
        h_points_(evenly_spread_points()),
        d_samples_(h_samples_),
        d_points_(h_points_),
        d_density_(kPoints) {
    d_density_.fill_bytes(0xff);
  }

  void run() override {
    kernel_density(d_samples_.data(), h_samples_.size(), d_points_.data(), d_density_.data(),
                   kPoints, kBandwidth, lengths_.chunk);
  }

  std::string check() override {
    const std::vector<double> density = d_density_.to_host();
    const std::vector<double> expected =
        kernel_density_reference(h_samples_, h_points_, kBandwidth);
    const double tolerance = density_tolerance(h_samples_.size(), kLargestZ);
    if (const auto mismatch = find_mismatch(density, expected, tolerance)) {
      throw std::runtime_error(
          format("WRONG for %zu samples in chunks of %zu: %s", lengths_.samples, lengths_.chunk,
                 mismatch_text(*mismatch, "density", density, expected).c_str()));
    }
    return format("%zu samples in chunks of %zu, all right", lengths_.samples, lengths_.chunk) +
           curve(density);
  }

 private:
  // One line for every second point.
  std::string curve(const std::vector<double>& density) const {
    std::string lines;
    for (std::size_t j = 0; j < kPoints; j += 2) {
      const auto width = static_cast<std::size_t>(50 * std::clamp(density[j], 0.0, 1.2));
      lines +=
          format("\n  %6.3f  %6.4f  %s", h_points_[j], density[j], std::string(width, '#').c_str());
    }
    return lines;
  }

  Lengths lengths_;
  std::vector<double> h_samples_, h_points_;
  DeviceBuffer<double> d_samples_, d_points_, d_density_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<KernelDensity>(argc, argv); }
