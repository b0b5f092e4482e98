#pragma once

// CUDA's types.
#include "cuda_runtime.h"
