#pragma once

#include <random>
#include <vector>

// The element of an array that each lane of a warp uses; kNowhere for an inactive lane.
using Places = std::vector<int>;
constexpr int kNowhere = -1, kLanes = 32;

// place(0), place(1), ... of all lanes.
template <typename Place>
Places places_of(Place place) {
  Places places;
  for (int lane = 0; lane < kLanes; ++lane) places.push_back(place(lane));
  return places;
}

// Random numbers that depend only on the seed; they are the same with every compiler.
class Chance {
 public:
  explicit Chance(int seed) : random_(static_cast<unsigned>(seed)) {}

  // From 0 to count - 1.
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool one_in(int count) { return below(count) == 0; }

 private:
  std::mt19937 random_;
};
