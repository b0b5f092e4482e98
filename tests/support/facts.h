#pragma once

#include "common/harness/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

// Records what is wrong with the answer under test, in words such as "pattern=border array=y", in
// addition to the message for the learner. ./workbook chooses hints by these words, and
// mistakes.txt names them; common/cli/checking/facts.py lists them. The test's results have them as the
// property "facts".
inline void record_fact(const std::string& fact) {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (!test) return;
  std::string facts = fact;
  for (int i = 0; i < test->result()->test_property_count(); ++i) {
    const testing::TestProperty& property = test->result()->GetTestProperty(i);
    if (std::string(property.key()) == "facts") facts = property.value() + ("; " + fact);
  }
  testing::Test::RecordProperty("facts", facts);
}

// For a test that makes a launch fail: the report of that error is a part of an exercise of its own.
inline void test_error_handling() { testing::Test::RecordProperty("part", "error_handling"); }

// For an expectation: EXPECT_TRUE(right_or_fact(a == before, "changed=a")) << "a has changed".
inline bool right_or_fact(bool is_right, const std::string& fact) {
  if (!is_right) record_fact(fact);
  return is_right;
}

// A wrong value in a fact: "nan", "7", "0.25".
inline std::string fact_value(double value) {
  return std::isnan(value) ? "nan" : format("%.9g", value);
}

// "wrong=2 size=9 first=7 got=nan": 2 of 9 elements are wrong; the first is element 7, a NaN.
inline std::string facts_of_wrong(std::size_t wrong, std::size_t size, std::size_t first,
                                  double got) {
  return format("wrong=%zu size=%zu first=%zu got=", wrong, size, first) + fact_value(got);
}
