#pragma once

#include <set>
#include <vector>

// All sums of subsets, by listing them. The recurrence is checked against this. For a few items
// only, because there are up to 2^n sums.
inline std::set<long long> all_subset_sums(const std::vector<int>& items) {
  std::set<long long> sums{0};
  for (const int item : items) {
    std::set<long long> with_item;
    for (const long long sum : sums) with_item.insert(sum + item);
    sums.merge(with_item);
  }
  return sums;
}
