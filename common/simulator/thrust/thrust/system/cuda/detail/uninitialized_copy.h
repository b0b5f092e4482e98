#pragma once

#include <thrust/system/cuda/detail/copy.h>
