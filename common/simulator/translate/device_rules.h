#pragma once

// What clang's CUDA front end reads before a .cu file, to check what g++ knows nothing of: which
// code is the host's and which the device's. Nothing is compiled. The declarations are those of
// the simulator's headers, with CUDA's keywords as the attributes that they are to clang. What these
// headers assert is of no concern (the device's long double is short), and without an error in them
// clang can keep what it has read.

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

// What CUDA has on the device of the C library, besides mathematics. First, so that std:: has it
// too.
#include <stddef.h>
#include <time.h>
extern "C" {
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes);
__device__ void free(void* pointer);
__device__ void* memcpy(void* destination, const void* source, size_t bytes);
__device__ void* memset(void* destination, int value, size_t bytes);
__device__ size_t strlen(const char* text);  // nvcc takes it of a literal
__device__ int abs(int value);
__device__ long labs(long value);
__device__ long long llabs(long long value);
__device__ void __assert_fail(const char* text, const char* file, unsigned line,
                              const char* function);
__device__ clock_t clock();
}

// All that the headers below include and that stays the host's.
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

// Both sides': mathematics, and what the simulator declares.
#define __syncthreads simulator_syncthreads  // clang has this one built in
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

// What clang turns a launch into: until CUDA 9 and where it finds no CUDA, and since.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                cudaStream_t stream = nullptr);
