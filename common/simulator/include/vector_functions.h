#pragma once

// make_float4 and its relatives.
#include "cuda_runtime.h"
