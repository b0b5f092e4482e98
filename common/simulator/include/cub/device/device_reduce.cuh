#pragma once

#include "simulator/cub_device.h"
