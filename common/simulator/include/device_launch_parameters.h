#pragma once

// threadIdx and its relatives; Visual Studio's CUDA template includes it.
#include "cuda_runtime.h"
