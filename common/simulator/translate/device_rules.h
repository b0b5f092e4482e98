#pragma once

// This header is read before a .cu file by clang's CUDA front end, which checks a rule that g++
// cannot check: the separation of host code and device code. Nothing is compiled. The declarations
// are those of the simulator's headers; here CUDA's keywords are clang's attributes. Assertions in
// these headers are switched off (the device's long double is short): without an error clang can
// precompile them.

#include "simulator/keywords.h"

#undef __global__
#undef __device__
#undef __host__
#undef __managed__
#undef __shared__
#undef __constant__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __managed__ __attribute__((device))  // clang has managed variables for HIP only
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

// The functions of the C library that CUDA has on the device, besides mathematics. They come first,
// so that std:: has them too.
#include <stddef.h>
#include <time.h>
extern "C" {
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes);
__device__ void free(void* pointer);
__device__ void* memcpy(void* destination, const void* source, size_t bytes);
__device__ void* memset(void* destination, int value, size_t bytes);
__device__ size_t strlen(const char* text);  // nvcc accepts it for a literal
__device__ int abs(int value);
__device__ long labs(long value);
__device__ long long llabs(long long value);
__device__ void __assert_fail(const char* text, const char* file, unsigned line,
                              const char* function);
__device__ clock_t clock();
}

// The headers that are included below and contain only host code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Host and device code: mathematics, and the simulator's declarations.
#define __syncthreads simulator_syncthreads  // a built-in of clang
#pragma clang force_cuda_host_device begin
#include <math.h>
#include <stdlib.h>
#include <cmath>
#define static_assert(...) static_assert(true)
#define __thread __device__
#include "simulator/builtin_variables.h"
#undef __thread
#include "cuda_pipeline_primitives.h"
#include "cuda_runtime.h"
#if __has_include("../include/cooperative_groups/reduce.h")
#include "../include/cooperative_groups.h"
#include "../include/cooperative_groups/reduce.h"
#endif
#pragma clang force_cuda_host_device end
#undef __syncthreads
#undef static_assert

// The function that clang calls for a launch: the first without CUDA and up to CUDA 9, then the
// second.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                cudaStream_t stream = nullptr);
