#include "simulator/vector_types.h"

// builtin_variables.h declares these const, for the kernels; a block sets them through other names.
__thread uint3 threadIdx, blockIdx, blockDim, gridDim;
