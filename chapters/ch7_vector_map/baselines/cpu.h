#pragma once

#include <cstddef>

// How many threads of the CPU a program uses: what cpu_one_core.cu and cpu_all_cores.cu define.
unsigned cpu_threads();

// The same as vector_map() in vector_map.h on `threads` threads of the CPU, in the host's memory,
// with the arithmetic of shared_reduction.h: the error is at most 0.75 ulp of the result. On x86 it
// is compiled for several instruction sets, and the widest that the CPU has is taken.
void map_on_cpu(const float* h_x, float* h_y, std::size_t n, unsigned threads);
