#pragma once

// The same as saxpy() in saxpy.h, on the CPU: x and y are in host memory, n is from 0 to kMaxSize.
// Returns when it is done.
//
// Every cpu_*.cu defines this one function; each program links exactly one of them. They hold no
// kernel: they are what a kernel has to beat.
void saxpy_on_cpu(float a, const float* h_x, float* h_y, int n);
