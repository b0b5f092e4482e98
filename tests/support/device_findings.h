#pragma once

#include <string>
#include <vector>

struct DeviceFindings {
  std::string text;                // empty when nothing is wrong
  std::vector<std::string> facts;  // the same for programs: "finding=race between=blocks"
};

// What is wrong with the kernels that have run since the last call, apart from their results:
// races, accesses out of bounds, barriers that not all threads reach. The
// linker is the switch: the traced simulator knows, a GPU finds nothing here (compute-sanitizer
// does, docs/profiling.md).
DeviceFindings take_device_findings();
