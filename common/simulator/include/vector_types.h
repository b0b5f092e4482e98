#pragma once

#include "simulator/vector_types.h"
