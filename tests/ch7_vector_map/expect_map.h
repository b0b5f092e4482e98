#pragma once

#include "chapters/ch7_vector_map/harness/reference.h"

#include "common/harness/format.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <cstddef>

// Fails unless y is the map of x, each of n elements. The message has the number of wrong elements
// and the first one.
template <typename T>
void expect_map(const T* y, const T* x, std::size_t n, const Accuracy& accuracy) {
  const auto mismatch = find_map_mismatch(y, x, n, accuracy);
  if (!mismatch) return;
  record_fact(facts_of_wrong(mismatch->count, n, mismatch->first, y[mismatch->first]) +
              format(" array=y promised=%.3g", accuracy.max_error_ulp));
  ADD_FAILURE() << map_mismatch_text(*mismatch, y, x, n, accuracy);
}
