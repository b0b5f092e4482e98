#pragma once

// The same as saxpy() in saxpy.h, on `threads` threads of the CPU, at least one: x and y are in
// host memory, n is from 0 to kMaxSize. Returns when it is done. A kernel should be faster.
void saxpy_on_cpu(float a, const float* h_x, float* h_y, int n, unsigned threads);
