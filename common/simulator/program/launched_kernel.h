#pragma once

#include "program/executable.h"

#include <cstddef>
#include <string>

namespace cuda_simulator {

// The kernel that a launch's thread_body calls, among those with the name in the launch: the name
// alone does not determine the instantiation. nullptr if no call of such a kernel is found.
const Symbol* launched_kernel(void (*thread_body)(void*), const std::string& launched_name);

// The static shared memory that a kernel and the functions that it calls declare, in bytes, without
// the functions that the compiler has inlined.
std::size_t static_shared_bytes(const Symbol& kernel);
// The same if only the name in the launch and its thread_body are known.
std::size_t static_shared_bytes(const std::string& launched_name, void (*thread_body)(void*));

}  // namespace cuda_simulator
