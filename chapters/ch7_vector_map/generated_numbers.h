#pragma once

#include "generate/generate.h"
#include "generate/philox_doubles.h"
#include "map_data.h"
#include "vector_map.h"

#include "common/harness/cpu_baseline.h"
#include "common/harness/operation.h"

#include <cmath>
#include <type_traits>
#include <vector>

// What the operations that generate random numbers have in common: the check, sizes and the
// ceiling.

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

// n numbers of T, float or double, from a seed. A shape is n and the word of --data.
template <typename T>
class GeneratedNumbers : public Computation {
 public:
  GeneratedNumbers(const Generator& generator, const Shape& shape)
      : n(shape[0]),
        distribution(kWords[shape[1]] == MapData::uniform ? Distribution::uniform
                                                          : Distribution::normal),
        generator_(generator),
        exact_(distribution == Distribution::uniform ? Moments{0.5, 1.0 / 12} : Moments{0, 1}) {}

  void fill(std::uint64_t any) override { seed = any; }
  // The CPU computes the numbers of the chapter's Philox. Those of a library are random numbers in
  // another order: the mean and the variance of all tell whether they have the distribution.
  void expect() override {
    const std::vector<T> numbers = x.now();
    found_ = moments_of(numbers, exact_.mean);
    if (generator_.is_philox) return expect_philox();
    const bool are_moments_right = has_right_moments();
    const bool is_uniform = distribution == Distribution::uniform;
    x.expect(
        [=](T value, std::size_t) {
          const bool is_possible = is_uniform ? 0 <= value && value <= 1 : std::isfinite(value);
          return is_possible && are_moments_right;
        },
        [mean = exact_.mean](std::size_t) { return mean; });
  }
  double work() const override {
    return x.bytes();
  }  // written and not read: half of a copy's bytes

  std::string text() const override { return format("%zu elements of %zu bytes", n, sizeof(T)); }
  std::string report() const override {
    return format("%zu elements, all right\n  ", n) + moments();
  }
  std::string about_wrong(std::size_t, double) const override {
    return generator_.is_philox ? "" : " (" + moments() + ")";
  }

  inline static const std::vector<MapData> kWords{MapData::uniform, MapData::normal};
  const std::size_t n;
  const Distribution distribution;
  std::uint64_t seed = 0;
  Output<T> x{this, "x", n};

 private:
  void expect_philox() {
    const bool is_uniform = distribution == Distribution::uniform;
    if constexpr (std::is_same_v<T, float>) {
      x.expect(philox_floats(n, distribution, seed), is_uniform ? 0 : kNormalFloatTolerance);
    } else {
      x.expect(philox_doubles(n, distribution, seed), is_uniform ? 0 : kNormalTolerance);
    }
  }

  // Six standard deviations: a correct program exceeds them once in millions of runs. The squares
  // of fewer numbers than 100 have too long a tail for this.
  bool has_right_moments() const {
    if (n < 100) return true;
    const bool is_uniform = distribution == Distribution::uniform;
    const double spread_of_squares = std::sqrt(is_uniform ? 1.0 / 180 : 2.0);
    const double root = std::sqrt(static_cast<double>(n));
    return std::abs(found_.mean - exact_.mean) <= 6 * std::sqrt(exact_.variance) / root &&
           std::abs(found_.variance - exact_.variance) <= 6 * spread_of_squares / root;
  }
  std::string moments() const {
    return format("mean %.5f, variance %.5f; the exact values are %.5f and %.5f", found_.mean,
                  found_.variance, exact_.mean, exact_.variance);
  }

  Generator generator_;
  Moments exact_, found_{};
};

template <typename C>
Operation generating_operation() {
  Operation operation;
  operation.make = computes<C>;
  // To check: a prime, so no block and no vector divides it. To time: 400 MB of floats, 6 times an
  // H200's L2 cache.
  operation.extents = {{"--n N", "elements of each array", kMaxSize, 100'003, 100'000'000}};
  operation.choices = {data_option(C::kWords)};
  operation.ceiling = plain_copy;
  return operation;
}
