#pragma once

#include "simulator/cub_block.h"
