#pragma once

#include <cuda_runtime.h>

// Numbers are in fixed point: 1.0 is kOne. So they are integers, and a CPU and a GPU compute the
// same result.
constexpr long long kOne = 1 << 24;

// For each point (px, py) of a grid of rows x cols: the number of steps before it escapes, or
// `limit` if it needs more.
//
//   px = left + col * step,  py = top + row * step
//   x = 0, y = 0, steps = 0
//   as long as steps < limit and x * x + y * y <= 4 * kOne * kOne:
//     the new x is (x * x - y * y) / kOne + px, the new y is 2 * x * y / kOne + py; steps grows by
//     1
//
// The steps go to d_steps[row * cols + col], in device memory for rows * cols numbers. rows and
// cols are from 0 to 65535, and their product is below 2^31. px and py are from -4 to 4, and
// products of two numbers need 64 bits. Returns once the work is queued on `stream`; throws
// CudaError if it cannot be launched.
//
// Exercise 7 defines this function.
void mandelbrot(int* d_steps, int rows, int cols, long long left, long long top, long long step,
                int limit, cudaStream_t stream = nullptr);
