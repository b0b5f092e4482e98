#pragma once

#include <algorithm>

// The sums of all subsets of a few items: bit k of `subset` is 1 if item k is in it. Passed by
// value, as a kernel's parameter.
template <int kItems>
struct Shifts {
  int by[1 << kItems];
};

// The shifts of items[0], ..., items[kItems - 1]. All shifts past the target have the same effect:
// they move every sum out of the column.
template <int kItems>
Shifts<kItems> shifts_of(const int* items, int target) {
  Shifts<kItems> shifts;
  for (int subset = 0; subset < 1 << kItems; ++subset) {
    long long sum = 0;
    for (int k = 0; k < kItems; ++k) sum += subset >> k & 1 ? items[k] : 0;
    shifts.by[subset] = static_cast<int>(std::min(sum, target + 1LL));
  }
  return shifts;
}
