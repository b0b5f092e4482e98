#include "chapters/ch1_saxpy/baselines/cpu.h"

#include "common/harness/cpu_baseline.h"
#include "tests/support/cpu_threads_test.h"

#include <gtest/gtest.h>

namespace {

TEST(SaxpyOnCpu, TakesNullPointersForNoElements) {
  saxpy_on_cpu(-1.7f, nullptr, nullptr, 0, cpu_threads());
}

}  // namespace
