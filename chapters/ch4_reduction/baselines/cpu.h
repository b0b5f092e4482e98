#pragma once

#include <cstddef>

// The sum of log_likelihood() in reduction.h, on `threads` threads of the CPU, of doubles in the
// host's memory. Eight partial sums a thread, so that the compiler can use vector instructions and
// no addition waits for the one before it: one core is as quick as its memory. The same bits in
// every run with the same number of threads.
double log_likelihood_on_cpu(const double* in, std::size_t size, unsigned threads);

// The most additions that a term passes through there.
std::size_t cpu_longest_chain(std::size_t size, unsigned threads);
