#pragma once

#include "chapters/ch9_embedding/embedding.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "common/harness/random.h"
#include "tests/support/guarded_array.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// A map in device memory between guards.
class GuardedMap {
 public:
  explicit GuardedMap(const ReferenceMap& map)
      : points_(as_floats(map.points)),
        steps_(as_floats(map.steps)),
        gains_(as_floats(map.gains)),
        gradient_(std::vector<float>(map.points.size(), NAN)) {}

  Map get() { return {pairs(points_), pairs(steps_), pairs(gains_), pairs(gradient_)}; }
  std::vector<double> points() const { return as_doubles(points_); }
  std::vector<double> steps() const { return as_doubles(steps_); }
  std::vector<double> gains() const { return as_doubles(gains_); }
  std::vector<double> gradient() const { return as_doubles(gradient_); }

  void expect_intact_guards() const {
    points_.expect_intact_guards("points");
    steps_.expect_intact_guards("steps");
    gains_.expect_intact_guards("gains");
    gradient_.expect_intact_guards("gradient");
  }

 private:
  static std::vector<float> as_floats(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
  }
  static std::vector<double> as_doubles(const GuardedArray<float>& numbers) {
    const std::vector<float> all = numbers.to_host();
    return {all.begin(), all.end()};
  }
  static float2* pairs(GuardedArray<float>& numbers) {
    return reinterpret_cast<float2*>(numbers.data());
  }

  GuardedArray<float> points_, steps_, gains_, gradient_;
};

// A state during a descent: points about `extent` from the origin, random steps and gains.
inline ReferenceMap state(int count, double extent, std::uint64_t seed) {
  ReferenceMap map = start_map(count, seed);
  const std::vector<double> steps = random_doubles(map.points.size(), seed + 1);
  const std::vector<double> gains = random_doubles(map.points.size(), seed + 2);
  for (std::size_t k = 0; k < map.points.size(); ++k) {
    map.points[k] = static_cast<float>(map.points[k] * 1e4 * extent);
    map.steps[k] = static_cast<float>(extent * 0.01 * steps[k]);
    map.gains[k] = static_cast<float>(1.01 + gains[k]);
  }
  return map;
}
