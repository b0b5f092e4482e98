#pragma once

// The types of the runtime API.
#include "cuda_runtime.h"
