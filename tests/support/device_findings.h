#pragma once

#include <string>

// What is wrong with the kernels that have run since the last call, apart from their results:
// races, accesses out of bounds, barriers that not all threads reach. Empty when nothing is. The
// linker is the switch: the traced simulator knows, a GPU finds nothing here (compute-sanitizer
// does, docs/profiling.md).
std::string take_device_findings();
