#pragma once

// CUDA's keywords.
#include "cuda_runtime.h"
