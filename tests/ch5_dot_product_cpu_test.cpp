#include "chapters/ch5_dot_product/cpu.h"

#include <gtest/gtest.h>

// The sum itself is tested in ch5_dot_product_test.cpp, with any number of threads.
TEST(CpuThreads, AreAtLeastOne) { EXPECT_GE(cpu_threads(), 1u); }
