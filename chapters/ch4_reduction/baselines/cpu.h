#pragma once

#include <cstddef>

// The sum of log_likelihood() in reduction.h, on `threads` threads of the CPU, of doubles in host
// memory. A thread has eight partial sums, so the compiler can use vector instructions and no
// addition waits for the previous one: one core is as fast as its memory. Deterministic for a given
// number of threads.
double log_likelihood_on_cpu(const double* in, std::size_t size, unsigned threads);

// The largest number of additions that a term passes through in this sum.
std::size_t cpu_longest_chain(std::size_t size, unsigned threads);
