#pragma once

// Complex numbers as pairs of floats or doubles.

#include "cuda_runtime.h"

#include <cmath>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The quotient and the absolute value are scaled, as in CUDA, so that no square overflows. `f` is
// the end of a float function's name.
#define CUDA_SIMULATOR_COMPLEX(Complex, Float, f)                                        \
  __host__ __device__ inline Float cuCreal##f(Complex z) { return z.x; }                 \
  __host__ __device__ inline Float cuCimag##f(Complex z) { return z.y; }                 \
  __host__ __device__ inline Complex make_##Complex(Float x, Float y) { return {x, y}; } \
  __host__ __device__ inline Complex cuConj##f(Complex z) { return {z.x, -z.y}; }        \
  __host__ __device__ inline Complex cuCadd##f(Complex a, Complex b) {                   \
    return {a.x + b.x, a.y + b.y};                                                       \
  }                                                                                      \
  __host__ __device__ inline Complex cuCsub##f(Complex a, Complex b) {                   \
    return {a.x - b.x, a.y - b.y};                                                       \
  }                                                                                      \
  __host__ __device__ inline Complex cuCmul##f(Complex a, Complex b) {                   \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                               \
  }                                                                                      \
  __host__ __device__ inline Complex cuCdiv##f(Complex a, Complex b) {                   \
    const Float scale = 1 / (std::fabs(b.x) + std::fabs(b.y));                           \
    const Float ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;  \
    const Float square = 1 / (bx * bx + by * by);                                        \
    return {(ax * bx + ay * by) * square, (ay * bx - ax * by) * square};                 \
  }                                                                                      \
  __host__ __device__ inline Float cuCabs##f(Complex z) { return std::hypot(z.x, z.y); } \
  __host__ __device__ inline Complex cuCfma##f(Complex a, Complex b, Complex c) {        \
    return cuCadd##f(cuCmul##f(a, b), c);                                                \
  }
CUDA_SIMULATOR_COMPLEX(cuFloatComplex, float, f)
CUDA_SIMULATOR_COMPLEX(cuDoubleComplex, double, )
#undef CUDA_SIMULATOR_COMPLEX

__host__ __device__ inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {z.x, z.y};
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {static_cast<float>(z.x), static_cast<float>(z.y)};
}
