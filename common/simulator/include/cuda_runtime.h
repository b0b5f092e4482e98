#pragma once

// CUDA C++ for a C++ compiler: everything that a .cu file needs to run on the CPU in the simulator.
// docs/simulator.md lists what is modelled and what is not.

// Headers that look for parts of CUDA, such as the helpers of NVIDIA's samples, know them by these
// guards.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

// The C headers too: nvcc's cuda_runtime.h brings clock(), time() and INT_MAX.
#include <limits.h>
#include <time.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simulator/keywords.h"

#include "simulator/vector_types.h"

#include "simulator/builtin_variables.h"
#include "simulator/runtime_api.h"

#include "simulator/launch.h"
#include "simulator/local_arrays.h"

#include "simulator/graph_nodes.h"
#include "simulator/graphs.h"
#include "simulator/kernels_as_values.h"
#include "simulator/managed_memory.h"
#include "simulator/memory_3d.h"
#include "simulator/textures.h"
#include "simulator/memory_pools.h"
#include "simulator/stream_attributes.h"

#include "simulator/atomics.h"
#include "simulator/cached_access.h"
#include "simulator/device_intrinsics.h"
#include "simulator/device_math.h"
#include "simulator/nv_atomics.h"
#include "simulator/warp_functions.h"
