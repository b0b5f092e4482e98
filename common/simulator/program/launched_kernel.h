#pragma once

#include "program/executable.h"

#include <string>

namespace cuda_simulator {

// The kernel that a launch's thread_body calls, of those by the name that the launch has: which
// instantiation it is, the name alone does not say. nullptr if no call of it is found.
const Symbol* launched_kernel(void (*thread_body)(void*), const std::string& launched_name);

}  // namespace cuda_simulator
