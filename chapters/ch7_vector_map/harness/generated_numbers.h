#pragma once

#include "generate/generate.h"
#include "harness/philox_doubles.h"
#include "harness/problem.h"

#include "common/harness/compare.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

// The mean and the mean square of the numbers' distances from the distribution's mean.
struct Moments {
  double mean, variance;
};

template <typename T>
Moments moments_of(const std::vector<T>& numbers, double mean) {
  std::vector<Moments> sums(cpu_cores());
  for_each_chunk(numbers.size(), cpu_cores(), [&](unsigned chunk, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      sums[chunk].mean += numbers[i];
      sums[chunk].variance += (numbers[i] - mean) * (numbers[i] - mean);
    }
  });
  Moments all{0, 0};
  for (const Moments& sum : sums) {
    all = {all.mean + sum.mean, all.variance + sum.variance};
  }
  const auto n = static_cast<double>(numbers.size());
  return {all.mean / n, all.variance / n};
}

// The numbers of a program that generates them on the device. T is float or double.
template <typename T>
class GeneratedNumbers : public TimedProblem {
 public:
  struct Asked {
    SizeOption::Asked n;
    MapData data;
  };
  static std::vector<MapData> choices() { return {MapData::uniform, MapData::normal}; }
  static std::vector<OptionHelp> options() { return data_options(MapData::uniform, choices()); }
  static Asked parse(Options& options) {
    const SizeOption::Asked n = SizeOption::parse(options);
    return {n, parse_data(options, MapData::uniform, choices())};
  }
  static Sizes<MapSize> sizes(const Asked& asked, bool is_timed) {
    const auto [checked, timed] = SizeOption::sizes(asked.n, is_timed);
    return {{checked, asked.data}, {timed, asked.data}};
  }
  static MemoryNeed memory_need(const MapSize& size, bool is_timed) {
    return arrays_of(size.n, sizeof(T), /*on_device=*/is_timed ? 2 : 1, /*on_host=*/2);
  }

  using Generate = void (*)(T* d_x, std::size_t n, Distribution distribution, std::uint64_t seed,
                            cudaStream_t stream);
  GeneratedNumbers(Generate generate, const Generator& generator, const MapSize& size,
                   std::uint64_t seed)
      : generate_(generate),
        generator_(generator),
        size_(size),
        distribution_(size.data == MapData::uniform ? Distribution::uniform : Distribution::normal),
        seed_(seed),
        d_x_(size.n) {
    d_x_.fill_bytes(0xff);
  }

  void run() override { generate_(d_x_.data(), size_.n, distribution_, seed_, nullptr); }

  std::string check() override {
    const std::vector<T> h_x = d_x_.to_host();
    if (generator_.is_philox) require_philox(h_x);
    return require_moments(h_x);
  }

  Timings time() override {
    DeviceBuffer<T> d_copy(size_.n);
    const auto copy = [&] { queue_copy(d_copy.data(), d_x_.data(), d_x_.size_bytes()); };
    if (!generator_.is_on_host) return time_beside(copy, [&] { run(); });
    constexpr int kRepeats = 5;  // of half a second each
    return time_on_cpu_beside(
        copy, [&] { run(); }, [] {}, kRepeats);
  }

  // The numbers are written and not read: half of a copy's bytes.
  Measurement measurement(const Timings& timings) const override {
    Measurement measured = compared_with_copy(size_, sizeof(T), timings);
    measured.own.work /= 2;
    return measured;
  }

 private:
  void require_philox(const std::vector<T>& h_x) const {
    const auto [expected, normal_tolerance] = expected_numbers();
    const T tolerance = distribution_ == Distribution::uniform ? 0 : normal_tolerance;
    if (const auto mismatch = find_mismatch(h_x, expected, T{0}, tolerance)) {
      throw std::runtime_error("WRONG: " + mismatch_text(*mismatch, "x", h_x, expected));
    }
  }

  std::pair<std::vector<T>, T> expected_numbers() const {
    if constexpr (std::is_same_v<T, float>) {
      return {philox_floats(size_.n, distribution_, seed_), kNormalFloatTolerance};
    } else {
      return {philox_doubles(size_.n, distribution_, seed_), kNormalTolerance};
    }
  }

  // Six standard deviations: a correct program exceeds them once in 500 million runs.
  std::string require_moments(const std::vector<T>& h_x) const {
    const bool is_uniform = distribution_ == Distribution::uniform;
    const double mean = is_uniform ? 0.5 : 0, variance = is_uniform ? 1.0 / 12 : 1;
    const double spread_of_squares = std::sqrt(is_uniform ? 1.0 / 180 : 2.0);
    const auto [found_mean, found_variance] = moments_of(h_x, mean);
    const double root = std::sqrt(static_cast<double>(size_.n));
    const bool is_right = std::abs(found_mean - mean) <= 6 * std::sqrt(variance) / root &&
                          std::abs(found_variance - variance) <= 6 * spread_of_squares / root;
    const std::string found = format("mean %.5f, variance %.5f", found_mean, found_variance);
    if (!is_right) {
      throw std::runtime_error(
          format("WRONG: %s, and they should be %.5f and %.5f.", found.c_str(), mean, variance));
    }
    return format("%zu elements, all right\n  %s; the exact values are %.5f and %.5f", size_.n,
                  found.c_str(), mean, variance);
  }

  Generate generate_;
  Generator generator_;
  MapSize size_;
  Distribution distribution_;
  std::uint64_t seed_;
  DeviceBuffer<T> d_x_;
};
