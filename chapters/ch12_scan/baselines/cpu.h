#pragma once

#include <cstddef>

// The scan of scan() in scan.h, on `threads` threads of the CPU, of ints in host memory. Each
// thread adds one chunk, then scans it from the sum of all chunks before it; one thread alone reads
// the elements only once.
void scan_on_cpu(const int* in, int* out, std::size_t size, unsigned threads);
