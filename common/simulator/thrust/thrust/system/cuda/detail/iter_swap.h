#pragma once

#include <thrust/system/cuda/detail/get_value.h>
