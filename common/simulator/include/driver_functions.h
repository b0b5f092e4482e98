#pragma once

// make_cudaExtent and its relatives; the CUDA Toolkit has this name for old programs.
#include "cuda_runtime.h"
