#pragma once

#include "program/executable.h"

#include <string>

namespace cuda_simulator {

// The kernel that a launch's thread_body calls, among those with the name in the launch: the name
// alone does not determine the instantiation. nullptr if no call of such a kernel is found.
const Symbol* launched_kernel(void (*thread_body)(void*), const std::string& launched_name);

}  // namespace cuda_simulator
