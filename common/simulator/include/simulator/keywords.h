#pragma once

// The words that CUDA adds to C++, for a C++ compiler. They have to be macros: they stand where a
// declaration's specifiers stand.

// One copy of a kernel in the program, so that one access in the source is one address in it.
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

// A block runs on one OS thread from start to end, so its shared memory is that OS thread's.
#define __shared__ static thread_local

// A section of its own tells the simulator which variables a kernel may only read.
#define __constant__ __attribute__((section("cuda_constant")))

// What the rewriter puts around a launch: not accesses of the kernel, so not traced.
#define CUDA_SIMULATOR_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
// A function of CUDA's: not traced itself, and called, so that its return address is the learner's
// line.
#define CUDA_SIMULATOR_CALLED CUDA_SIMULATOR_UNTRACED __attribute__((noinline))
#define CUDA_SIMULATOR_TEXT(...) CUDA_SIMULATOR_QUOTED(__VA_ARGS__)
#define CUDA_SIMULATOR_QUOTED(...) #__VA_ARGS__
