#pragma once

// The first line of a rewritten .cu file: what nvcc defines, and includes by itself. A .cpp file,
// which g++ compiles there too, does not have these macros.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#include "cuda_runtime.h"

#include "simulator/device_heap.h"
