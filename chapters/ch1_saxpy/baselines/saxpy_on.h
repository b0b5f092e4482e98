#pragma once

#include <cuda_runtime.h>

// The processor that runs a loop, chosen at run time.
enum class Backend { cpu, gpu };

// y(i) = a * x(i) + y(i) for i from 0 to n - 1, on the backend's processor, in floats or in
// doubles. x and y are in the backend's memory and do not overlap. n, threads, stream and errors
// are as for saxpy() in saxpy.h; the CPU uses one core, and is done on return.
//
// baselines/parallel_for.cu defines these two functions.
void saxpy_on(Backend backend, float a, const float* x, float* y, int n, int threads,
              cudaStream_t stream = nullptr);
void saxpy_on(Backend backend, double a, const double* x, double* y, int n, int threads,
              cudaStream_t stream = nullptr);
