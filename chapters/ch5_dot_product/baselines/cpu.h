#pragma once

#include <cstddef>

// The dot product of dot_product.h on `threads` threads of the CPU, for doubles in host memory.
// Each thread has eight partial sums, so the compiler can use vector instructions and no addition
// waits for the previous one. With the same number of threads the result is deterministic.
double dot_product_on_cpu(const double* a, const double* b, std::size_t size, unsigned threads);

// The largest number of additions that a product passes through in this sum.
std::size_t cpu_longest_chain(std::size_t size, unsigned threads);
