#pragma once

#include_next <thrust/system/cuda/detail/execution_policy.h>

#include <thrust/system/cuda/detail/simulated_calls.h>
