#pragma once

#include <cstddef>
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

// Who stored each of `count` elements from `first` on, of what the last copy from device memory has
// brought to a host array of so many bytes: "thread 5 block 0", "-" for no thread, or another word
// of simulator/last_stores.h. Empty where that is not known, as on a GPU.
std::vector<std::string> writers_of(const void* array, std::size_t array_bytes,
                                    std::size_t element_bytes, std::size_t first,
                                    std::size_t count);
