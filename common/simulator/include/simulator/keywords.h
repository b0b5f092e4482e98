#pragma once

// CUDA's keywords, for a C++ compiler. They must be macros, because they appear among a
// declaration's specifiers.

// One copy of a kernel in the program, so that one access in the source has one address in the
// program.
#ifdef __clang__
#define __global__ __attribute__((noinline))
#else
#define __global__ __attribute__((noipa))
#endif

#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

// A block runs on one OS thread from start to end, so its shared memory belongs to that OS thread.
// `used`: g++ would take reads of an array that no code writes as zeros, and no finding would follow.
#define __shared__ __attribute__((used)) static thread_local

// A separate section marks the variables that a kernel can only read.
#define __constant__ __attribute__((section("cuda_constant")))

// Code that the rewriter adds around a launch: not accesses of the kernel, so not traced.
#define CUDA_SIMULATOR_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
// A function of CUDA: not traced itself, and never inlined, so that its return address is the
// learner's line.
#define CUDA_SIMULATOR_CALLED CUDA_SIMULATOR_UNTRACED __attribute__((noinline))
#define CUDA_SIMULATOR_TEXT(...) CUDA_SIMULATOR_QUOTED(__VA_ARGS__)
#define CUDA_SIMULATOR_QUOTED(...) #__VA_ARGS__
