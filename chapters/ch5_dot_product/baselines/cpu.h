#pragma once

#include <cstddef>

// The dot product of dot_product.h, on `threads` threads of the CPU, of doubles in the host's
// memory. Eight partial sums a thread, so that the compiler can use vector instructions and no
// addition waits for the one before it. The same bits in every run with the same number of threads.
double dot_product_on_cpu(const double* a, const double* b, std::size_t size, unsigned threads);

// The most additions that a product passes through there.
std::size_t cpu_longest_chain(std::size_t size, unsigned threads);
