#pragma once

#include <algorithm>

// What all subsets of a few items add to a sum: bit k of `subset` says whether item k is in it. By
// value, as a kernel's parameter.
template <int kItems>
struct Shifts {
  int by[1 << kItems];
};

// Of the items items[0], ..., items[kItems - 1]. Past the target all shifts are alike: they move
// every sum out of the column.
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
