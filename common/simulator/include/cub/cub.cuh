#pragma once

#include "simulator/cub_block.h"
#include "simulator/cub_device.h"
