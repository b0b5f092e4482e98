#pragma once

// Mathematical functions; the CUDA Toolkit has this name for old programs.
#include "cuda_runtime.h"
